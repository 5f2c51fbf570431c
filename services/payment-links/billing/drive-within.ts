// Drives a subscription while a caller waits for the result. The subscription is stored, so its driver goes
// on when the caller waits no longer.

import { LATE } from "../../../shared/clock.ts";
import type { BillingDeps } from "./deps.ts";
import type { Subscription } from "./subscription.model.ts";

/**
 * Drives a subscription as far as it comes.
 * @param withinMs how long the caller waits
 * @returns the driven subscription; the given one where the drive takes longer or fails
 */
export async function driveWithin(
  { machine, clock, log }: BillingDeps,
  subscription: Subscription,
  withinMs: number,
): Promise<Subscription> {
  const driving = machine.drive(subscription, false).catch((error: unknown) => {
    log.warn("A subscription is driven later", { id: subscription._id, error });
    return subscription;
  });
  const driven = await clock.within(driving, withinMs);
  return driven === LATE ? subscription : driven;
}
