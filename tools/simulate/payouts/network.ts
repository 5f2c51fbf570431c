// The network between a node and its neighbours: requests and replies are late, lost or duplicated,
// and neighbours may be unavailable.

import { fail } from "../../../shared/errors.ts";
import type { Random } from "../random.ts";
import type { Actor, Timeline } from "../timeline.ts";

export type Neighbour = "ledger" | "accounts" | "webhooks" | "rail" | "screening";

export interface Network {
  latencyMs: number;
  /**
   * Probabilities: a message takes far longer; a request or reply is lost; a request comes twice.
   */
  slow: number;
  slowMs: number;
  lost: number;
  twice: number;
  /** When the caller gives up, in ms. */
  timeoutMs: number;
}

export function drawNetwork(random: Random, timeoutMs: number): Network {
  const often = (probability: number, rate: number) => (random.chance(probability) ? rate : 0);
  return {
    latencyMs: random.pick([2, 20, 100]),
    slow: often(0.5, random.pick([0.03, 0.15])),
    slowMs: random.pick([1_000, 5_000, 15_000]),
    lost: often(0.5, random.pick([0.03, 0.15])),
    twice: often(0.4, random.pick([0.1, 0.5])),
    timeoutMs,
  };
}

export const CALM_NETWORK: Network = {
  latencyMs: 2,
  slow: 0,
  slowMs: 0,
  lost: 0,
  twice: 0,
  timeoutMs: 1_500,
};

/** No message is lost, and a slow message arrives after its caller has given up. */
export const LATE_NETWORK: Network = {
  ...CALM_NETWORK,
  slow: 0.2,
  slowMs: 9_000,
  timeoutMs: 60_000,
};

/** How a neighbour serves a request; it answers once, if at all. */
export type Serve<T> = (reply: (value: T) => void, refuse: (error: unknown) => void) => void;

export interface Way {
  timeline: Timeline;
  random: Random;
  network: Network;
  isUnavailable: boolean;
}

/** Sends a request to a neighbour. Fails with UNAVAILABLE only if the request never arrives. */
export function reach<T>(
  { timeline, random, network, isUnavailable }: Way,
  actor: Actor,
  serve: Serve<T>,
): Promise<T> {
  const { latencyMs, slow, slowMs, lost, twice, timeoutMs } = network;
  const latency = () => random.next() * (random.chance(slow) ? slowMs : latencyMs);
  return new Promise((resolve, reject) => {
    if (isUnavailable && random.chance(0.5)) {
      timeline.after(latency(), actor, () => reject(catchRefusal("UNAVAILABLE")));
      return;
    }
    timeline.after(timeoutMs, actor, () => reject(new Error("The request timed out")));
    if (isUnavailable) return;
    const back = (end: () => void) => {
      if (!random.chance(lost)) timeline.after(latency(), actor, end);
    };
    const arrive = () =>
      serve(
        (value) => back(() => resolve(value)),
        (error) => back(() => reject(error)),
      );
    const first = latency();
    if (!random.chance(lost)) timeline.after(first, null, arrive);
    if (random.chance(twice)) {
      const never = () => {};
      timeline.after(first + latency() * 3, null, () => serve(never, never));
    }
  });
}

/** The thrown error of this type. */
export function catchRefusal(type: Parameters<typeof fail>[0]): unknown {
  try {
    return fail(type);
  } catch (error) {
    return error;
  }
}
