// Cancels a subscription, now or at the end of its period, with one compare-and-set. The steps do the rest
// (subscription-lifecycle.ts): an attempt under way is decided first. Where usage is billed, the usage up
// to the end is owed: it is billed, and collected with retries.

import type { Params, Result } from "../../../shared/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import type { Change } from "../../../shared/resumable/document.ts";
import type { BillingDeps } from "./deps.ts";
import { driveWithin } from "./drive-within.ts";
import { cutoff } from "./due-dates.ts";
import { boundaryAfter } from "./due-invoice.ts";
import { periodAt } from "./periods.ts";
import type { Subscription } from "./subscription.model.ts";
import { findSubscription } from "./subscription-listing.ts";
import { subscriptionView } from "./subscription-views.ts";

/** Tries of the compare-and-set, with a pause in between. */
const TRIES_AT_MOST = 20;
const PAUSE_AT_MOST_MS = 50;
/** How long the merchant waits for the driver; then the driver goes on alone. */
const DRIVEN_WITHIN_MS = 8_000;

/**
 * Cancels a subscription. One that ends with its period can still be cancelled now.
 * @throws SUBSCRIPTION_NOT_FOUND; SUBSCRIPTION_CANCELLED it is cancelled already; UNAVAILABLE nothing has
 *   changed
 */
export async function cancelSubscription(
  deps: BillingDeps,
  { businessId, id, at }: Params<"payment-links.cancelSubscription">,
): Promise<Result<"payment-links.cancelSubscription">> {
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    const subscription = await findSubscription(deps.subscriptions, { businessId, id });
    if (subscription.status === "cancelled") fail("SUBSCRIPTION_CANCELLED");
    const now = await deps.businessNow(businessId);
    if (at === "period_end" && subscription.endsAtBoundary !== undefined) {
      return subscriptionView(subscription, now);
    }
    const change = at === "now" ? cancelNow(subscription, now) : endWithPeriod(subscription, now);
    const changed = await deps.machine.transition(subscription, { ...change, isAlone: true });
    if (changed) {
      // The event of the cancellation leaves before the events of its last invoice.
      deps.machine.relay(changed);
      return subscriptionView(await driveWithin(deps, changed, DRIVEN_WITHIN_MS), now);
    }
    await deps.clock.sleep(deps.clock.random() * PAUSE_AT_MOST_MS);
  }
  return fail("UNAVAILABLE");
}

function cancelNow(subscription: Subscription, now: number): Change<Subscription> {
  const cancelledAt = Math.max(now, cutoff(subscription));
  return { set: { cancelledAt }, enter: ["cancelled"], next: "now" };
}

function endWithPeriod(subscription: Subscription, now: number): Change<Subscription> {
  const { boundary, issuing } = subscription;
  // Another node with a faster clock may have passed a boundary already.
  const next = issuing ? boundaryAfter(subscription, issuing.occasion) : boundary;
  const endsAtBoundary = Math.max(periodAt(subscription, now) + 1, next);
  return { set: { endsAtBoundary }, next: "now" };
}
