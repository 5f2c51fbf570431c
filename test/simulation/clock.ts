// A process's clock in simulated time: it is a while off, and stands still with its process.

import { type Clock, LATE } from "../../shared/clock.ts";
import type { Random } from "./random.ts";
import type { Actor, Timeline } from "./timeline.ts";

/** @param zeroMs what the clock says when the schedule begins; epoch ms */
export function clockOf(
  { timeline, random }: { timeline: Timeline; random: Random },
  actor: Actor,
  zeroMs: number,
): Clock {
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => timeline.after(Math.max(0, ms), actor, resolve));
  return {
    now: () => zeroMs + Math.floor(timeline.now()),
    sleep,
    within: <T>(work: Promise<T>, ms: number) =>
      Promise.race<T | typeof LATE>([work, sleep(ms).then((): typeof LATE => LATE)]),
    random: () => random.next(),
  };
}
