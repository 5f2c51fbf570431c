// Dunning: when a declined invoice is tried again. Days count from the first decline; an attempt that a
// new payment method brought about in between takes none of them away. Where a retry comes late, because
// nothing ran, the next one follows a day later. Pure.

import { MAX_ATTEMPTS } from "../../../shared/contracts/subscriptions.ts";
import { isInArrears } from "./invoice-draft.ts";
import type { Collecting, Subscription } from "./subscription.model.ts";

const DAY_MS = 24 * 3_600_000;
const RETRIED_AFTER_DAYS = [1, 3, 5, 7];

type Declined = Collecting & { failedAt: number };

/** Whether an attempt at that moment (epoch ms) is one of the schedule. */
export function isScheduled({ failedAt, retries }: Collecting, now: number): boolean {
  const days = RETRIED_AFTER_DAYS[retries];
  return failedAt !== undefined && days !== undefined && now >= failedAt + days * DAY_MS;
}

/**
 * Whether what is declined is not tried again: nobody owes a period of service that was cancelled unpaid.
 * What was used is owed, and so is what was left to be billed at the end.
 */
export function isGivenUp({
  status,
  plan,
  collecting,
}: Pick<Subscription, "status" | "plan" | "collecting">): boolean {
  return status === "cancelled" && !isInArrears(plan) && collecting?.occasion !== "end";
}

/**
 * When the next attempt is due, after one was declined.
 * @param now epoch ms of the decline
 * @returns epoch ms; null where it was the last one
 */
export function nextTryAfter({ failedAt, retries, attempt }: Declined, now: number): number | null {
  const days = RETRIED_AFTER_DAYS[retries];
  if (days === undefined || attempt >= MAX_ATTEMPTS) return null;
  const planned = failedAt + days * DAY_MS;
  return planned > now ? planned : now + DAY_MS;
}
