// The behaviour of a schedule's network, elections and replication. Each seed draws its own
// weather, so that rare faults are frequent in some schedules instead of rare in all of them.

import type { Random } from "./random.ts";

export interface Weather {
  /** The duration of one way through the network, in ms; sometimes it is far longer. */
  latencyMs: number;
  slow: number;
  slowMs: number;
  /** Probabilities for a command: its request or its reply is lost, or its request is resent. */
  lost: number;
  resent: number;
  /** The time after which a client gives up a command, in ms. */
  timeoutMs: number;
  /** The probability that a reply with accounts arrives only after the reader's next checkpoint. */
  heldReads: number;
  /** The time from a write to its majority, in ms. */
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

/** The weather after healing: quick, and without losses. */
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
