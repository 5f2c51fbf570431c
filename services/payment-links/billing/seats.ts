// Setting the seats of a subscription: one compare-and-set, whoever else changes it at the same time. More
// seats that are charged at once are charged by the subscription's own driver.

import type { Params, Result } from "../../../shared/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import type { BillingDeps } from "./billing-deps.ts";
import { dueOf } from "./due-dates.ts";
import { follow } from "./follow.ts";
import { boundaryAt } from "./periods.ts";
import { changedSeats } from "./seat-changes.ts";
import type { Subscription } from "./subscription.model.ts";
import { findSubscription } from "./subscription-listing.ts";
import { subscriptionView } from "./subscription-views.ts";

type View = Result<"payment-links.setSeats">;
type Key = Pick<Params<"payment-links.setSeats">, "businessId" | "id">;

/** How often it is tried again where others changed the subscription first. */
const TRIES_AT_MOST = 100;
const PAUSE_AT_MOST_MS = 20;

/**
 * Sets the number of seats. Where more of them are charged at once, it waits for the outcome, as long as
 * a customer would; the number counts whatever the outcome is.
 * @throws SUBSCRIPTION_NOT_FOUND, NOT_BILLED_BY_SEATS, SUBSCRIPTION_CANCELLED, TOO_MANY_CHANGES,
 *   CHARGE_BOUND; UNAVAILABLE where too many others change it at the same time: nothing was changed
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
    refuseEnded(subscription, now);
    if (subscription.seats === seats) return subscriptionView(subscription, now);
    const { change, set } = changedSeats(subscription, { seats, now, id: deps.newId() });
    const dueAt = dueWith(subscription, set, now);
    const changed = await deps.machine.transition(subscription, {
      set: { ...set, dueAt },
      next: "now",
      // Whoever did not hear that it was it would change them once more.
      isAlone: true,
    });
    if (changed && change.isImmediate) return charged(deps, key, changed);
    if (changed) {
      // Whoever drove it has lost the race, and this goes on in its place.
      deps.machine.driveOn(changed);
      return subscriptionView(changed, now);
    }
    await deps.clock.sleep(deps.clock.random() * PAUSE_AT_MOST_MS);
  }
  return fail("UNAVAILABLE");
}

/** @throws SUBSCRIPTION_CANCELLED, also where its end has come and nobody has passed it yet */
function refuseEnded(subscription: Subscription, now: number): void {
  const { status, endsAtBoundary } = subscription;
  const isOver = endsAtBoundary !== undefined && now >= boundaryAt(subscription, endsAtBoundary);
  if (status === "cancelled" || isOver) fail("SUBSCRIPTION_CANCELLED");
}

/** While an invoice is under way, when something is due is decided after it. */
function dueWith(
  subscription: Subscription,
  set: Pick<Subscription, "seats" | "changes">,
  now: number,
): number | undefined {
  if (subscription.step !== "wait") return subscription.dueAt;
  const due = dueOf({ ...subscription, ...set });
  // Periods that have waited are billed now: time does not go back.
  return due === null ? undefined : Math.max(due, now);
}

/** Charges what is to be charged at once, and waits for it. */
async function charged(deps: BillingDeps, key: Key, changed: Subscription): Promise<View> {
  await follow(deps, changed, deps.payments.outcomeWithinMs);
  const subscription = await findSubscription(deps.subscriptions, key);
  return subscriptionView(subscription, await deps.businessNow(key.businessId));
}
