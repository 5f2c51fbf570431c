// Cancelling a subscription, at once or with the end of its period. It is one compare-and-set; what
// follows from it, the steps know (subscription-lifecycle.ts): an attempt under way is decided first, and
// where usage is billed what was used is owed: it is billed to the end, and collected on the schedule.

import type { Params, Result } from "../../../shared/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import type { Change } from "../../../shared/resumable/document.ts";
import type { BillingDeps } from "./billing-deps.ts";
import { decidedUpTo } from "./due-dates.ts";
import { follow } from "./follow.ts";
import { boundaryAfter } from "./invoice-draft.ts";
import { periodOf } from "./periods.ts";
import type { Subscription } from "./subscription.model.ts";
import { findSubscription } from "./subscription-listing.ts";
import { subscriptionView } from "./subscription-views.ts";

/** How often it is tried anew where the subscription changed in between. */
const TRIES_AT_MOST = 20;
const PAUSE_AT_MOST_MS = 50;
/** How long the merchant waits for what follows; it goes on by itself. */
const FOLLOWED_WITHIN_MS = 8_000;

/**
 * Cancels a subscription. Cancelled with the end of its period, it may still be cancelled at once.
 * @throws SUBSCRIPTION_NOT_FOUND; SUBSCRIPTION_CANCELLED it is already; UNAVAILABLE nothing has changed
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
    const change = at === "now" ? ended(subscription, now) : endsWithPeriod(subscription, now);
    const changed = await deps.machine.transition(subscription, { ...change, isAlone: true });
    if (changed) {
      // That it is cancelled is on its way before what is billed because of it.
      deps.machine.relay(changed);
      return subscriptionView(await follow(deps, changed, FOLLOWED_WITHIN_MS), now);
    }
    await deps.clock.sleep(deps.clock.random() * PAUSE_AT_MOST_MS);
  }
  return fail("UNAVAILABLE");
}

function ended(subscription: Subscription, now: number): Change<Subscription> {
  const cancelledAt = Math.max(now, decidedUpTo(subscription));
  return { set: { cancelledAt }, enter: ["cancelled"], next: "now" };
}

function endsWithPeriod(subscription: Subscription, now: number): Change<Subscription> {
  const { boundary, issuing } = subscription;
  // Nodes' clocks differ: a boundary that one of them has passed is passed.
  const next = issuing ? boundaryAfter(subscription, issuing) : boundary;
  const endsAtBoundary = Math.max(periodOf(subscription, now) + 1, next);
  return { set: { endsAtBoundary }, next: "now" };
}
