// Work that a process repeats at an interval, such as a sweep.

import { NO_ORIGINS, workFor } from "./origin.ts";

export interface Repetition {
  /** Begins a round at once, unless one is under way. */
  wake(): void;
  /** Ends the repetition, after the round under way. */
  stop(): Promise<void>;
}

/**
 * Repeats work, never two rounds at once. The first round begins after the interval, or when it is
 * woken.
 * @param onError is called with the error of a round; the next round tries again
 */
export function repeat(
  everyMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): Repetition {
  let running: Promise<void> | null = null;
  const wake = () => {
    // The request that wakes it is one of many that the round works for.
    running ??= workFor(NO_ORIGINS, work)
      .catch(onError)
      .finally(() => {
        running = null;
      });
  };
  const timer = setInterval(wake, everyMs);
  return {
    wake,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
