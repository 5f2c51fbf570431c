// Sweeps: rounds of a process that look for due work, such as the documents of a process that died.
// A sweep asks the database when it has to: each round tells when the next work is due, and the
// process notices the times of its own work, so no work waits for an interval.
//
// Work of another process can become due unnoticed. So time is cut into intervals, and in each
// interval one of the service's processes looks, in turn: idle processes ask as little together as
// one alone. A lease that lasts two intervals is seen before it ends, even if the process whose
// turn it was has died.

import type { ServiceBroker } from "moleculer";
import type { Clock } from "../clock.ts";
import { nodesServing } from "../rpc/actions.ts";
import { NO_ORIGINS, workFor } from "../rpc/origin.ts";
import type { ServiceName } from "../rpc/service-names.ts";

export interface Sweep {
  /** Begins a round at this moment, epoch ms, or a short pause after the round before. */
  noticeDue(at: number): void;
  /** Begins a round immediately, or after the round under way. */
  wake(): void;
  /** Ends the sweep, after the round under way. */
  stop(): Promise<void>;
}

/** The turns of a process among those of its service. */
export interface Turns {
  /** The length of an interval. */
  everyMs: number;
  /** Whether this process looks in the interval with this number, which is counted from 1970. */
  isOwn(interval: number): boolean;
}

export interface SweepParts {
  clock: Clock;
  turns: Turns;
  /**
   * Does the due work, in parts: a long round ends at the part at which the sweep is stopped.
   * @returns the moment from which other work is due, epoch ms; undefined if none is known
   */
  round(isStopped: () => boolean): Promise<number | undefined>;
  /** Is called with the error of a round; the round is repeated after a growing pause. */
  onError(error: unknown): void;
}

/** The pause between two rounds, because work that is due together shares its round trips. */
const PAUSE_MS = 200;
/** The longest pause after rounds that failed. */
const LONGEST_PAUSE_MS = 5_000;

/** Sweeps until it is stopped. The first round begins after the shortest pause. */
export function startSweep({ clock, turns, round, onError }: SweepParts): Sweep {
  let dueAt = clock.now();
  let lastLook = Number.NaN;
  let pauseMs = PAUSE_MS;
  let isWoken = false;
  let isStopped = false;
  let woken = Promise.withResolvers<void>();
  let noticed = Promise.withResolvers<void>();

  const intervalAt = (at: number) => Math.floor(at / turns.everyMs);

  function isTime(): boolean {
    const now = clock.now();
    const interval = intervalAt(now);
    return isWoken || now >= dueAt || (interval !== lastLook && turns.isOwn(interval));
  }

  /** Sleeps until the next work is due, but not beyond the interval, nor beyond a notice. */
  async function sleep(): Promise<void> {
    noticed = Promise.withResolvers();
    const now = clock.now();
    const endsAt = (intervalAt(now) + 1) * turns.everyMs;
    await clock.within(noticed.promise, Math.min(dueAt, endsAt) - now);
  }

  async function look(): Promise<void> {
    lastLook = intervalAt(clock.now());
    isWoken = false;
    woken = Promise.withResolvers();
    dueAt = Number.POSITIVE_INFINITY;
    try {
      const next = await workFor(NO_ORIGINS, () => round(() => isStopped));
      // Other processes may have read this time too. The later ones find the work claimed.
      if (next !== undefined) dueAt = Math.min(dueAt, next + clock.random() * PAUSE_MS);
      pauseMs = PAUSE_MS;
    } catch (error) {
      onError(error);
      dueAt = clock.now();
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      // The pause is no moment, because a clock that is put back would put the moment off.
      await clock.within(woken.promise, pauseMs * (1 - clock.random() / 4));
      while (!isStopped && !isTime()) await sleep();
      if (!isStopped) await look();
    }
  }

  function wake(): void {
    woken.resolve();
    noticed.resolve();
  }

  const ended = run();
  return {
    noticeDue(at) {
      if (at >= dueAt) return;
      dueAt = at;
      noticed.resolve();
    },
    wake() {
      isWoken = true;
      wake();
    },
    async stop() {
      isStopped = true;
      wake();
      await ended;
    },
  };
}

/**
 * The turns of a service's processes, as the broker knows them. A process that the others do not
 * know yet, or that sees no others, always has its turn.
 */
export function turnsOf(
  broker: ServiceBroker,
  service: Exclude<ServiceName, "gateway">,
  everyMs: number,
): Turns {
  return {
    everyMs,
    isOwn(interval) {
      const nodes = nodesServing(broker, `${service}.ready`);
      const place = nodes.indexOf(broker.nodeID);
      return place < 0 || interval % nodes.length === place;
    },
  };
}
