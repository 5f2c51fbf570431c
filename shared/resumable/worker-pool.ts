// A worker pool for work in the background: a bounded number of tasks runs at a time, and a bounded
// number waits. A task that does not fit is dropped, because a sweep finds its document later.
// p-queue is not used: its queue has no bound, and it has neither delays on the simulation's clock
// nor a stop within a limit, so all of this file except `begin` would remain around it.

import { type Clock, LATE } from "../clock.ts";
import { NO_ORIGINS, workFor } from "../rpc/origin.ts";

export type Task = () => Promise<unknown>;

export interface WorkerPool {
  /** The number of tasks that would begin immediately. */
  capacity(): number;
  /**
   * Begins the task as soon as there is capacity.
   * @returns resolves once the task has ended, failed or been dropped; a stopped pool forgets those
   *   that wait
   */
  submit(task: Task): Promise<void>;
  /** Submits the task after this delay in milliseconds, on the next beat. */
  submitLater(ms: number, task: Task): Promise<void>;
  /** Begins no more tasks, and waits for the running ones, within this limit. */
  stop(withinMs: number): Promise<void>;
}

/**
 * Later tasks are submitted on a beat, so that tasks that are due together share their round trips:
 * the database spends about half as much on a document of a large batch as on one of a small batch.
 * A beat has one timer: after a timer of its own the first task would take its first round trip
 * alone, because Node runs the promises of one timer before the next timer.
 */
const BEAT_MS = 150;
/** How many tasks may wait for each task that may run. They cost only memory. */
const WAITING_PER_RUNNING = 5;

/** @param size the number of tasks that run at a time */
export function createWorkerPool(
  size: number,
  clock: Clock,
  onError: (error: unknown) => void,
): WorkerPool {
  const waitingAtMost = size * WAITING_PER_RUNNING;
  const running = new Set<Promise<void>>();
  /** The coming beats, by their moments. */
  const beats = new Map<number, Promise<void>>();
  let queue: (() => void)[] = [];
  let later = 0;
  const stopping = new AbortController();

  function submit(task: Task): Promise<void> {
    if (!stopping.signal.aborted) {
      if (running.size < size) return begin(task);
      if (queue.length < waitingAtMost) {
        return new Promise((resolve) => queue.push(() => resolve(begin(task))));
      }
    }
    return Promise.resolve();
  }

  function begin(task: Task): Promise<void> {
    // The request that makes room for a task is not the one that the task works for.
    const promise = workFor(NO_ORIGINS, () => task().then(() => {}, onError));
    running.add(promise);
    void promise.then(() => {
      running.delete(promise);
      queue.shift()?.();
    });
    return promise;
  }

  return {
    capacity: () => Math.max(0, size - running.size - queue.length),
    submit,
    async submitLater(ms, task) {
      if (later >= waitingAtMost) return;
      later += 1;
      const now = clock.now();
      const beat = (Math.floor((now + ms) / BEAT_MS) + 1) * BEAT_MS;
      const begun = beats.get(beat) ?? clock.sleep(beat - now, stopping.signal);
      beats.set(beat, begun);
      await begun;
      beats.delete(beat);
      later -= 1;
      await submit(task);
    },
    async stop(withinMs) {
      stopping.abort();
      queue = [];
      const all = Promise.all(running);
      if ((await clock.within(all, withinMs)) === LATE) onError(new Error("Tasks were cut off"));
    },
  };
}
