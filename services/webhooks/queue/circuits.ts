// Circuit breakers: learn from an endpoint's exchanges how many deliveries to it may run at once.
// The duration of exchanges decides the number of places, so a slow endpoint never has many;
// answers decide whether the endpoint is tried at all. Kept in memory: each process learns for
// itself, and a forgotten endpoint starts as a new one. Pure: times are parameters.
//
// A circuit opens after several exchanges in a row without an answer; then no delivery is sent.
// After the pause one probe is sent: its answer closes the circuit, which starts with one place; no
// answer opens it for longer. Any HTTP status is an answer.

import { LRUCache } from "lru-cache";

export interface Exchange {
  /** Epoch ms. */
  begunAt: number;
  durationMs: number;
  /** A complete answer came in time, with any status. */
  answered: boolean;
  /** The answer was a 2xx. */
  delivered: boolean;
}

export interface Circuits {
  /**
   * How many deliveries may run at once; 0 while the circuit is open, 1 for the probe.
   * @param now epoch ms
   */
  limit(endpointId: string, now: number): number;
  /** Whether the endpoint's last exchange was quick; false for an endpoint without one. */
  isQuick(endpointId: string): boolean;
  /**
   * Learns from an ended exchange.
   * @returns whether the circuit is open now
   */
  ended(endpointId: string, exchange: Exchange, now: number): boolean;
  /** Starts anew, because the endpoint has changed. */
  forget(endpointId: string): void;
}

interface Circuit {
  limit: number;
  quick: boolean;
  /**
   * When the limit was last cut, epoch ms: exchanges from before do not count for the new limit.
   */
  cutAt: number;
  /** Exchanges in a row without an answer. */
  silences: number;
  /** When a probe may be sent, epoch ms; null while the circuit is closed. */
  openUntil: number | null;
  pauseMs: number;
}

export const MAX_LIMIT = 32;
/**
 * The limit of a new, failing or slow endpoint: low enough for a hundred dead endpoints at once.
 */
export const START_LIMIT = 4;
/** An exchange that takes longer is slow. */
export const SLOW_MS = 1_000;
const SILENCES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const JITTER = 0.2;
const MAX_KEPT = 50_000;

const fresh = (): Circuit => ({
  limit: START_LIMIT,
  quick: false,
  cutAt: 0,
  silences: 0,
  openUntil: null,
  pauseMs: FIRST_PAUSE_MS,
});

/** @param random in [0, 1), so that probes of many endpoints are not in step */
export function createCircuits(random: () => number): Circuits {
  const circuits = new LRUCache<string, Circuit>({ max: MAX_KEPT });

  function open(circuit: Circuit, pauseMs: number, now: number): void {
    circuit.pauseMs = pauseMs;
    circuit.openUntil = now + pauseMs * (1 - JITTER + 2 * JITTER * random());
  }

  /** @returns whether the circuit is open now */
  function silent(circuit: Circuit, { begunAt }: Exchange, now: number): boolean {
    circuit.silences += 1;
    const { openUntil, pauseMs } = circuit;
    if (openUntil === null) {
      if (circuit.silences < SILENCES_TO_OPEN) return false;
      open(circuit, FIRST_PAUSE_MS, now);
    } else if (begunAt >= openUntil) {
      // This is the probe. Exchanges from before the circuit opened do not lengthen the pause.
      open(circuit, Math.min(2 * pauseMs, LONGEST_PAUSE_MS), now);
    }
    return true;
  }

  return {
    limit(endpointId, now) {
      const circuit = circuits.get(endpointId);
      if (!circuit) return START_LIMIT;
      if (circuit.openUntil === null) return circuit.limit;
      return now < circuit.openUntil ? 0 : 1;
    },

    isQuick: (endpointId) => circuits.get(endpointId)?.quick ?? false,

    ended(endpointId, exchange, now) {
      const circuit = circuits.get(endpointId) ?? fresh();
      circuits.set(endpointId, circuit);
      if (exchange.answered && circuit.openUntil !== null) {
        circuit.openUntil = null;
        circuit.limit = 1;
      }
      resize(circuit, exchange, now);
      if (!exchange.answered) return silent(circuit, exchange, now);
      circuit.silences = 0;
      return false;
    },

    forget: (endpointId) => void circuits.delete(endpointId),
  };
}

/**
 * Raises the limit by one for each delivered webhook, which doubles it in a round trip. Halves it
 * at most once in a round trip after a failure, and not below a new endpoint's limit, because a
 * quick failure costs little.
 */
function resize(circuit: Circuit, exchange: Exchange, now: number): void {
  const { answered, delivered, durationMs, begunAt } = exchange;
  circuit.quick = durationMs <= SLOW_MS;
  if (!circuit.quick) {
    circuit.limit = answered ? Math.min(circuit.limit, START_LIMIT) : 1;
  } else if (delivered) {
    circuit.limit = Math.min(circuit.limit + 1, MAX_LIMIT);
  } else if (begunAt >= circuit.cutAt) {
    circuit.limit = Math.max(Math.floor(circuit.limit / 2), Math.min(circuit.limit, START_LIMIT));
    circuit.cutAt = now;
  }
}
