// A slow model of billing for tests. It shares no code with the product: it walks through the
// calendar, takes the subscription's changes in order, keeps one balance of the debt, and
// calculates with fractions. It has no lines, credits or change records: only the debt at each
// moment.

import type { RecurringCharge } from "../../../shared/contracts/payment-link-data.ts";
import { type Day, walkBoundaries } from "../../support/calendar.ts";

/** A change of a subscription; epoch ms, in order. */
export type Happening = {
  at: number;
  /**
   * Amounts that were due before this time were billed before the change; those due exactly then
   * too, unless billing was late.
   */
  billedUpTo: number;
} & (
  | { kind: "seats"; seats: number }
  | { kind: "usage"; units: number; usedAt: number }
  | { kind: "cancel"; when: "now" | "period_end" }
);

export interface History {
  charge: RecurringCharge;
  /** Major units per period, for a charge by amount. */
  amount: number;
  anchor: Day & { timeMs: number };
  happenings: Happening[];
  /** Epoch ms; billing runs up to this time. */
  until: number;
}

export interface Bill {
  at: number;
  start: number;
  end: number;
  /** Minor units. */
  total: bigint;
}

type Ratio = readonly [bigint, bigint];

function ratio(value: number): Ratio {
  return [BigInt(value.toFixed(6).replace(".", "")), 1_000_000n];
}

function product(...ratios: Ratio[]): Ratio {
  return ratios.reduce(([a, b], [c, d]) => [a * c, b * d], [1n, 1n]);
}

/** Minor units: the value, in major units, rounded to the nearest cent; a half rounds up. */
function cents(value: Ratio): bigint {
  const [n, d] = product(value, [100n, 1n]);
  let guess = n / d + 2n;
  while ((2n * guess - 1n) * d > 2n * n) guess -= 1n;
  return guess;
}

const most = (a: bigint, b: bigint) => (a > b ? a : b);

/** The boundaries of a history, well beyond its end. */
export function boundariesOf({ anchor, charge, until }: History): number[] {
  const [start = 0] = walkBoundaries(anchor, charge.interval, 0);
  const days = { day: 1, week: 7, month: 31, year: 366 }[charge.interval.type];
  const beyond = Math.max(0, (until - start) / 86_400_000) + 3 * days * charge.interval.count;
  return walkBoundaries(anchor, charge.interval, Math.ceil(beyond));
}

/** All bills up to the end of the history. */
export function billsOf(history: History): Bill[] {
  return history.charge.type === "consumption" ? billsInArrears(history) : billsInAdvance(history);
}

function billsInAdvance(history: History): Bill[] {
  const { charge, amount, happenings, until } = history;
  const { seatDetails } = charge;
  const boundaries = boundariesOf(history);
  const bills: Bill[] = [];
  let seats = 1;
  let owed = 0n;
  let passed = 0;
  let endsAt = Number.POSITIVE_INFINITY;

  const bill = (at: number, start: number, end: number) => {
    bills.push({ at, start, end, total: most(owed, 0n) });
    owed = owed < 0n ? owed : 0n;
  };
  const price = () =>
    seatDetails
      ? cents(ratio(seatDetails.baseFee)) +
        cents(product(ratio(seatDetails.costPerSeat), [BigInt(seats), 1n]))
      : cents(ratio(amount));
  /** @returns whether billing continues after it */
  const passUpTo = (moment: number): boolean => {
    for (;;) {
      const boundary = boundaries[passed] as number;
      if (boundary > moment) return true;
      if (passed === endsAt) {
        if (owed > 0n) bill(boundary, boundaries[passed - 1] as number, boundary);
        return false;
      }
      owed += price();
      bill(boundary, boundary, boundaries[passed + 1] as number);
      passed += 1;
    }
  };

  for (const happening of happenings) {
    const { at } = happening;
    if (!passUpTo(at)) return bills;
    const [start = 0, end = 0] = [boundaries[passed - 1], boundaries[passed]];
    if (happening.kind === "seats" && seatDetails) {
      const change = ratio(happening.seats - seats);
      seats = happening.seats;
      if (passed === 0 || seatDetails.newSeatBillingType === "next_cycle") continue;
      const share: Ratio = [BigInt(end - at), BigInt(end - start)];
      const worth = cents(product(change, ratio(seatDetails.costPerSeat), share));
      owed += worth;
      if (seatDetails.newSeatBillingType === "immediate" && worth > 0n) bill(at, at, end);
    }
    if (happening.kind === "cancel" && happening.when === "period_end") endsAt = passed;
    if (happening.kind === "cancel" && happening.when === "now") {
      const begun = at === start ? (boundaries[passed - 2] ?? start) : start;
      if (owed > 0n) bill(at, begun, at);
      return bills;
    }
  }
  passUpTo(until);
  return bills;
}

function billsInArrears(history: History): Bill[] {
  const { charge, until } = history;
  const { costPerUnit = 0, baseFee = 0, minimumUnits = 0 } = charge.consumptionDetails ?? {};
  const boundaries = boundariesOf(history);
  const cancel = history.happenings.find(({ kind }) => kind === "cancel");
  const endsAt = endOf(history, boundaries);
  const counted = countedUnits(history, boundaries, endsAt);

  const bills: Bill[] = [];
  for (const [period, start] of boundaries.entries()) {
    const whole = boundaries[period + 1] ?? Number.POSITIVE_INFINITY;
    const isNow = cancel?.kind === "cancel" && cancel.when === "now";
    // An immediate cancellation at a boundary ends billing with the empty period that starts there.
    const isLast = isNow ? endsAt < whole : endsAt === whole;
    const end = Math.min(whole, endsAt);
    if (start > endsAt || (start === endsAt && !isNow) || end > until) return bills;
    const units = counted
      .filter((each) => each.period === period)
      .reduce((sum, each) => sum + each.millionths, 0n);
    const over: Ratio = [most(units - ratio(minimumUnits)[0], 0n), 1_000_000n];
    const fee = end > start ? cents(ratio(baseFee)) : 0n;
    bills.push({ at: end, start, end, total: fee + cents(product(over, ratio(costPerUnit))) });
    if (isLast) return bills;
  }
  return bills;
}

/** Epoch ms of the end of billing, by the first cancellation. */
function endOf({ happenings }: History, boundaries: number[]): number {
  const cancel = happenings.find(({ kind }) => kind === "cancel");
  if (cancel?.kind !== "cancel") return Number.POSITIVE_INFINITY;
  return cancel.when === "now"
    ? cancel.at
    : (boundaries.find((boundary) => boundary > cancel.at) as number);
}

/** The usage reports that count, each with its period. */
function countedUnits({ happenings }: History, boundaries: number[], endsAt: number) {
  const [anchor = 0] = boundaries;
  const periodAt = (at: number) => boundaries.filter((boundary) => boundary <= at).length - 1;
  const cancelled = happenings.findIndex(({ kind }) => kind === "cancel");
  return happenings.flatMap((each, i) => {
    if (each.kind !== "usage" || Math.min(each.at, each.usedAt) < anchor) return [];
    const isCancelled = cancelled !== -1 && i > cancelled;
    if (isCancelled && (each.at >= endsAt || each.usedAt >= endsAt)) return [];
    const period = Math.max(periodAt(each.usedAt), periodAt(each.billedUpTo));
    return [{ period, millionths: ratio(each.units)[0] }];
  });
}
