// The amounts of invoices against a slow model (support/billing-model.ts). Random plans and
// histories come from a printed seed; thousands run through the pure parts of billing, a few over
// HTTP with the test clock.

import { nextAction } from "../../../services/payment-links/billing/due-dates.ts";
import {
  type InvoiceScope,
  nextDue,
  scopeInvoice,
} from "../../../services/payment-links/billing/due-invoice.ts";
import {
  draftInvoice,
  type InvoiceDraft,
} from "../../../services/payment-links/billing/invoice-draft.ts";
import { boundaryAt, periodAt } from "../../../services/payment-links/billing/periods.ts";
import { changeSeats } from "../../../services/payment-links/billing/seat-changes.ts";
import type {
  Issuing,
  Subscription,
} from "../../../services/payment-links/billing/subscription.model.ts";
import { loadConfig } from "../../../shared/config/env.ts";
import type { RecurringCharge } from "../../../shared/contracts/payment-link-data.ts";
import {
  CHARGE_TYPES,
  INTERVALS,
  SEAT_BILLINGS,
} from "../../../shared/contracts/payment-link-data.ts";
import { newId } from "../../../shared/ids.ts";
import { DAY_MS, daysIn, midnightOf } from "../../support/calendar.ts";
import { testEnvironment } from "../../support/system.ts";
import { type Random, seeded } from "../../support/traffic.ts";
import { dataOf, startWorld, type World } from "../../support/world.ts";
import { type Bill, billsOf, boundariesOf, type Happening, type History } from "./billing-model.ts";

const HISTORIES = 2_000;
const FEE = loadConfig(testEnvironment()).fees.CARD_COLLECTION.USD;

/** Often short, sometimes large, never above the maximum of an invoice. */
function decimal(random: Random, below: number, places: number): number {
  const scale = 10 ** random.below(places + 1);
  return random.below(below * scale) / scale;
}

type IntervalType = (typeof INTERVALS)[number];

function randomCharge(
  random: Random,
  startDate: string,
  intervals: readonly IntervalType[],
): RecurringCharge {
  const type = random.oneOf(CHARGE_TYPES);
  const interval = { type: random.oneOf(intervals), count: 1 + random.below(3) };
  const consumptionDetails = {
    unit: "call",
    costPerUnit: decimal(random, 20, 6),
    ...(random.below(2) === 0 && {
      minimumUnits: decimal(random, 500, 6),
      baseFee: decimal(random, 50, 2),
    }),
  };
  const seatDetails = {
    baseFee: decimal(random, 50, 2),
    costPerSeat: decimal(random, 90, 6),
    newSeatBillingType: random.oneOf(SEAT_BILLINGS),
  };
  return {
    type,
    startDate,
    interval,
    ...(type === "consumption" && { consumptionDetails }),
    ...(type === "seating" && { seatDetails }),
  };
}

function randomHistory(random: Random, intervals: readonly IntervalType[] = INTERVALS): History {
  const [year, month] = [2030 + random.below(3), 1 + random.below(12)];
  const day = 1 + random.below(daysIn(year, month));
  const anchor = { year, month, day, timeMs: random.below(DAY_MS) };
  const start = midnightOf(anchor) + anchor.timeMs;
  const charge = randomCharge(random, new Date(start).toISOString(), intervals);
  const periodMs = DAYS[charge.interval.type] * charge.interval.count * DAY_MS;
  const until = start + (1 + random.below(5)) * periodMs;
  const history = { charge, amount: 0.5 + decimal(random, 900, 2), anchor, happenings: [], until };
  return { ...history, happenings: randomHappenings(random, history, periodMs) };
}

/** Happenings fall in the trial, on boundaries and next to them; sometimes billing is late. */
function randomHappenings(random: Random, history: History, periodMs: number): Happening[] {
  const boundaries = boundariesOf(history);
  const [start = 0] = boundaries;
  const randomTime = () => {
    const at = start - periodMs / 4 + random.below(100_000) * ((history.until - start) / 80_000);
    const boundary = boundaries.find((each) => each > at) as number;
    return random.below(4) === 0 ? boundary + random.below(3) - 1 : Math.floor(at);
  };
  const times = Array.from({ length: random.below(16) }, randomTime);
  let billedUpTo = start - periodMs;
  let isCancelled = false;
  return times
    .filter((at) => at <= history.until)
    .toSorted((a, b) => a - b)
    .flatMap((at): Happening[] => {
      const isCancel = !isCancelled && random.below(12) === 0;
      if (isCancel || random.below(3) > 0) billedUpTo = at;
      if (isCancel) {
        isCancelled = true;
        return [{ kind: "cancel", at, billedUpTo, when: random.oneOf(["now", "period_end"]) }];
      }
      if (history.charge.type === "subscription") return [];
      if (history.charge.type === "seating") {
        return [{ kind: "seats", at, billedUpTo, seats: random.below(30) }];
      }
      const shift = random.oneOf([0, (random.below(300) - 150) * (periodMs / 100)]);
      const units = decimal(random, 400, 6) + 0.000001;
      return [
        { kind: "usage", at, billedUpTo, units: Number(units.toFixed(6)), usedAt: at + shift },
      ];
    });
}

