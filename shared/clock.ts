// Time and chance, given to whatever has to be simulated.

export interface Clock {
  /** Epoch ms. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** In [0, 1), for jitter alone. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms);
    }),
  random: () => Math.random(),
};
