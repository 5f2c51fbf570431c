// The entries of a usage log (usage.model.ts): each is computed from the one before it. Pure.

import { fail } from "../../../shared/errors.ts";
import { isChargeable } from "../links/charge-amounts.ts";
import { sumLines, usageLines } from "./invoice-lines.ts";
import { periodAt } from "./periods.ts";
import type { Plan } from "./plan.ts";
import type { Subscription } from "./subscription.model.ts";
import type { PeriodUsage, UsageEntry } from "./usage.model.ts";

export interface Used {
  subscription: Subscription;
  reference: string;
  /** Millionths. */
  units: bigint;
  /** Epoch ms, by the business's clock; not before the anchor. */
  at: number;
}

/** A period to close; after the last one no usage is taken any more. */
export interface Closing {
  subscription: Subscription;
  period: number;
  isLast: boolean;
}

export type Wanted = Used | Closing;

export const NONE: PeriodUsage = { units: "0", late: "0" };
const BEFORE_ALL: Pick<UsageEntry, "seq" | "open" | "periods"> = { seq: -1, open: 0, periods: {} };

/**
 * Makes the entries that follow the last one of a log; null is that of an empty log.
 * @returns for each wanted its entry, the error that refuses it (USAGE_NOT_TAKEN if the last period
 *   is closed, CHARGE_BOUND), or null if its period is closed already
 */
export function entriesAfter(
  last: UsageEntry | null,
  all: Wanted[],
  newId: () => string,
): (UsageEntry | Error | null)[] {
  let before = last;
  return all.map((wanted) => {
    try {
      const entry = entryAfter(before, wanted, newId());
      before = entry ?? before;
      return entry;
    } catch (error) {
      return error as Error;
    }
  });
}

function entryAfter(last: UsageEntry | null, wanted: Wanted, id: string): UsageEntry | null {
  const { subscription } = wanted;
  const { seq, open, periods } = last ?? BEFORE_ALL;
  const place = {
    _id: id,
    subscriptionId: subscription._id,
    businessId: subscription.businessId,
    seq: seq + 1,
  };
  if ("isLast" in wanted) return closingEntry(place, wanted, { open, periods });
  if (open === null) return fail("USAGE_NOT_TAKEN");
  const { reference, units, at } = wanted;
  const own = periodAt(subscription, at);
  const period = Math.max(own, open);
  const isLate = own < open;
  const used = { units: String(units), late: String(isLate ? units : 0n) };
  const counted = addUsage(periods[period] ?? NONE, used);
  checkBound(subscription.plan, counted);
  const entry = { reference, units: String(units), at, period, isLate };
  return { ...place, open, periods: { ...periods, [period]: counted }, ...entry };
}

function closingEntry(
  place: Pick<UsageEntry, "_id" | "subscriptionId" | "businessId" | "seq">,
  { period, isLast }: Closing,
  { open, periods }: Pick<UsageEntry, "open" | "periods">,
): UsageEntry | null {
  if (open === null || open > period) return null;
  if (open < period) throw new Error(`Period ${open} of ${place.subscriptionId} is not closed yet`);
  const closed = periods[period] ?? NONE;
  const { [period]: _closed, ...later } = periods;
  const rest = isLast ? { open: null, periods: {} } : { open: period + 1, periods: later };
  return { ...place, ...rest, closes: period, closed };
}

/** @throws CHARGE_BOUND if the invoice of the usage would exceed the largest charge */
function checkBound(plan: Plan, usage: PeriodUsage): void {
  if (!isChargeable(plan, sumLines(usageLines(plan, usage)))) fail("CHARGE_BOUND");
}

function addUsage(one: PeriodUsage, other: PeriodUsage): PeriodUsage {
  const sum = (name: keyof PeriodUsage) => String(BigInt(one[name]) + BigInt(other[name]));
  return { units: sum("units"), late: sum("late") };
}
