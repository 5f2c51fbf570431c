// Sets the seats of a subscription with one compare-and-set, while other requests may change it too. The
// subscription's driver charges more seats where the plan charges them at once.

import type { Params, Result } from "../../../shared/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import type { BillingDeps } from "./deps.ts";
import { driveWithin } from "./drive-within.ts";
import { nextAction } from "./due-dates.ts";
import { boundaryAt } from "./periods.ts";
import { changeSeats } from "./seat-changes.ts";
import type { Subscription } from "./subscription.model.ts";
import { findSubscription } from "./subscription-listing.ts";
import { subscriptionView } from "./subscription-views.ts";

type View = Result<"payment-links.setSeats">;

/** Tries of the compare-and-set, with a pause in between. */
const TRIES_AT_MOST = 100;
const PAUSE_AT_MOST_MS = 20;

/**
 * Sets the number of seats. Where more seats are charged at once, the caller waits for the outcome as long
 * as a customer does; the number counts with any outcome.
 * @throws SUBSCRIPTION_NOT_FOUND, NOT_BILLED_BY_SEATS, SUBSCRIPTION_CANCELLED, TOO_MANY_CHANGES,
 *   CHARGE_BOUND; UNAVAILABLE too many other requests changed it at the same time, and this one did not
 */
export async function setSeats(
  deps: BillingDeps,
  { businessId, id, seats }: Params<"payment-links.setSeats">,
): Promise<View> {
  const key = { businessId, id };
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    const subscription = await findSubscription(deps.subscriptions, key);
    if (subscription.plan.charge.type !== "seating") fail("NOT_BILLED_BY_SEATS");
    const now = await deps.businessNow(businessId);
    checkNotEnded(subscription, now);
    if (subscription.seats === seats) return subscriptionView(subscription, now);
    const { change, set } = changeSeats(subscription, { seats, now, id: deps.newId() });
    const dueAt = dueAfter(subscription, set, now);
    const changed = await deps.machine.transition(subscription, {
      set: { ...set, dueAt },
      next: "now",
      // A caller that does not learn of its success would change the seats a second time.
      isAlone: true,
    });
    if (changed && change.isImmediate) {
      await driveWithin(deps, changed, deps.outcomeWithinMs);
      const charged = await findSubscription(deps.subscriptions, key);
      return subscriptionView(charged, await deps.businessNow(businessId));
    }
    if (changed) {
      // A driver at work loses the compare-and-set and stops; this one goes on.
      deps.machine.driveOn(changed);
      return subscriptionView(changed, now);
    }
    await deps.clock.sleep(deps.clock.random() * PAUSE_AT_MOST_MS);
  }
  return fail("UNAVAILABLE");
}

/** @throws SUBSCRIPTION_CANCELLED, also where the end has come and no driver has passed it yet */
function checkNotEnded(subscription: Subscription, now: number): void {
  const { status, endsAtBoundary } = subscription;
  const isOver = endsAtBoundary !== undefined && now >= boundaryAt(subscription, endsAtBoundary);
  if (status === "cancelled" || isOver) fail("SUBSCRIPTION_CANCELLED");
}

/** When the subscription is due with its new seats; the driver decides it after an invoice under way. */
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
