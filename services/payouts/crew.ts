// Work that nobody waits for, bounded in number: what does not fit is left, and found by a sweeper.

import { type Clock, LATE } from "../../shared/clock.ts";

export interface Crew {
  /** How much more it takes at the moment. */
  room(): number;
  /** Begins the work where there is room. */
  take(work: () => Promise<unknown>): void;
  /** Begins the work after so many milliseconds, on the next beat, where there is room. */
  takeLater(ms: number, work: () => Promise<unknown>): void;
  /** Begins nothing any more, and waits for what is under way, at most so long. */
  stop(withinMs: number): Promise<void>;
}

/** Work for later begins on a beat, so that what is due meanwhile shares its round trips. */
const BEAT_MS = 50;
/** Work for later costs memory alone: so many times as much of it is kept. */
const KEPT_PER_PLACE = 10;

/** @param most how much is under way at a time */
export function createCrew(most: number, clock: Clock, onError: (error: unknown) => void): Crew {
  const running = new Set<Promise<void>>();
  let kept = 0;
  let isStopped = false;

  function take(work: () => Promise<unknown>): void {
    if (isStopped || running.size >= most) return;
    const promise = work()
      .then(() => {}, onError)
      .finally(() => running.delete(promise));
    running.add(promise);
  }

  return {
    room: () => most - running.size,
    take,
    takeLater(ms, work) {
      if (kept >= most * KEPT_PER_PLACE) return;
      kept += 1;
      const dueAt = clock.now() + ms;
      void clock.sleep(ms + BEAT_MS - (dueAt % BEAT_MS)).then(() => {
        kept -= 1;
        take(work);
      });
    },
    async stop(withinMs) {
      isStopped = true;
      const all = Promise.all(running);
      if ((await clock.within(all, withinMs)) === LATE) onError(new Error("Work was cut off"));
    },
  };
}
