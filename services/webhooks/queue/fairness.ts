// Fairness: how many deliveries an endpoint may hold, and which endpoint begins one next. Turns
// rotate over the businesses, then over the endpoints of each. Pure: endpoint.ts keeps the counts.
//
// Quick and slow endpoints have separate running places, so slow ones take none from quick ones. A
// business may run at most as many slow deliveries as slow places remain free, so one business
// never takes more than half of them. The same rule applies to the places that hold deliveries, and
// to the endpoints of a business.

import { MAX_RUNNING } from "../exchange/exchange.ts";

export type Pace = "quick" | "slow";

export interface PlaceBounds {
  /** Running at the same time: begun at quick endpoints, begun at slow endpoints, and in total. */
  running: Record<Pace | "all", number>;
  held: number;
}

/** The deliveries of a business: held, and running at a slow pace. */
export interface BusinessLoad {
  id: string;
  held: number;
  slow: number;
}

/** The state of an endpoint that decides its share. */
export interface EndpointLoad {
  business: BusinessLoad;
  /** By the last exchange. */
  pace: Pace;
  /** How many deliveries may run at the same time. */
  limit: number;
  /** Deliveries with a reserved place, running ones among them. */
  held: number;
  running: number;
  /** The deliveries that wait for a turn. */
  waiting: unknown[];
}

/** The endpoints that wait for a turn, by pace and business; the next ones are first. */
export type EndpointTurns<E> = Record<Pace, Map<BusinessLoad, Set<E>>>;

/**
 * The sum of quick and slow is below `all`: the rest is for exchanges that turn slow while they
 * run.
 */
export const BOUNDS: PlaceBounds = {
  running: { quick: 512, slow: 1_024, all: MAX_RUNNING },
  held: 16_384,
};

/** The endpoint with the next turn; undefined if none may begin a delivery. */
export function pick<E>(
  turns: EndpointTurns<E>,
  running: Record<Pace, number>,
  bounds: PlaceBounds["running"],
): E | undefined {
  if (running.quick + running.slow >= bounds.all) return undefined;
  const quick = running.quick < bounds.quick ? turns.quick.values().next().value : undefined;
  const free = bounds.slow - running.slow;
  const slow = () => turns.slow.entries().find(([business]) => business.slow < free)?.[1];
  return (quick ?? slow())?.values().next().value;
}

/** Lets an endpoint wait for a turn while a delivery of it may begin. An earlier turn is kept. */
export function queue<E extends EndpointLoad>(turns: EndpointTurns<E>, endpoint: E): void {
  const { business, pace, limit, running, waiting } = endpoint;
  const mayBegin = waiting.length > 0 && running < limit;
  if (mayBegin && turns[pace].get(business)?.has(endpoint)) return;
  endTurn(turns, endpoint);
  if (mayBegin) turns[pace].set(business, (turns[pace].get(business) ?? new Set()).add(endpoint));
}

/** Ends the turn of an endpoint and of its business. */
export function endTurn<E extends EndpointLoad>(turns: EndpointTurns<E>, endpoint: E): void {
  const { business } = endpoint;
  for (const ofPace of Object.values(turns)) {
    const endpoints = ofPace.get(business);
    if (!endpoints?.delete(endpoint)) continue;
    ofPace.delete(business);
    if (endpoints.size > 0) ofPace.set(business, endpoints);
  }
}

/**
 * How many deliveries an endpoint may hold, by how many it may run. A low limit holds few, because
 * the claims of waiting deliveries expire. A high limit holds enough until the next read of the
 * database.
 */
export function holdLimit(limit: number): number {
  return Math.ceil((limit * limit) / 2);
}

/**
 * How many more deliveries an endpoint may hold. Each of them counts for the endpoint, its business
 * and the process.
 * @param free the free places of the process
 */
export function roomFor({ limit, held, business }: EndpointLoad, free: number): number {
  const share = Math.ceil((free - business.held - held) / 3);
  return Math.max(0, Math.min(holdLimit(limit) - held, share));
}
