// Time and randomness, as parameters of all code that the simulations run.

import { setTimeout as pause } from "node:timers/promises";

/**
 * The greatest difference of two nodes' clocks, in milliseconds; closer times have no sure order.
 */
export const CLOCKS_DIFFER_BY_MS = 5 * 60_000;

/** The result of `within` when the time is over. */
export const LATE = Symbol("late");

export interface Clock {
  /** Epoch ms. */
  now(): number;
  /** Milliseconds since any moment, by a clock that nobody sets. */
  elapsed(): number;
  /** @param signal ends the sleep early, so that it does not keep a stopped process from ending */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** The result of the work, or LATE if it takes longer; the work itself goes on. */
  within<T>(work: Promise<T>, ms: number): Promise<T | typeof LATE>;
  /** In [0, 1), only for jitter. */
  random(): number;
}

/** How far this machine's clock is ahead of the time that payrail uses (database-clock.ts). */
let aheadMs = 0;

export const machineAheadMs = () => aheadMs;

export function correctClock(machineIsAheadMs: number): void {
  aheadMs = machineIsAheadMs;
}

/**
 * The result of the work, or LATE if it takes longer by the machine's timers. Code that a
 * simulation runs takes the method of its clock instead.
 */
export function within<T>(work: Promise<T>, ms: number): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), LATE);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The time, the same in all processes with a database, up to a second or so. */
export const systemClock: Clock = {
  now: () => Date.now() - aheadMs,
  elapsed: () => performance.now(),
  sleep: (ms, signal) => pause(ms, undefined, { signal }).catch(() => {}),
  within,
  random: () => Math.random(),
};

/**
 * The time of this machine, without a correction by a database. Tokens are dated by it, because
 * their issuers and readers, such as other systems, know no other time.
 */
export const machineClock: Clock = { ...systemClock, now: () => Date.now() };
