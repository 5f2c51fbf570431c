// The invoice that is due: which occasion a subscription bills next, and the scope of that invoice.
// Pure.

import { formatOccasion, type Occasion, parseOccasion } from "./occasion.ts";
import { boundaryAt, periodAt } from "./periods.ts";
import { isInArrears } from "./plan.ts";
import type { Issuing, SeatChange, Subscription } from "./subscription.model.ts";

/** The facts that decide which invoice is due next, and its content, besides its usage. */
export type Billable = Pick<
  Subscription,
  | "name"
  | "plan"
  | "anchorAt"
  | "step"
  | "boundary"
  | "seats"
  | "changes"
  | "creditMinor"
  | "cancelledAt"
  | "endsAtBoundary"
>;

/**
 * The invoice that is issued next, besides one that is being issued already.
 * @returns null if no invoice is due. The subscription also passes boundaries at which no invoice
 *   is due: the anchor if usage is billed, and the boundary that ends the subscription
 */
export function nextDue(state: Billable): Issuing | null {
  if (state.step === "closed") return null;
  return isInArrears(state.plan) ? nextInArrears(state) : nextInAdvance(state);
}

/** The last period may be cut short; usage at the very time of its beginning is billed too. */
function nextInArrears(state: Billable): Issuing | null {
  const { cancelledAt, endsAtBoundary } = state;
  const end = billedBoundary(state);
  if (endsAtBoundary !== undefined && end > endsAtBoundary) return null;
  const at = boundaryAt(state, end);
  if (cancelledAt === undefined || at <= cancelledAt) {
    return { occasion: formatOccasion({ kind: "period", period: end - 1 }), at };
  }
  const hasBegun = boundaryAt(state, end - 1) <= cancelledAt;
  return hasBegun ? { occasion: formatOccasion({ kind: "end" }), at: cancelledAt } : null;
}

function nextInAdvance(state: Billable): Issuing | null {
  const { boundary, changes, creditMinor, cancelledAt, endsAtBoundary } = state;
  const at = boundaryAt(state, boundary);
  // What is charged immediately has its own invoice, and so its own key at the acquirer, even if
  // its driver comes after the cancellation.
  const immediate = changes.find((change) => change.isImmediate && change.at < at);
  if (immediate) {
    const { id: changeId, at: changedAt } = immediate;
    return { occasion: formatOccasion({ kind: "seats", changeId }), at: changedAt };
  }
  // A period that began before the cancellation is billed, even if its driver comes late.
  const isCancelled = cancelledAt !== undefined && cancelledAt < at;
  const isOver = endsAtBoundary !== undefined && boundary >= endsAtBoundary;
  if (!isCancelled && !isOver) {
    return { occasion: formatOccasion({ kind: "period", period: boundary }), at };
  }
  // The changes of seats that are left are billed at the end; credit that is left is not paid out.
  const leftMinor = changes.reduce((sum, { amountMinor }) => sum + amountMinor, -creditMinor);
  if (leftMinor <= 0) return null;
  return { occasion: formatOccasion({ kind: "end" }), at: isCancelled ? cancelledAt : at };
}

/**
 * The boundary at which the next period is billed: its beginning, or its end if usage is billed.
 */
function billedBoundary({ plan, boundary }: Billable): number {
  return isInArrears(plan) ? Math.max(1, boundary) : boundary;
}

/** The boundary that is passed next once the occasion is billed. */
export function boundaryAfter(state: Billable, occasion: string): number {
  const { kind } = parseOccasion(occasion);
  return kind === "seats" ? state.boundary : billedBoundary(state) + 1;
}

/** The scope of an invoice: the time, the usage and the changes of seats that it bills. */
export interface InvoiceScope {
  occasion: Occasion;
  /** Epoch ms by the business's clock, both. */
  periodStart: number;
  periodEnd: number;
  /** The period of which usage is billed; null if usage is not billed. */
  usagePeriod: number | null;
  isLastUsage: boolean;
  changes: SeatChange[];
  /** Seats at the beginning of the period. */
  seats: number;
  /** The boundary that the subscription passes next, once the invoice is issued. */
  nextBoundary: number;
}

/**
 * The scope of an invoice that is due. It stays the same from the time at which the subscription
 * stores that it is issuing the invoice until it stores the next boundary.
 */
export function scopeInvoice(state: Billable, due: Issuing): InvoiceScope {
  const occasion = parseOccasion(due.occasion);
  const { at } = due;
  const { changes, seats } = state;
  const isByUsage = isInArrears(state.plan);
  const end = billedBoundary(state);
  return {
    occasion,
    ...coveredTime(state, occasion, at),
    usagePeriod: isByUsage ? end - 1 : null,
    isLastUsage: isByUsage && (occasion.kind === "end" || end === state.endsAtBoundary),
    changes: settledChanges(changes, occasion, at),
    // A change at or after the beginning of the period does not count yet.
    seats: changes.find((change) => change.at >= at)?.from ?? seats,
    nextBoundary: boundaryAfter(state, due.occasion),
  };
}

type Span = Pick<InvoiceScope, "periodStart" | "periodEnd">;

/** The time that is paid for; for seats that are charged immediately, the rest of their period. */
function coveredTime(state: Billable, occasion: Occasion, at: number): Span {
  switch (occasion.kind) {
    case "seats":
      return { periodStart: at, periodEnd: boundaryAt(state, periodAt(state, at) + 1) };
    case "period": {
      const { period } = occasion;
      return { periodStart: boundaryAt(state, period), periodEnd: boundaryAt(state, period + 1) };
    }
    case "end": {
      const last = isInArrears(state.plan)
        ? billedBoundary(state) - 1
        : Math.max(0, periodAt(state, at - 1));
      return { periodStart: boundaryAt(state, last), periodEnd: at };
    }
  }
}

/** All changes before the invoice or, at the end, all that are left. */
function settledChanges(changes: SeatChange[], occasion: Occasion, at: number): SeatChange[] {
  switch (occasion.kind) {
    case "seats":
      return changes.slice(0, changes.findIndex(({ id }) => id === occasion.changeId) + 1);
    case "period":
      return changes.filter((change) => change.at < at);
    case "end":
      return changes;
  }
}
