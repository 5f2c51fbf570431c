// Deadlines by their callers' clocks. A deadline travels as a moment of the caller's clock, and the
// clocks of two nodes can differ by more than a request lasts. So each process learns how far its
// own clock is ahead of each caller's. A fresh deadline lies exactly the request's timeout in the
// future, and network delay only shortens it. So the smallest observed difference in a window is
// the offset of the clocks plus the smallest network delay.
//
// A message that a frozen process or a lost connection delayed keeps the deadline that the caller
// meant. A clock that is changed is learnt anew within two windows.

import { LRUCache } from "lru-cache";
import type { Context } from "moleculer";
import type { Clock } from "../clock.ts";

/** An offset is forgotten after one to two windows, in milliseconds. */
const WINDOW_MS = 30_000;
const MAX_CALLERS = 1_000;

interface Learnt {
  /** The beginning of the window, in milliseconds of a clock that is never set. */
  since: number;
  /** The least difference of this window and of the one before it, in milliseconds. */
  least: number;
  before: number;
}

/**
 * Translates a deadline to this process's clock.
 * @param caller the node that set it, and the action that it calls
 * @param deadline epoch ms by the caller's clock
 * @param longestMs the time until a deadline that the caller has just set
 * @returns epoch ms by this process's clock
 */
export type OwnDeadline = (
  caller: Pick<Context, "nodeID" | "action">,
  deadline: number,
  longestMs: number,
) => number;

/**
 * Learns the clocks of callers. Each service has a reader of its own, because two systems in one
 * process can have callers with the same node id.
 * @param clock of this process
 */
export function readerOfDeadlines(clock: Pick<Clock, "now" | "elapsed">): OwnDeadline {
  const learnt = new LRUCache<string, Learnt>({ max: MAX_CALLERS });
  return ({ nodeID, action }, deadline, longestMs) => {
    const caller = `${nodeID} ${action?.name}`;
    const ahead = clock.now() + longestMs - deadline;
    const window = windowAt(learnt.get(caller), clock.elapsed());
    window.least = Math.min(window.least, ahead);
    learnt.set(caller, window);
    return deadline + Math.min(window.least, window.before);
  };
}

function windowAt(known: Learnt | undefined, at: number): Learnt {
  const windows = known ? Math.floor((at - known.since) / WINDOW_MS) : Number.POSITIVE_INFINITY;
  if (known && windows === 0) return known;
  const before = known && windows === 1 ? known.least : Number.POSITIVE_INFINITY;
  return { since: at, least: Number.POSITIVE_INFINITY, before };
}
