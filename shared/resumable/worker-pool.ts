// Work that nobody waits for, bounded: so much is under way at a time, some more stands in line, and
// what does not fit is left, to be found by a sweeper.

import { type Clock, LATE } from "../clock.ts";

export type Work = () => Promise<unknown>;

export interface Crew {
  /** How much more it begins at once. */
  room(): number;
  /** Begins the work as soon as there is room. */
  take(work: Work): void;
  /** Begins the work after so many milliseconds, on the next beat. */
  takeLater(ms: number, work: Work): void;
  /** Begins nothing any more, and waits for what is under way, at most so long. */
  stop(withinMs: number): Promise<void>;
}

/** Work for later begins on a beat, so that what is due meanwhile shares its round trips. */
const BEAT_MS = 50;
/** Work in line or for later costs memory alone: so many times as much of it is kept. */
const KEPT_PER_PLACE = 10;

/** @param most how much is under way at a time */
export function createCrew(most: number, clock: Clock, onError: (error: unknown) => void): Crew {
  const mostKept = most * KEPT_PER_PLACE;
  const running = new Set<Promise<void>>();
  let line: Work[] = [];
  let later = 0;
  let isStopped = false;

  function take(work: Work): void {
    if (isStopped) return;
    if (running.size < most) begin(work);
    else if (line.length < mostKept) line.push(work);
  }

  function begin(work: Work): void {
    const promise = work().then(() => {}, onError);
    running.add(promise);
    void promise.then(() => {
      running.delete(promise);
      const first = line.shift();
      if (first) begin(first);
    });
  }

  return {
    room: () => Math.max(0, most - running.size - line.length),
    take,
    takeLater(ms, work) {
      if (later >= mostKept) return;
      later += 1;
      const dueAt = clock.now() + ms;
      void clock.sleep(ms + BEAT_MS - (dueAt % BEAT_MS)).then(() => {
        later -= 1;
        take(work);
      });
    },
    async stop(withinMs) {
      isStopped = true;
      line = [];
      const all = Promise.all(running);
      if ((await clock.within(all, withinMs)) === LATE) onError(new Error("Work was cut off"));
    },
  };
}
