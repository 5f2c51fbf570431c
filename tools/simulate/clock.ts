// The clock of a process in simulated time. It has an offset, and stands still with its process.

import { type Clock, LATE } from "../../shared/clock.ts";
import type { Random } from "./random.ts";
import type { Actor, Timeline } from "./timeline.ts";

/** @param zeroMs the clock's time at the beginning of the schedule; epoch ms */
export function createClock(
  { timeline, random }: { timeline: Timeline; random: Random },
  actor: Actor,
  zeroMs: number,
): Clock {
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => timeline.after(Math.max(0, ms), actor, resolve));
  return {
    now: () => zeroMs + Math.floor(timeline.now()),
    elapsed: () => timeline.now(),
    sleep,
    within: <T>(work: Promise<T>, ms: number) =>
      Promise.race<T | typeof LATE>([work, sleep(ms).then((): typeof LATE => LATE)]),
    random: () => random.next(),
  };
}
