// Time and chance, given to whatever has to be simulated.

/** How far apart two nodes' clocks may be, in milliseconds; closer times have no sure order. */
export const CLOCKS_DIFFER_BY_MS = 5 * 60_000;

/** What `within` answers where the time is over. */
export const LATE = Symbol("late");

export interface Clock {
  /** Epoch ms. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** What the work comes to, or LATE where that takes longer; the work itself goes on. */
  within<T>(work: Promise<T>, ms: number): Promise<T | typeof LATE>;
  /** In [0, 1), for jitter alone. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms);
    }),
  within: (work, ms) => {
    let timer: NodeJS.Timeout;
    const late = new Promise<typeof LATE>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, ms), LATE);
    });
    return Promise.race([work, late]).finally(() => clearTimeout(timer));
  },
  random: () => Math.random(),
};
