// Invoices before they are issued: which one comes next, what is on it, and what of it a card is charged.
// Pure: the preview and the invoice are both made here, of the same facts. A total is the sum of its
// lines and never below 0: what an invoice cannot give back is carried to the next one.

import { feeOf, grossUp } from "../../../shared/fees.ts";
import { MAX_AMOUNT_MINOR } from "../../../shared/money.ts";
import type { InvoiceLine } from "./invoice.model.ts";
import {
  amountLine,
  baseFeeLine,
  carriedCredit,
  changeLine,
  earlierCredit,
  seatsLine,
  unitsLine,
} from "./invoice-lines.ts";
import { boundaryAt, periodOf } from "./periods.ts";
import type { Plan } from "./plan.ts";
import type { Issuing, SeatChange, Subscription } from "./subscription.model.ts";
import type { PeriodUsage } from "./usage.model.ts";

/** What lies between two moments; epoch ms, by the business's clock. */
interface Span {
  periodStart: number;
  periodEnd: number;
}

export interface Draft extends Span {
  lines: InvoiceLine[];
  /** The sum of the lines, 0 or more; in minor units. */
  totalMinor: number;
  /** What is left to give back after it, in minor units; 0 or more. */
  creditMinor: number;
  /** Ids of the seats' changes that are settled with it. */
  billed: string[];
}

/** Whether periods are billed at their end. */
export function isInArrears({ charge }: Plan): boolean {
  return charge.type === "consumption";
}

/**
 * What is issued next, as things stand; what is being issued already does not count.
 * - `seats:<change>`: seats that are charged at once
 * - `period:<k>`: period k, at its beginning or, where usage is billed, at its end
 * - `end`: what is left to be billed once it is cancelled
 * @returns null where nothing is. A boundary at which nothing is issued (the anchor where usage is
 *   billed; the one with which it ends) is passed all the same
 */
export function nextIssuing(subscription: Subscription): Issuing | null {
  const { step, boundary, changes, cancelledAt, endsAtBoundary } = subscription;
  if (step === "closed") return null;
  if (isInArrears(subscription.plan)) return nextInArrears(subscription);
  const next = boundaryAt(subscription, boundary);
  // What had begun by then is billed, however late somebody comes to it.
  if (cancelledAt !== undefined && cancelledAt < next) {
    return lastInAdvance(subscription, cancelledAt);
  }
  const immediate = changes.find(({ isImmediate, at }) => isImmediate && at < next);
  if (immediate) return { occasion: `seats:${immediate.id}`, at: immediate.at };
  const isOver = endsAtBoundary !== undefined && boundary >= endsAtBoundary;
  return isOver ? lastInAdvance(subscription, next) : { occasion: `period:${boundary}`, at: next };
}

/** What is not billed yet once it has ended; nothing is paid out that is left over. */
function lastInAdvance({ changes, creditMinor }: Subscription, at: number): Issuing | null {
  const left = changes.reduce((sum, { amountMinor }) => sum + amountMinor, -creditMinor);
  return left > 0 ? { occasion: "end", at } : null;
}

/** The last one may be cut short; what was used at the very moment of its beginning is billed too. */
function nextInArrears(subscription: Subscription): Issuing | null {
  const { cancelledAt, endsAtBoundary } = subscription;
  const end = endInArrears(subscription);
  if (endsAtBoundary !== undefined && end > endsAtBoundary) return null;
  const at = boundaryAt(subscription, end);
  if (cancelledAt === undefined || at <= cancelledAt) return { occasion: `period:${end - 1}`, at };
  const hasBegun = boundaryAt(subscription, end - 1) <= cancelledAt;
  return hasBegun ? { occasion: "end", at: cancelledAt } : null;
}

/** The boundary at which usage is billed next. */
function endInArrears({ boundary }: Subscription): number {
  return Math.max(1, boundary);
}

/** Which boundary is passed next once this is issued. */
export function boundaryAfter(subscription: Subscription, { occasion }: Issuing): number {
  const { boundary, plan } = subscription;
  if (occasion.startsWith("seats:")) return boundary;
  return (isInArrears(plan) ? endInArrears(subscription) : boundary) + 1;
}

/**
 * Which period's usage is billed with this, where usage is billed.
 * @returns its number, and whether nothing is billed after it
 */
export function usagePeriodOf(
  subscription: Subscription,
  { occasion }: Issuing,
): { period: number; isLast: boolean } {
  const end = endInArrears(subscription);
  const isLast = occasion === "end" || end === subscription.endsAtBoundary;
  return { period: end - 1, isLast };
}

