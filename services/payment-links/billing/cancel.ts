// Cancels a subscription, now or at the end of its period, with one compare-and-set. The steps do
// the rest (subscription-lifecycle.ts): an attempt under way is decided first. If usage is billed,
// the usage up to the end is owed: it is billed, and collected with retries.

import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import type { Change } from "../../../shared/resumable/document.ts";
import type { Creation } from "../../../shared/rpc/actions.ts";
import type { BillingDeps } from "./deps.ts";
import { cutoff, lastEventAt } from "./due-dates.ts";
import { boundaryAfter } from "./due-invoice.ts";
import { checkRepeated } from "./hold.ts";
import { periodAt } from "./periods.ts";
import type { Subscription } from "./subscription.model.ts";
import { changeSubscription, driveWithin, withRequest } from "./subscription-changes.ts";
import { subscriptionView } from "./subscription-views.ts";

/** How long the merchant waits for the driver; then the driver goes on alone. */
const DRIVEN_WITHIN_MS = 8_000;

/**
 * Cancels a subscription. One that ends with its period can still be cancelled now.
 * While billing is held after a restore, a cancellation may name the moment of its first request.
 * @throws SUBSCRIPTION_NOT_FOUND; SUBSCRIPTION_CANCELLED it is cancelled already; VALIDATION for a
 *   moment that it cannot have been asked at; UNAVAILABLE nothing has changed
 */
export async function cancelSubscription(
  deps: BillingDeps,
  { at, askedAt, ...key }: Params<"payment-links.cancelSubscription">,
  { id }: Pick<Creation, "id">,
): Promise<Result<"payment-links.cancelSubscription">> {
  const changed = await changeSubscription(deps, key, (subscription, now) => {
    // An earlier run of the request has cancelled it.
    if (subscription.requests?.includes(id)) return null;
    if (subscription.status === "cancelled") fail("SUBSCRIPTION_CANCELLED");
    if (at !== "now" && subscription.endsAtBoundary !== undefined) return null;
    const moment = askedAt === undefined ? now : repeated(subscription, Date.parse(askedAt), now);
    const cancel = at === "now" ? cancelNow : endWithPeriod;
    const change = cancel(subscription, moment);
    return { ...change, set: { ...change.set, requests: withRequest(subscription, id) } };
  });
  const { subscription, isChanged, now } = changed ?? fail("UNAVAILABLE");
  if (!isChanged) return subscriptionView(subscription, now);
  // The event of the cancellation leaves before the events of its last invoice.
  void deps.subscriptions.machine.relay(subscription);
  return subscriptionView(await driveWithin(deps, subscription, DRIVEN_WITHIN_MS), now);
}

function repeated(subscription: Subscription, at: number, now: number): number {
  const earliest = lastEventAt(subscription);
  return checkRepeated(subscription, { field: "askedAt", at, earliest, now });
}

function cancelNow(subscription: Subscription, now: number): Change<Subscription> {
  const cancelledAt = Math.max(now, cutoff(subscription));
  return { set: { cancelledAt }, enter: ["cancelled"], next: "now" };
}

function endWithPeriod(subscription: Subscription, now: number): Change<Subscription> {
  return { set: { endsAtBoundary: endOfPeriod(subscription, now) }, next: "now" };
}

/** The boundary at which the period ends that runs or is billed already. */
export function endOfPeriod(subscription: Subscription, now: number): number {
  const { boundary, issuing } = subscription;
  // Another node with a faster clock may have passed a boundary already.
  const next = issuing ? boundaryAfter(subscription, issuing.occasion) : boundary;
  return Math.max(periodAt(subscription, now) + 1, next);
}
