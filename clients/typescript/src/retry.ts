// The decision whether a failed attempt is repeated, and when. An attempt is only repeated if payrail
// cannot do the same thing twice: the method changes nothing, sets what is already set, or carries an
// Idempotency-Key.

import { setTimeout as sleep } from "node:timers/promises";
import { PayrailError } from "./errors.ts";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** A longer Retry-After is left to the caller, because a call that sleeps for a minute looks hung. */
const LONGEST_RETRY_AFTER_MS = 10_000;

const STATUSES = new Set([408, 429, 500, 502, 503, 504]);

/**
 * Tries until an attempt succeeds, fails for good, or was the last one.
 * @param retries the attempts after the first one
 * @throws the last attempt's error; the reason of the signal
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { retries, signal }: { retries: number; signal?: AbortSignal | undefined },
): Promise<T> {
  for (let done = 0; ; done++) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (done >= retries || !isWorthRepeating(error)) throw error;
      await waitAfter(done, error.retryAfterMs, signal);
    }
  }
}

/** Whether another attempt may have another outcome, and may come soon. */
function isWorthRepeating(error: unknown): error is PayrailError {
  if (!(error instanceof PayrailError)) return false;
  const { status, code, retryAfterMs = 0 } = error;
  if (retryAfterMs > LONGEST_RETRY_AFTER_MS) return false;
  return status === undefined || STATUSES.has(status) || code === "idempotency_key_in_use";
}

/**
 * Waits before the next attempt: twice as long each time, by up to a half shorter, so that many
 * clients do not come back at once; at least as long as payrail says.
 */
async function waitAfter(attempt: number, retryAfterMs = 0, signal?: AbortSignal): Promise<void> {
  const whole = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS);
  const waitMs = Math.max(whole * (0.5 + Math.random() / 2), retryAfterMs);
  // The loop throws the reason of a signal that ends the wait.
  await sleep(waitMs, undefined, { signal }).catch(() => undefined);
}

/** The wait of a Retry-After header in ms: seconds, or a date. */
export function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1_000) : undefined;
}
