// Endpoints as this process sees them: the deliveries to each that it holds and runs, and what it
// learns from their exchanges. Kept in memory, so each process learns for itself.
//
//            several exchanges without an answer
//   closed -------------------------------------> open
//    ^  ^                                        |  | ^
//    |  +--- an answer to an earlier exchange ---+  | | no answer: a longer pause
//    |                                              v |
//    +-------------------- an answer ------------ probing
//
// It is a circuit breaker. The duration of exchanges decides how many deliveries run at a closed
// endpoint, so a slow one never has many. An open one gets none during the pause, and then a single
// one as a probe. Any HTTP status is an answer.

import { LRUCache } from "lru-cache";
import type { Clock } from "../../../shared/clock.ts";
import type { ErrorClass } from "../../../shared/contracts/deliveries.ts";
import type { DeliveryAttempt } from "./delivery.model.ts";
import {
  BOUNDS,
  type BusinessLoad,
  type EndpointLoad,
  type EndpointTurns,
  endTurn,
  type Pace,
  pick,
  queue,
  roomFor,
} from "./fairness.ts";

/** The part of an attempt from which an endpoint's limits follow. */
type Exchange = Pick<DeliveryAttempt, "at" | "durationMs" | "errorClass">;

export interface Endpoints {
  /**
   * Reserves a place for a delivery.
   * @param isNew true for new work, which does not overtake work that was refused a place
   * @returns false if the endpoint, its business or the process has no free place
   */
  reserve(id: string, businessId: string, isNew?: boolean): boolean;
  /**
   * Gives a reserved place back.
   * @returns whether the endpoint refused a place and has room for as many again as it holds
   */
  free(id: string): boolean;
  /** The free places of the endpoint, or of the process. */
  room(id?: string): number;
  /**
   * Makes an attempt at its turn, in a reserved place, and learns from it.
   * @returns null if it did not begin, because the endpoint is paused or the process stops
   */
  run<T extends { attempt: Exchange | null }>(
    id: string,
    make: () => Promise<T | null>,
  ): Promise<T | null>;
  /** Starts anew, because the endpoint has changed. Its running deliveries still count. */
  forget(id: string): void;
  /** Begins no delivery any more; running ones go on. */
  stop(): void;
}

type Mode = "closed" | "open" | "probing";

/** Another transition is an error in this file. */
const NEXT: Record<Mode, Mode[]> = {
  closed: ["open"],
  open: ["probing", "closed"],
  probing: ["open", "closed"],
};

interface State extends EndpointLoad {
  mode: Mode;
  /** Resolve with the pace at which a delivery begins; with null if it is given up. */
  waiting: ((pace: Pace | null) => void)[];
  /** Whether a place was refused since the endpoint last had room. */
  refused: boolean;
  /** When the limit was last cut, epoch ms: exchanges from before do not count for the new one. */
  cutAt: number;
  /** Exchanges in a row without an answer. */
  silences: number;
  /** The end of the pause, epoch ms. */
  pausedUntil: number;
  nextPauseMs: number;
}

export const MAX_LIMIT = 32;
/**
 * The limit of a new, failing or slow endpoint: low enough for a hundred dead endpoints at the same
 * time.
 */
export const START_LIMIT = 4;
/** An exchange that takes longer is slow. */
export const SLOW_MS = 1_000;
const SILENCES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** So that the probes of many endpoints are not in step. */
const JITTER = 0.2;
const MAX_KEPT = 50_000;
/** Failures without a complete answer from the receiver in time. */
const SILENT: (ErrorClass | null)[] = ["dns", "connection", "tls", "timeout"];
/** Failures before a request was sent. */
const UNSENT: (ErrorClass | null)[] = ["secret", "address"];

const ANSWERED = { silences: 0, pausedUntil: 0, nextPauseMs: FIRST_PAUSE_MS };
const UNKNOWN = { ...ANSWERED, pace: "slow", limit: START_LIMIT, cutAt: 0 } as const;

const newState = (): State => ({
  mode: "closed",
  business: { id: "", held: 0, slow: 0 },
  held: 0,
  running: 0,
  waiting: [],
  refused: false,
  ...UNKNOWN,
});

