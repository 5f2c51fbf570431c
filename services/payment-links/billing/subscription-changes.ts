// Changes that requests make to a subscription, and the drive for which a caller waits. The
// subscription is stored, so its driver goes on when the caller waits no longer.

import { LATE } from "../../../shared/clock.ts";
import type { Change } from "../../../shared/resumable/document.ts";
import { currentOrigin } from "../../../shared/rpc/origin.ts";
import type { BillingDeps } from "./deps.ts";
import type { Subscription } from "./subscription.model.ts";
import { findSubscription, type Key } from "./subscription-listing.ts";

/** Far more than the requests that may arrive between a request and its repeat. */
const REQUESTS_KEPT = 20;

/** Tries of the compare-and-set, with a pause in between. */
const TRIES_AT_MOST = 100;
const PAUSE_AT_MOST_MS = 20;

interface Changed {
  subscription: Subscription;
  /** Whether the compare-and-set of this request was made, and is known to have been. */
  isChanged: boolean;
  /** Epoch ms by the business's clock, at which the change was decided. */
  now: number;
}

/**
 * Changes a subscription of a business with one compare-and-set, while other writers may change it
 * too.
 * @param decide the change of the stored subscription; null leaves it as it is
 * @returns null if others changed the subscription each time
 * @throws SUBSCRIPTION_NOT_FOUND
 */
export async function changeSubscription(
  deps: BillingDeps,
  key: Key,
  decide: (subscription: Subscription, now: number) => Change<Subscription> | null,
): Promise<Changed | null> {
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    const found = await findSubscription(deps, key);
    const now = await deps.businessNow(key.businessId);
    const change = decide(found, now);
    if (!change) return { subscription: found, isChanged: false, now };
    const set = { ...change.set, origin: currentOrigin() };
    // A caller that does not learn of its success would make the change a second time.
    const changed = await deps.subscriptions.machine.transitionAlone(found, { ...change, set });
    if (changed) return { subscription: changed, isChanged: true, now };
    await deps.clock.sleep(deps.clock.random() * PAUSE_AT_MOST_MS);
  }
  return null;
}

/** Adds a request to a subscription's last requests, so that its repeat changes nothing. */
export function withRequest({ requests = [] }: Subscription, id: string): string[] {
  return [...requests, id].slice(-REQUESTS_KEPT);
}

/**
 * Drives a subscription as far as it comes.
 * @param withinMs how long the caller waits
 * @returns the driven subscription; the given one if the drive takes longer or fails
 */
export async function driveWithin(
  { subscriptions, clock, log }: BillingDeps,
  subscription: Subscription,
  withinMs: number,
): Promise<Subscription> {
  const driving = subscriptions.machine
    .drive(subscription, { isFresh: false })
    .catch((error: unknown) => {
      log.warn("A subscription is driven later", { id: subscription._id, error });
      return subscription;
    });
  const driven = await clock.within(driving, withinMs);
  return driven === LATE ? subscription : driven;
}
