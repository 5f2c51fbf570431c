// Circuits: how many deliveries to one endpoint may run at once, learned from its exchanges. How long
// they take decides how many places it gets, so that what is slow never has many; whether they are
// answered decides whether it is tried at all. In memory alone: each process learns for itself, and
// what it forgets begins again as something new. Pure: times are given.
//
// closed -> open after so many exchanges in a row without an answer: nothing is sent. Once the pause
// is over one probe is: its answer closes the circuit, to begin with one place; its silence opens it
// for longer. A status of any kind is an answer.

import { LRUCache } from "lru-cache";

export interface Exchange {
  /** Epoch ms. */
  begunAt: number;
  durationMs: number;
  /** Something came back in time, whatever it was. */
  answered: boolean;
  /** It was a 2xx. */
  delivered: boolean;
}

export interface Circuits {
  /** How many may run at once at the time (epoch ms); none while it is open, one as the probe. */
  limit(endpointId: string, now: number): number;
  /** Whether its latest exchange was over in good time; false for what was never tried. */
  isQuick(endpointId: string): boolean;
  /**
   * Learns from an exchange that is over.
   * @returns whether nothing may be sent from now on
   */
  ended(endpointId: string, exchange: Exchange, now: number): boolean;
  /** It may not be what it was: begins again as something new. */
  forget(endpointId: string): void;
}

interface Circuit {
  limit: number;
  quick: boolean;
  /** When the limit was last cut, epoch ms: what was begun before says nothing of the new one. */
  cutAt: number;
  /** Exchanges without an answer, one after the other. */
  silences: number;
  /** When a probe may go, epoch ms; null while it is closed. */
  openUntil: number | null;
  pauseMs: number;
}

export const MOST = 32;
/** What is new, fails or is slow. Few enough for a hundred dead ones beside each other. */
export const FEW = 4;
/** An exchange that takes longer keeps a place from others. */
export const SLOW_MS = 1_000;
const SILENCES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const JITTER = 0.2;
const MAX_KEPT = 50_000;

const fresh = (): Circuit => ({
  limit: FEW,
  quick: false,
  cutAt: 0,
  silences: 0,
  openUntil: null,
  pauseMs: FIRST_PAUSE_MS,
});

/** @param random in [0, 1), so that probes of many endpoints are not in step */
export function createCircuits(random: () => number = Math.random): Circuits {
  const circuits = new LRUCache<string, Circuit>({ max: MAX_KEPT });

  function open(circuit: Circuit, pauseMs: number, now: number): void {
    circuit.pauseMs = pauseMs;
    circuit.openUntil = now + pauseMs * (1 - JITTER + 2 * JITTER * random());
  }

  /** @returns whether it is open now */
  function silent(circuit: Circuit, { begunAt }: Exchange, now: number): boolean {
    circuit.silences += 1;
    const { openUntil, pauseMs } = circuit;
    if (openUntil === null) {
      if (circuit.silences < SILENCES_TO_OPEN) return false;
      open(circuit, FIRST_PAUSE_MS, now);
    } else if (begunAt >= openUntil) {
      // The probe; what was under way before it was opened tells nothing new.
      open(circuit, Math.min(2 * pauseMs, LONGEST_PAUSE_MS), now);
    }
    return true;
  }

  return {
    limit(endpointId, now) {
      const circuit = circuits.get(endpointId);
      if (!circuit) return FEW;
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
 * Doubles in a round trip while all goes well, by one for each delivery; halves at most once in a round
 * trip where something fails, not below what something new gets: a quick failure costs nothing.
 */
function resize(circuit: Circuit, exchange: Exchange, now: number): void {
  const { answered, delivered, durationMs, begunAt } = exchange;
  circuit.quick = durationMs <= SLOW_MS;
  if (!circuit.quick) {
    circuit.limit = answered ? Math.min(circuit.limit, FEW) : 1;
  } else if (delivered) {
    circuit.limit = Math.min(circuit.limit + 1, MOST);
  } else if (begunAt >= circuit.cutAt) {
    circuit.limit = Math.max(Math.floor(circuit.limit / 2), Math.min(circuit.limit, FEW));
    circuit.cutAt = now;
  }
}
