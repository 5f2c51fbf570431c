// The retry schedule of failed deliveries. Pure.

import { RETRY_JITTER } from "../../../shared/config/env.ts";

const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/**
 * The wait after a failed attempt, in milliseconds; null at the end of the schedule.
 * @param scheduleMs waits before the attempts after the first; each is changed by up to 20 %
 * @param failures the number of failed attempts, including this one
 * @param retryAfterMs the receiver's Retry-After; it can only lengthen the wait
 * @param random in [0, 1)
 */
export function retryWaitMs(
  scheduleMs: number[],
  failures: number,
  retryAfterMs: number | null,
  random: number,
): number | null {
  const wait = scheduleMs[failures - 1];
  if (wait === undefined) return null;
  const spread = wait * (1 - RETRY_JITTER + 2 * RETRY_JITTER * random);
  return Math.round(Math.max(spread, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)));
}

/** The forms of a date in HTTP (RFC 9110, 5.6.7); the last one, asctime's, is implicitly UTC. */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/** A proxy may join repeated headers; the comma within a date follows a weekday. */
const BETWEEN = /(?<=\d|GMT)\s*,\s*/;

/**
 * Reads Retry-After (RFC 9110, 10.2.3), seconds or a date, as milliseconds from now; null if it is
 * neither or missing. Of several the longest wait counts, so that no sender of them is disregarded.
 * @param headers the header's values, one a line of the answer
 * @param now epoch ms
 */
export function parseRetryAfter(headers: string[] | undefined, now: number): number | null {
  const waits = (headers ?? [])
    .flatMap((header) => header.split(BETWEEN))
    .map((value) => parseWait(value.trim(), now))
    .filter((wait) => wait !== null);
  return waits.length === 0 ? null : Math.max(...waits);
}

function parseWait(value: string, now: number): number | null {
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  if (!HTTP_DATES.some((form) => form.test(value))) return null;
  const date = Date.parse(value.endsWith("GMT") ? value : `${value} GMT`);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