/** A new subscription with the fields that this test needs. */
function subscriptionOf({ charge, amount }: History): Subscription {
  const plan = {
    charge,
    amountMinor: charge.type === "subscription" ? Math.round(amount * 100) : 0,
    currency: "USD",
    customerPays: true,
    fee: FEE,
  };
  const anchorAt = Date.parse(charge.startDate);
  const state = { step: "wait", status: "trialing", boundary: 0, anchorAt };
  const nothing = { seats: 1, changes: [], creditMinor: 0 };
  return { _id: "subscription", name: "Plan", plan, ...state, ...nothing } as never;
}

type Drafted = InvoiceScope & InvoiceDraft;

interface Issued {
  due: Issuing;
  draft: Drafted;
  /** The last preview, if nothing happened between it and the invoice. */
  preview: Drafted | null;
}

/** Runs a history through the pure parts of billing, like the driver. */
function replay(history: History, random: Random): Issued[] {
  let subscription = subscriptionOf(history);
  const used = new Map<number, bigint>();
  const issued: Issued[] = [];
  let preview: Drafted | null = null;

  const draft = (due: Issuing, of = subscription): Drafted => {
    const scope = scopeInvoice(of, due);
    const units = scope.usagePeriod === null ? null : (used.get(scope.usagePeriod) ?? 0n);
    const usage = units === null ? null : { units: String(units), late: "0" };
    return { ...scope, ...draftInvoice(of, scope, usage) };
  };
  const billUpTo = (moment: number) => {
    for (;;) {
      const action = nextAction(subscription);
      if (action === null || action.at > moment) return;
      pass(action.at);
      if (action.due) issue(action.due);
      else subscription = { ...subscription, boundary: subscription.boundary + 1 };
      preview = null;
    }
  };
  const pass = (due: number) => {
    const { boundary, endsAtBoundary = Number.POSITIVE_INFINITY } = subscription;
    if (subscription.status === "cancelled" || due < boundaryAt(subscription, boundary)) return;
    if (boundary >= endsAtBoundary) end(due);
  };
  const end = (at: number) => {
    subscription = { ...subscription, status: "cancelled", cancelledAt: at };
  };
  const issue = (due: Issuing) => {
    const made = draft(due);
    issued.push({ due, draft: made, preview });
    // Seats that are set while the invoice is being issued do not change the invoice.
    if (subscription.plan.charge.type === "seating" && subscription.status !== "cancelled") {
      const wanted = { seats: random.below(30), now: due.at };
      const { set } = changeSeats({ ...subscription, issuing: due }, wanted);
      const { lines } = draft(due, { ...subscription, ...set });
      expect(lines).toEqual(made.lines);
    }
    subscription = {
      ...subscription,
      boundary: made.nextBoundary,
      changes: subscription.changes.filter((change) => !made.changes.includes(change)),
      creditMinor: made.creditMinor,
    };
  };
  const apply = (happening: Happening) => {
    const { at } = happening;
    const { endsAtBoundary } = subscription;
    const endsAt =
      endsAtBoundary === undefined
        ? Number.POSITIVE_INFINITY
        : boundaryAt(subscription, endsAtBoundary);
    if (subscription.status === "cancelled" || at >= endsAt) return;
    if (happening.kind === "seats" && happening.seats !== subscription.seats) {
      const { set } = changeSeats(subscription, { seats: happening.seats, now: at });
      subscription = { ...subscription, ...set };
    }
    if (happening.kind === "cancel" && happening.when === "now") end(at);
    if (happening.kind === "cancel" && happening.when === "period_end") {
      subscription = { ...subscription, endsAtBoundary: periodAt(subscription, at) + 1 };
    }
    if (happening.kind === "usage") {
      const isTaken = Math.min(at, happening.usedAt) >= subscription.anchorAt;
      if (!isTaken || happening.usedAt >= endsAt) return;
      const open = Math.max(0, subscription.boundary - 1);
      const period = Math.max(periodAt(subscription, happening.usedAt), open);
      const units = BigInt(Math.round(happening.units * 1_000_000));
      used.set(period, (used.get(period) ?? 0n) + units);
    }
  };

  for (const happening of history.happenings) {
    billUpTo(happening.billedUpTo);
    preview = null;
    apply(happening);
    if (happening.kind === "seats" && happening.billedUpTo === happening.at) billUpTo(happening.at);
    const next = nextDue(subscription);
    preview = next ? draft(next) : null;
  }
  billUpTo(history.until);
  return issued;
}

const DAYS = { day: 1, week: 7, month: 30, year: 365 };

