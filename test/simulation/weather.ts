// How a schedule's network, elections and replication behave. Each seed draws its own weather, so that
// rare faults are frequent in some schedules instead of rare in all of them.

import type { Random } from "./random.ts";

export interface Weather {
  /** One way through the network, in ms; and now and then far longer. */
  latencyMs: number;
  slow: number;
  slowMs: number;
  /** Probabilities for a command: its request or its reply is lost, or the request is sent again. */
  lost: number;
  resent: number;
  /** After how long a client gives a command up. */
  timeoutMs: number;
  /** An answer with accounts comes only after the reader's next checkpoint: probability. */
  heldReads: number;
  /** From a write to its majority. */
  replicationMs: number;
}

export function drawWeather(random: Random): Weather {
  const often = (probability: number, rate: number) => (random.chance(probability) ? rate : 0);
  return {
    latencyMs: random.pick([1, 3, 10]),
    slow: often(0.6, random.pick([0.02, 0.1, 0.3])),
    slowMs: random.pick([30, 300, 900]),
    lost: often(0.6, random.pick([0.02, 0.08, 0.2])),
    resent: often(0.5, random.pick([0.02, 0.1])),
    timeoutMs: random.pick([20, 100, 600]),
    heldReads: often(0.25, random.pick([0.2, 0.6])),
    replicationMs: random.pick([1, 5, 40, 150]),
  };
}

/** After healing: quick, and nothing is lost. */
export const CALM: Weather = {
  latencyMs: 1,
  slow: 0,
  slowMs: 0,
  lost: 0,
  resent: 0,
  timeoutMs: 1_000,
  heldReads: 0,
  replicationMs: 1,
};
