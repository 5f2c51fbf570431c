// Driving a subscription while somebody waits for what comes of it. It is stored, and goes on by itself.

import { LATE } from "../../../shared/clock.ts";
import type { BillingDeps } from "./billing-deps.ts";
import type { Subscription } from "./subscription.model.ts";

/**
 * Drives a subscription as far as it comes.
 * @param withinMs how long somebody waits
 * @returns it as it is then; as it was where that took longer, or failed
 */
export async function follow(
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