/**
 * What is billed with this. It is the same whenever it is asked for, once the subscription is `issuing`
 * it and until the next boundary is stored.
 * @param usage of the period that is billed (usagePeriodOf); null where usage is not billed
 */
export function draftOf(
  subscription: Subscription,
  issuing: Issuing,
  usage: PeriodUsage | null,
): Draft {
  const span = spanOf(subscription, issuing);
  const changes = changesWith(subscription, issuing);
  const lines = [
    ...earlierCredit(subscription.creditMinor),
    ...(isInArrears(subscription.plan)
      ? usageLines(subscription, span, usage)
      : priceLines(subscription, issuing)),
    ...changes
      .filter(({ amountMinor }) => amountMinor !== 0)
      .map((change) => changeLine(subscription, change)),
  ];
  const sum = lines.reduce((total, { amountMinor }) => total + amountMinor, 0);
  const creditMinor = Math.max(0, -sum);
  return {
    ...span,
    lines: [...lines, ...carriedCredit(creditMinor)],
    totalMinor: Math.max(0, sum),
    creditMinor,
    billed: changes.map(({ id }) => id),
  };
}

/** The time that is paid for; of seats that are charged at once, the rest of their period. */
function spanOf(subscription: Subscription, issuing: Issuing): Span {
  const { occasion, at } = issuing;
  if (occasion.startsWith("seats:")) {
    const end = boundaryAt(subscription, periodOf(subscription, at) + 1);
    return { periodStart: at, periodEnd: end };
  }
  if (occasion.startsWith("period:")) {
    const k = Number(occasion.slice("period:".length));
    return { periodStart: boundaryAt(subscription, k), periodEnd: boundaryAt(subscription, k + 1) };
  }
  const last = isInArrears(subscription.plan)
    ? usagePeriodOf(subscription, issuing).period
    : Math.max(0, periodOf(subscription, at - 1));
  return { periodStart: boundaryAt(subscription, last), periodEnd: at };
}

/** The changes of seats that are settled with this: all that came before it, or all that are left. */
function changesWith({ changes }: Subscription, { occasion, at }: Issuing): SeatChange[] {
  if (occasion === "end") return changes;
  if (occasion.startsWith("period:")) return changes.filter((change) => change.at < at);
  const last = changes.findIndex(({ id }) => occasion === `seats:${id}`);
  return changes.slice(0, last + 1);
}

/** A period that has only just begun as it ends has no base fee. */
function usageLines(
  { _id: id, plan }: Subscription,
  { periodStart, periodEnd }: Span,
  usage: PeriodUsage | null,
): InvoiceLine[] {
  const details = plan.charge.consumptionDetails;
  if (!details || !usage)
    throw new Error(`${id} is billed by units, and has no such prices or usage`);
  const baseFee = periodEnd > periodStart ? baseFeeLine(details.baseFee) : [];
  return [...baseFee, unitsLine(details, usage)];
}

/** What a period costs that is billed in advance. */
function priceLines(subscription: Subscription, { occasion, at }: Issuing): InvoiceLine[] {
  if (!occasion.startsWith("period:")) return [];
  const { plan } = subscription;
  const { seatDetails } = plan.charge;
  if (!seatDetails) return [amountLine(subscription)];
  return [...baseFeeLine(seatDetails.baseFee), seatsLine(seatsAt(subscription, at), plan)];
}

/** As many as there were at that moment, whatever was changed since. */
function seatsAt({ changes, seats }: Subscription, at: number): number {
  return changes.find((change) => change.at >= at)?.from ?? seats;
}

/**
 * What a card is charged for a total, its fee, and what is left of it to be credited; in minor units.
 * Where the customer pays the fee it comes on top. Nothing is charged for nothing.
 */
export function chargeOf(
  { customerPays, fee }: Pick<Plan, "customerPays" | "fee">,
  totalMinor: number,
): { chargeMinor: number; feesMinor: number; amountMinor: number } {
  if (totalMinor === 0) return { chargeMinor: 0, feesMinor: 0, amountMinor: 0 };
  const chargeMinor = customerPays ? grossUp(fee, totalMinor) : totalMinor;
  const feesMinor = Math.min(feeOf(fee, chargeMinor), chargeMinor);
  return { chargeMinor, feesMinor, amountMinor: chargeMinor - feesMinor };
}

/** Whether a total is not more than can be charged, the fee on top included. */
export function isChargeable(plan: Pick<Plan, "customerPays" | "fee">, totalMinor: number) {
  if (totalMinor > MAX_AMOUNT_MINOR) return false;
  return chargeOf(plan, totalMinor).chargeMinor <= MAX_AMOUNT_MINOR;
}
