// A change of seats: what it is worth is fixed when it is made, by the plan's rule. A change lies after all
// that was decided before it, never in a period whose successor is being billed. Pure.

import { fail } from "../../../shared/errors.ts";
import { decidedUpTo } from "./due-dates.ts";
import { isChargeable } from "./invoice-draft.ts";
import { baseFeeLine, seatsLine, worthOf } from "./invoice-lines.ts";
import { boundaryAt } from "./periods.ts";
import type { SeatChange, Subscription } from "./subscription.model.ts";

/** Changes that are not billed yet; each is a line of an invoice. */
const MOST_CHANGES = 1_000;

interface Wanted {
  seats: number;
  /** Epoch ms, by the business's clock. */
  now: number;
  /** Of the change. */
  id: string;
}

/**
 * What changes of a subscription with its seats.
 * @returns also the change itself
 * @throws TOO_MANY_CHANGES; CHARGE_BOUND an invoice could be above what can be charged
 */
export function changedSeats(
  subscription: Subscription,
  wanted: Wanted,
): { change: SeatChange; set: Pick<Subscription, "seats" | "changes"> } {
  const change = changeTo(subscription, wanted);
  const { boundary } = subscription;
  // What is worth nothing is kept only where a boundary before it is still to be billed without it.
  const isKept = change.amountMinor !== 0 || change.at >= boundaryAt(subscription, boundary);
  const changes = isKept ? [...subscription.changes, change] : subscription.changes;
  if (changes.length > MOST_CHANGES) fail("TOO_MANY_CHANGES");
  const set = { seats: change.to, changes };
  const isMore = change.to > change.from;
  if (isMore && !isChargeable(subscription.plan, mostBilled({ ...subscription, ...set }))) {
    fail("CHARGE_BOUND");
  }
  return { change, set };
}

function changeTo(subscription: Subscription, { seats: to, now, id }: Wanted): SeatChange {
  const { changes, seats: from, plan } = subscription;
  const at = Math.max(now, decidedUpTo(subscription), changes.at(-1)?.at ?? 0);
  const billing = plan.charge.seatDetails?.newSeatBillingType;
  const amountMinor = billing === "next_cycle" ? 0 : worthOf(subscription, { at, from, to });
  return { id, at, from, to, amountMinor, isImmediate: billing === "immediate" && amountMinor > 0 };
}

/** No invoice to come is above this, unless there are still more seats; in minor units. */
function mostBilled({ seats, changes, plan }: Subscription): number {
  const most = Math.max(seats, ...changes.map(({ from }) => from));
  const baseFee = baseFeeLine(plan.charge.seatDetails?.baseFee);
  const amounts = [...baseFee, seatsLine(most, plan), ...changes];
  return amounts.reduce((sum, { amountMinor }) => sum + Math.max(0, amountMinor), 0);
}
