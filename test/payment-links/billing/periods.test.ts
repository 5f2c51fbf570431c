// Periods, compared with a calendar that walks from day to day and counts the boundaries
// (support/calendar.ts). The plans are random, from a printed seed.

import {
  boundaryAt,
  type Periodic,
  periodAt,
} from "../../../services/payment-links/billing/periods.ts";
import { INTERVALS } from "../../../shared/contracts/payment-link-data.ts";
import { DAY_MS, daysIn, type Interval, walkBoundaries } from "../../support/calendar.ts";
import { type Random, seeded } from "../../support/traffic.ts";

const PLANS = 3_000;
/** The number of compared boundaries of each plan; the first and the last are among them. */
const COMPARED = 30;

function periodic(anchorAt: number, interval: Interval): Periodic {
  return { anchorAt, plan: { charge: { interval } } } as Periodic;
}

/** Often on a day that not every month has, or in a leap year's February. */
function randomAnchor(random: Random) {
  const year = 1999 + random.below(110);
  const month = random.below(4) === 0 ? 2 : 1 + random.below(12);
  const late = Math.min(daysIn(year, month), 28 + random.below(4));
  const day = random.below(2) === 0 ? late : 1 + random.below(daysIn(year, month));
  const timeMs = random.below(3) === 0 ? 0 : random.below(DAY_MS);
  return { year, month, day, timeMs };
}

test("boundaries and periods equal those of a walk through the calendar", () => {
  const random = seeded();
  const wrong: object[] = [];
  for (let i = 0; i < PLANS; i++) {
    const anchor = randomAnchor(random);
    const interval = { type: random.oneOf(INTERVALS), count: 1 + random.below(48) };
    const days = random.below(10) === 0 ? 36_600 : 1 + random.below(4_000);
    const walked = walkBoundaries(anchor, interval, days);
    const of = periodic(walked[0] as number, interval);
    const step = Math.ceil(walked.length / COMPARED);
    const numbers = walked.keys().filter((k) => k % step === 0 || k === walked.length - 1);
    for (const k of numbers) {
      const at = walked[k] as number;
      const isRight = boundaryAt(of, k) === at && periodAt(of, at) === k;
      if (!isRight || periodAt(of, at - 1) !== k - 1) wrong.push({ anchor, interval, k });
    }
    const at = (walked[0] as number) + random.below(1_000) * (days * (DAY_MS / 1_000));
    const period = walked.filter((boundary) => boundary <= at).length - 1;
    if (periodAt(of, at) !== period) wrong.push({ anchor, interval, at });
  }
  expect(wrong).toEqual([]);
});

test.each([
  ["2027-01-31T09:30:00.000Z", "month", 1, ["2027-02-28", "2027-03-31", "2027-04-30"]],
  ["2028-01-31T09:30:00.000Z", "month", 1, ["2028-02-29", "2028-03-31", "2028-04-30"]],
  ["2027-11-30T23:59:59.999Z", "month", 3, ["2028-02-29", "2028-05-30", "2028-08-30"]],
  ["2028-02-29T00:00:00.000Z", "year", 1, ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]],
  ["2027-03-27T12:00:00.000Z", "day", 1, ["2027-03-28", "2027-03-29"]],
  ["2027-10-25T12:00:00.000Z", "week", 2, ["2027-11-08", "2027-11-22"]],
  ["2096-02-29T12:00:00.000Z", "year", 4, ["2100-02-28", "2104-02-29"]],
] as const)("from %s, each %s x %i", (anchor, type, count, dates) => {
  const of = periodic(Date.parse(anchor), { type, count });
  const time = anchor.slice("2027-01-31".length);
  const boundaries = dates.map((_, i) => new Date(boundaryAt(of, i + 1)).toISOString());
  expect(boundaries).toEqual(dates.map((date) => date + time));
});

test("there is no period before the anchor", () => {
  const of = periodic(Date.parse("2027-01-31"), { type: "month", count: 1 });
  expect([0, of.anchorAt - 1].map((at) => periodAt(of, at))).toEqual([-1, -1]);
});