export function createEndpoints(clock: Clock, bounds = BOUNDS): Endpoints {
  const inUse = new Map<string, State>();
  const unused = new LRUCache<string, State>({ max: MAX_KEPT });
  const businesses = new Map<string, BusinessLoad>();
  const turns: EndpointTurns<State> = { quick: new Map(), slow: new Map() };
  const running = { quick: 0, slow: 0 };
  let held = 0;
  let isStopped = false;

  const find = (id: string) => inUse.get(id) ?? unused.get(id) ?? newState();
  const isPaused = ({ pausedUntil }: State) => clock.now() < pausedUntil;

  function roomOf(endpoint: State): number {
    const room = isPaused(endpoint) ? 0 : roomFor(endpoint, bounds.held - held);
    if (room === 0) endpoint.refused = true;
    return room;
  }

  /** Begins all deliveries that may begin after a change of an endpoint. */
  function takeTurns(changed: State): void {
    for (let endpoint: State | undefined = changed; endpoint; endpoint = begin()) {
      queue(turns, endpoint);
    }
  }

  /** Begins the next delivery. @returns its endpoint */
  function begin(): State | undefined {
    const endpoint = pick(turns, running, bounds.running);
    if (!endpoint) return undefined;
    if (endpoint.mode === "open") move(endpoint, "probing");
    endTurn(turns, endpoint);
    endpoint.running += 1;
    count(endpoint.pace, endpoint.business, 1);
    endpoint.waiting.shift()?.(endpoint.pace);
    return endpoint;
  }

  function count(pace: Pace, business: BusinessLoad, by: 1 | -1): void {
    running[pace] += by;
    if (pace === "slow") business.slow += by;
  }

  /**
   * Raises the limit by one for each delivered webhook, which doubles it in a round trip. Halves it
   * at most once in a round trip after a failure, and not below a new endpoint's limit, because a
   * quick failure costs little.
   */
  function learn(endpoint: State, { at, durationMs, errorClass }: Exchange): void {
    if (UNSENT.includes(errorClass)) return;
    const { limit, cutAt } = endpoint;
    const answered = !SILENT.includes(errorClass);
    endpoint.pace = durationMs <= SLOW_MS ? "quick" : "slow";
    if (endpoint.pace === "slow") {
      endpoint.limit = answered ? Math.min(limit, START_LIMIT) : 1;
    } else if (errorClass === null) {
      endpoint.limit = Math.min(limit + 1, MAX_LIMIT);
    } else if (at.getTime() >= cutAt) {
      endpoint.limit = Math.max(Math.floor(limit / 2), Math.min(limit, START_LIMIT));
      endpoint.cutAt = clock.now();
    }
    if (answered) close(endpoint);
    else countSilence(endpoint);
  }

  function close(endpoint: State): void {
    Object.assign(endpoint, ANSWERED);
    if (endpoint.mode !== "closed") move(endpoint, "closed");
  }

  /** An exchange from before a pause does not lengthen it. */
  function countSilence(endpoint: State): void {
    endpoint.silences += 1;
    if (endpoint.mode !== "probing" && endpoint.silences !== SILENCES_TO_OPEN) return;
    const { nextPauseMs } = endpoint;
    move(endpoint, "open");
    endpoint.limit = 1;
    endpoint.pausedUntil = clock.now() + nextPauseMs * (1 - JITTER + 2 * JITTER * clock.random());
    endpoint.nextPauseMs = Math.min(2 * nextPauseMs, LONGEST_PAUSE_MS);
    giveUpWaiting(endpoint);
  }

  return {
    reserve(id, businessId, isNew = false) {
      const endpoint = find(id);
      if (endpoint.held === 0) {
        endpoint.refused = false;
        endpoint.business = businesses.get(businessId) ?? { id: businessId, held: 0, slow: 0 };
      }
      if (isStopped || roomOf(endpoint) === 0 || (isNew && endpoint.refused)) return false;
      inUse.set(id, endpoint);
      businesses.set(businessId, endpoint.business);
      endpoint.held += 1;
      endpoint.business.held += 1;
      held += 1;
      return true;
    },

    free(id) {
      const endpoint = inUse.get(id) as State;
      const { business } = endpoint;
      endpoint.held -= 1;
      business.held -= 1;
      held -= 1;
      if (business.held === 0) businesses.delete(business.id);
      if (endpoint.held === 0) {
        inUse.delete(id);
        unused.set(id, endpoint);
      }
      if (!endpoint.refused || roomOf(endpoint) < Math.max(endpoint.held, 1)) return false;
      endpoint.refused = false;
      return true;
    },

    room(id) {
      if (isStopped) return 0;
      return id === undefined ? bounds.held - held : roomOf(find(id));
    },

    async run(id, make) {
      const endpoint = inUse.get(id) as State;
      const { business, waiting } = endpoint;
      if (isStopped || isPaused(endpoint)) return null;
      const turn = Promise.withResolvers<Pace | null>();
      waiting.push(turn.resolve);
      takeTurns(endpoint);
      const begunAs = await turn.promise;
      if (begunAs === null) return null;
      let pace = begunAs;
      const timer = setTimeout(() => {
        count(pace, business, -1);
        pace = "slow";
        count(pace, business, 1);
        takeTurns(endpoint);
      }, SLOW_MS).unref();
      try {
        const outcome = await make();
        if (outcome?.attempt) learn(endpoint, outcome.attempt);
        return outcome;
      } finally {
        clearTimeout(timer);
        count(pace, business, -1);
        endpoint.running -= 1;
        takeTurns(endpoint);
      }
    },

    forget(id) {
      const endpoint = find(id);
      close(endpoint);
      Object.assign(endpoint, UNKNOWN);
      takeTurns(endpoint);
    },

    stop() {
      isStopped = true;
      for (const endpoint of inUse.values()) {
        giveUpWaiting(endpoint);
        queue(turns, endpoint);
      }
    },
  };
}

function move(endpoint: State, mode: Mode): void {
  const before = endpoint.mode;
  if (!NEXT[before].includes(mode)) throw new Error(`No endpoint turns from ${before} to ${mode}`);
  endpoint.mode = mode;
}

function giveUpWaiting({ waiting }: State): void {
  for (const resolve of waiting.splice(0)) resolve(null);
}
