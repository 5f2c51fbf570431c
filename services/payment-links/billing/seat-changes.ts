// Changes of seats. The amount of a change is fixed when it is made, by the rule of the plan. A
// change is placed after all that is decided, and never in a period while the next one is being
// billed. Pure.

import { fail } from "../../../shared/errors.ts";
import { isChargeable } from "../links/charge-amounts.ts";
import { lastEventAt } from "./due-dates.ts";
import { checkRepeated } from "./hold.ts";
import { prorate, seatLines } from "./invoice-lines.ts";
import { boundaryAt } from "./periods.ts";
import type { Plan } from "./plan.ts";
import type { SeatChange, Subscription } from "./subscription.model.ts";

/** Changes that are not billed yet; each becomes a line of an invoice. */
const MOST_CHANGES = 1_000;

interface Wanted {
  seats: number;
  /** Epoch ms, by the business's clock. */
  now: number;
  /** The moment of a change that is repeated after a restore, epoch ms by the business's clock. */
  at?: number;
}

/**
 * Changes the seats of a subscription.
 * @returns the change, and the fields of the subscription that follow from it
 * @throws TOO_MANY_CHANGES; CHARGE_BOUND an invoice could exceed the largest charge; VALIDATION it
 *   cannot have been made at the given moment
 */
export function changeSeats(
  subscription: Subscription,
  wanted: Wanted,
): { change: SeatChange; set: Pick<Subscription, "seats" | "seatChanges" | "changes"> } {
  const change = newChange(subscription, wanted);
  const { boundary, plan } = subscription;
  // A change of 0 is kept only while a boundary before it is still to be billed without it.
  const isKept = change.amountMinor !== 0 || change.at >= boundaryAt(subscription, boundary);
  const changes = isKept ? [...subscription.changes, change] : subscription.changes;
  if (changes.length > MOST_CHANGES) fail("TOO_MANY_CHANGES");
  const { from, to: seats } = change;
  if (seats > from && !isChargeable(plan, mostBilled(plan, seats, changes))) fail("CHARGE_BOUND");
  return { change, set: { seats, seatChanges: nextNumber(subscription), changes } };
}

function nextNumber({ seatChanges = 0 }: Subscription): number {
  return seatChanges + 1;
}

/**
 * The change is named by what it changes, and not by the request, because the acquirer's key of its
 * charge comes from the name: if a restored system is asked for the same changes again, it asks for
 * the same charges.
 */
function newChange(subscription: Subscription, { seats: to, now, at: asked }: Wanted): SeatChange {
  const { seats: from, plan } = subscription;
  const id = `${nextNumber(subscription)}-${from}-${to}`;
  const earliest = lastEventAt(subscription);
  const at =
    asked === undefined
      ? Math.max(now, earliest)
      : checkRepeated(subscription, { field: "at", at: asked, earliest, now });
  const billing = plan.charge.seatDetails?.newSeatBillingType;
  const amountMinor = billing === "next_cycle" ? 0 : prorate(subscription, { at, from, to });
  return { id, at, from, to, amountMinor, isImmediate: billing === "immediate" && amountMinor > 0 };
}

/** The largest total of an invoice while no more seats are added; in minor units. */
function mostBilled(plan: Plan, seats: number, changes: SeatChange[]): number {
  const most = Math.max(seats, ...changes.map(({ from }) => from));
  const amounts = [...seatLines(plan, most), ...changes];
  return amounts.reduce((sum, { amountMinor }) => sum + Math.max(0, amountMinor), 0);
}
