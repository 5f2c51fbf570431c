// Invoices before they are issued. The preview and the invoice are both drafted here, from the same facts.
// A total is the sum of its lines and never below 0: credit that an invoice cannot give back is carried
// to the next one. Pure.

import { billedBoundary, boundaryAfter } from "./due-dates.ts";
import type { InvoiceLine } from "./invoice.model.ts";
import {
  carriedCredit,
  changeLine,
  earlierCredit,
  priceLines,
  sumLines,
  usageLines,
} from "./invoice-lines.ts";
import type { Due, Occasion } from "./occasion.ts";
import { boundaryAt, type Periodic, periodAt } from "./periods.ts";
import { isInArrears } from "./plan.ts";
import type { SeatChange, Subscription } from "./subscription.model.ts";
import type { PeriodUsage } from "./usage.model.ts";

/** The facts that an invoice is drafted from. */
type Account = Periodic &
  Pick<Subscription, "name" | "boundary" | "seats" | "changes" | "creditMinor" | "endsAtBoundary">;

/** The scope of an invoice: the time, the usage and the changes of seats that it bills. */
export interface Scope {
  occasion: Occasion;
  /** Epoch ms by the business's clock, both. */
  periodStart: number;
  periodEnd: number;
  /** The period of which usage is billed; null where usage is not billed. */
  usagePeriod: number | null;
  /** No later usage is billed. */
  isLastUsage: boolean;
  /** The changes of seats that the invoice settles. */
  changes: SeatChange[];
  /** Seats at the beginning of the period. */
  seats: number;
  /** The boundary that the subscription passes next, once the invoice is issued. */
  nextBoundary: number;
}

export interface Draft {
  lines: InvoiceLine[];
  /** The sum of the lines, 0 or more; in minor units. */
  totalMinor: number;
  /** The credit that is left after it, in minor units; 0 or more. */
  creditMinor: number;
}

/**
 * The scope of an invoice that is due. It stays the same from the time at which the subscription stores
 * that it is issuing the invoice until it stores the next boundary.
 */
export function scopeInvoice(account: Account, due: Due): Scope {
  const { occasion, at } = due;
  const { changes, seats } = account;
  const isByUsage = isInArrears(account.plan);
  const end = billedBoundary(account);
  return {
    occasion,
    ...coveredTime(account, due),
    usagePeriod: isByUsage ? end - 1 : null,
    isLastUsage: isByUsage && (occasion.kind === "end" || end === account.endsAtBoundary),
    changes: settledChanges(changes, due),
    // A change at or after the beginning of the period does not count yet.
    seats: changes.find((change) => change.at >= at)?.from ?? seats,
    nextBoundary: boundaryAfter(account, occasion),
  };
}

type Span = Pick<Scope, "periodStart" | "periodEnd">;

/** The time that is paid for; for seats that are charged at once, the rest of their period. */
function coveredTime(account: Account, { occasion, at }: Due): Span {
  switch (occasion.kind) {
    case "seats":
      return { periodStart: at, periodEnd: boundaryAt(account, periodAt(account, at) + 1) };
    case "period": {
      const { period } = occasion;
      return {
        periodStart: boundaryAt(account, period),
        periodEnd: boundaryAt(account, period + 1),
      };
    }
    case "end": {
      const last = isInArrears(account.plan)
        ? billedBoundary(account) - 1
        : Math.max(0, periodAt(account, at - 1));
      return { periodStart: boundaryAt(account, last), periodEnd: at };
    }
  }
}

/** All changes before the invoice or, at the end, all that are left. */
function settledChanges(changes: SeatChange[], { occasion, at }: Due): SeatChange[] {
  switch (occasion.kind) {
    case "seats":
      return changes.slice(0, changes.findIndex(({ id }) => id === occasion.changeId) + 1);
    case "period":
      return changes.filter((change) => change.at < at);
    case "end":
      return changes;
  }
}

/**
 * The draft of an invoice.
 * @param usage of the period in the scope; null where usage is not billed
 */
export function draftInvoice(
  account: Pick<Account, "name" | "plan" | "anchorAt" | "creditMinor">,
  scope: Scope,
  usage: PeriodUsage | null,
): Draft {
  const lines = [
    ...earlierCredit(account.creditMinor),
    ...periodLines(account, scope, usage),
    ...scope.changes
      .filter(({ amountMinor }) => amountMinor !== 0)
      .map((change) => changeLine(account, change)),
  ];
  const sum = sumLines(lines);
  const creditMinor = Math.max(0, -sum);
  return {
    lines: [...lines, ...carriedCredit(creditMinor)],
    totalMinor: Math.max(0, sum),
    creditMinor,
  };
}

/** The usage of a period, or the price of one that is billed in advance. */
function periodLines(
  { name, plan }: Pick<Account, "name" | "plan">,
  { occasion, periodStart, periodEnd, seats, usagePeriod }: Scope,
  usage: PeriodUsage | null,
): InvoiceLine[] {
  if (usagePeriod !== null) {
    if (!usage) throw new Error(`The usage of period ${usagePeriod} is missing`);
    return usageLines(plan, usage, periodStart === periodEnd);
  }
  return occasion.kind === "period" ? priceLines(name, plan, seats) : [];
}