test("the invoices of random histories equal the model's bills at any time of issue", () => {
  const random = seeded();
  const wrong: object[] = [];
  const seen = { bills: 0, previews: 0 };
  for (let i = 0; i < HISTORIES; i++) {
    const history = randomHistory(random);
    const issued = replay(history, random);
    const drafts = issued.map(({ due, draft }): Bill => {
      const { periodStart: start, periodEnd: end, totalMinor } = draft;
      return { at: due.at, start, end, total: BigInt(totalMinor) };
    });
    const bills = billsOf(history);
    const isRight = textOf(drafts) === textOf(bills) && issued.every(isPreviewed);
    if (!isRight && wrong.length < 3) wrong.push({ history, drafts, bills });
    seen.bills += bills.length;
    seen.previews += issued.filter(({ preview }) => preview !== null).length;
  }
  expect(textOf(wrong)).toBe("[]");
  expect(seen.bills).toBeGreaterThan(2 * HISTORIES);
  expect(seen.previews).toBeGreaterThan(HISTORIES / 4);
});

function isPreviewed({ draft, preview }: Issued): boolean {
  return preview === null || textOf(preview) === textOf(draft);
}

/** Equal values have equal text. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, each) => (typeof each === "bigint" ? String(each) : each), 1);
}

describe("over HTTP", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(async () => {
    await world?.verifyBooks();
    await world?.stop();
  });

  /** The fields of an invoice that a preview must have too. */
  const ofPreview = ({ periodStart, periodEnd, total, lines }: Record<string, unknown>) =>
    textOf({ periodStart, periodEnd, total, lines });

  /** A cancel at the start of a period leaves a bill without duration and amount: no invoice. */
  const isIssued = ({ start, end, total }: Bill) => start !== end || total > 0n;

  /** Runs a history over HTTP. @returns the invoices, and the preview before each of them */
  async function live(history: History) {
    const { charge, amount, anchor, until } = history;
    const start = midnightOf(anchor) + anchor.timeMs;
    const business = await world.business();
    await world.testClock(business, start - DAYS[charge.interval.type] * DAY_MS);
    const id = await world.subscription(business, { amount, recurringCharge: charge });
    const path = `/v1/business/${business.id}/subscriptions/${id}`;
    const get = (below: string) => world.http.get(path + below, { token: business.token });
    const invoices = async () =>
      dataOf(await get("/invoices?limit=100"), 200) as Record<string, string>[];
    const previews: [number, string][] = [];

    for (const happening of history.happenings) {
      await world.testClock(business, happening.at);
      // The preview of the next invoice is obsolete, because the happening changes it.
      const before = (await invoices()).length;
      if (previews.at(-1)?.[0] === before) previews.pop();
      const answer =
        happening.kind === "seats"
          ? await world.toSubscription(business, id, "seats", { seats: happening.seats })
          : happening.kind === "cancel"
            ? await world.toSubscription(business, id, "cancel", { at: happening.when })
            : await world.toSubscription(business, id, "usage", {
                units: happening.units,
                reference: newId(),
                at: new Date(happening.usedAt).toISOString(),
              });
      expect([200, 201, 409]).toContain(answer.status);
      const preview = await get("/preview");
      const { length } = await invoices();
      if (preview.status === 200) previews.push([length, ofPreview(preview.body.data)]);
    }
    await world.testClock(business, until);
    const issued = await invoices();
    const bills = issued.map(({ issuedAt, periodStart, periodEnd, total }): Bill => {
      const [at, begun, end] = [issuedAt, periodStart, periodEnd].map((each = "") =>
        Date.parse(each),
      );
      return { at, start: begun, end, total: BigInt((total as string).replace(".", "")) } as Bill;
    });
    return { issued, bills, previews };
  }

  test("an amount below its fee is charged and credits nothing", async () => {
    const business = await world.business();
    const consumptionDetails = { unit: "call", costPerUnit: 0.01 };
    const charge = { type: "consumption", consumptionDetails };
    const id = await world.subscription(business, { recurringCharge: charge });
    await world.testClock(business, "2030-01-02");
    const used = { units: 7, reference: "r" };
    dataOf(await world.toSubscription(business, id, "usage", used), 201);
    await world.testClock(business, "2030-02-01");
    const [invoice] = await world.ofSubscription(business, id, "/invoices");
    expect(invoice).toMatchObject({ total: "0.07", charged: "0.07", status: "paid" });
    const account = await world.collectionAccount(business);
    expect(await world.balance(business, { id: account })).toBe("0.00");
  });

  test("the invoices of random histories equal their previews and the model's bills", async () => {
    const random = seeded();
    const histories = Array.from({ length: 12 }, () => {
      const history = randomHistory(random, ["day", "week", "month"]);
      const prompt = history.happenings.map((each) => ({ ...each, billedUpTo: each.at }));
      return { ...history, happenings: prompt };
    });
    let compared = 0;
    for (let i = 0; i < histories.length; i += 3) {
      await Promise.all(
        histories.slice(i, i + 3).map(async (history) => {
          const { issued, bills, previews } = await live(history);
          const tried = textOf(history);
          const expected = billsOf(history).filter(isIssued);
          expect([tried, textOf(bills)]).toEqual([tried, textOf(expected)]);
          for (const [place, preview] of previews) {
            const invoice = issued[place];
            if (invoice) expect([tried, ofPreview(invoice)]).toEqual([tried, preview]);
            compared += invoice ? 1 : 0;
          }
        }),
      );
    }
    expect(compared).toBeGreaterThan(0);
  });
});
