// Sets the seats of a subscription with one compare-and-set, while other requests may change it
// too. The subscription's driver charges more seats if the plan charges them immediately.

import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import type { Creation } from "../../../shared/rpc/actions.ts";
import type { BillingDeps } from "./deps.ts";
import { nextAction } from "./due-dates.ts";
import { boundaryAt } from "./periods.ts";
import { changeSeats } from "./seat-changes.ts";
import type { Subscription } from "./subscription.model.ts";
import { changeSubscription, driveWithin, withRequest } from "./subscription-changes.ts";
import { showSubscription } from "./subscription-listing.ts";
import { subscriptionView } from "./subscription-views.ts";

/**
 * Sets the number of seats. If more seats are charged immediately, the caller waits for the outcome
 * as long as a customer does; the number counts with any outcome. While billing is held after a
 * restore, nothing is charged, and a change may name the moment at which it was made first.
 * @throws SUBSCRIPTION_NOT_FOUND, NOT_BILLED_BY_SEATS, SUBSCRIPTION_CANCELLED, TOO_MANY_CHANGES,
 *   CHARGE_BOUND; VALIDATION for a moment that it cannot have been made at; UNAVAILABLE if other
 *   requests changed the subscription at each try, so that the seats stay
 */
export async function setSeats(
  deps: BillingDeps,
  { seats, at, ...key }: Params<"payment-links.setSeats">,
  { id }: Pick<Creation, "id">,
): Promise<Result<"payment-links.setSeats">> {
  let isImmediate = false;
  const changed = await changeSubscription(deps, key, (found, now) => {
    // An earlier run of the request has changed the seats, and other requests may have since.
    if (found.requests?.includes(id)) return null;
    if (found.plan.charge.type !== "seating") fail("NOT_BILLED_BY_SEATS");
    const moment = at === undefined ? {} : { at: Date.parse(at) };
    checkNotEnded(found, moment.at ?? now);
    if (found.seats === seats) return null;
    const { change, set } = changeSeats(found, { seats, now, ...moment });
    isImmediate = change.isImmediate && found.heldSince === undefined;
    const requests = withRequest(found, id);
    return { set: { ...set, requests, dueAt: dueAfter(found, set, now) }, next: "now" };
  });
  const { subscription, isChanged, now } = changed ?? fail("UNAVAILABLE");
  if (isChanged && isImmediate) {
    await driveWithin(deps, subscription, deps.outcomeWithinMs);
    return showSubscription(deps, key);
  }
  // A driver at work loses the compare-and-set and stops; this one goes on.
  if (isChanged)
    void deps.subscriptions.machine.driveInBackground(subscription, { isFresh: false });
  return subscriptionView(subscription, now);
}

/** @throws SUBSCRIPTION_CANCELLED, also if the end has come and no driver has passed it yet */
function checkNotEnded(subscription: Subscription, at: number): void {
  const { status, endsAtBoundary } = subscription;
  const isOver = endsAtBoundary !== undefined && at >= boundaryAt(subscription, endsAtBoundary);
  if (status === "cancelled" || isOver) fail("SUBSCRIPTION_CANCELLED");
}

/**
 * When the subscription is due with its new seats; the driver decides it after an invoice under
 * way.
 */
function dueAfter(
  subscription: Subscription,
  set: Pick<Subscription, "seats" | "changes">,
  now: number,
): number | undefined {
  if (subscription.step !== "wait") return subscription.dueAt;
  const action = nextAction({ ...subscription, ...set });
  // Overdue periods are billed now, because time does not go back.
  return action ? Math.max(action.at, now) : undefined;
}
