// Warnings of a fault that repeats, such as a neighbour that is away.

import type { Clock } from "../clock.ts";

export interface Log {
  warn(message: string, details: unknown): void;
}

const QUIET_MS = 1_000;

/**
 * Warns at most once in a while, by default a second, because one broken neighbour fails the steps
 * of all documents.
 */
export function throttledWarning(
  clock: Pick<Clock, "now">,
  log: Log,
  message: string,
  quietMs = QUIET_MS,
): (details: unknown) => void {
  let quietUntil = 0;
  return (details) => {
    if (clock.now() < quietUntil) return;
    quietUntil = clock.now() + quietMs;
    log.warn(message, details);
  };
}
