// Retries of failed attempts. Every request of the client may be repeated: a GET changes nothing, a
// repeated PATCH or DELETE has the same effect, and a POST carries an Idempotency-Key.

import { PayrailError } from "./errors.ts";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** A call fails after a longer Retry-After, because a call that sleeps for a minute looks hung. */
const LONGEST_RETRY_AFTER_MS = 10_000;

const STATUSES = new Set([408, 429, 500, 502, 503, 504]);

/**
 * Repeats an attempt until it succeeds, until its error allows no repeat, or until the last try.
 * @param options `retries`: the greatest number of attempts after the first one
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

/** Whether another attempt may succeed, and payrail asks for no long wait. */
function isWorthRepeating(error: unknown): error is PayrailError {
  if (!(error instanceof PayrailError)) return false;
  const { status, code, retryAfterMs = 0 } = error;
  if (retryAfterMs > LONGEST_RETRY_AFTER_MS) return false;
  return status === undefined || STATUSES.has(status) || code === "idempotency_key_in_use";
}

/**
 * Waits before the next attempt. The wait doubles with each attempt, and is shortened by a random
 * part of up to a half, because many clients would otherwise return immediately. It is at least as
 * long as payrail asks for.
 */
async function waitAfter(attempt: number, retryAfterMs = 0, signal?: AbortSignal): Promise<void> {
  const whole = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS);
  const waitMs = Math.max(whole * (0.5 + Math.random() / 2), retryAfterMs);
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, waitMs);
    // The loop throws the reason of the signal.
    signal?.addEventListener("abort", end);
  });
}

/**
 * Reads the wait of a Retry-After header (RFC 9110, 10.2.3).
 * @param value seconds or a date
 * @returns ms; undefined for a missing or malformed header
 */
export function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1_000) : undefined;
}
