// The system's clock, which a test sets ahead so that no real time passes in its waits.

import { setTimeout } from "node:timers/promises";
import { type Clock, LATE, systemClock } from "../../shared/clock.ts";

/** How soon a wait sees that the clock was set ahead. */
const TICK_MS = 20;

/** A clock that differs from the system's clock by `aheadMs`. A wait ends in either's time. */
export interface SettableClock extends Clock {
  aheadMs: number;
  /** Awaits the work; meanwhile a second passes every 20 ms. */
  passDuring<T>(work: Promise<T>): Promise<T>;
}

export function settableClock(): SettableClock {
  // The real end counts too, because a test may set the clock back during the wait.
  async function wait(ms: number, isDone = () => false): Promise<void> {
    const [end, realEnd] = [clock.now() + ms, Date.now() + ms];
    do {
      const leftMs = Math.max(0, realEnd - Date.now());
      await setTimeout(Math.min(leftMs, TICK_MS), undefined, { ref: false });
    } while (!isDone() && clock.now() < end && Date.now() < realEnd);
  }

  const clock: SettableClock = {
    ...systemClock,
    aheadMs: 0,
    now: () => Date.now() + clock.aheadMs,
    sleep: (ms, signal) => wait(ms, () => signal?.aborted === true),
    within(work, ms) {
      let isDone = false;
      const late = wait(ms, () => isDone).then((): typeof LATE => LATE);
      return Promise.race([work, late]).finally(() => {
        isDone = true;
      });
    },
    async passDuring(work) {
      const passing = setInterval(() => {
        clock.aheadMs += 1_000;
      }, TICK_MS);
      return work.finally(() => clearInterval(passing));
    },
  };
  return clock;
}
