// Makes one attempt at a claimed delivery and records its outcome. The attempt starts only if the
// claim lasts long enough for it, no earlier event of the transaction is pending, and the endpoint
// exists and is enabled. The outcome is written only under the same claim, so a process that lost
// it changes nothing.

import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { mongo } from "mongoose";
import type { DeadLetterReason, ErrorClass } from "../../shared/contracts/webhooks.ts";
import type { Config } from "../../shared/env.ts";
import { gather } from "../../shared/gather.ts";
import type { Answer } from "./answer.ts";
import { createBodyReader } from "./bodies.ts";
import { createCircuits, MAX_LIMIT } from "./circuits.ts";
import { type Attempt, type Delivery, PASSING } from "./delivery.model.ts";
import { checkedLookup, destinationError, type Resolve } from "./destination.ts";
import type { Endpoint } from "./endpoint.model.ts";
import { signingSecrets } from "./endpoints.ts";
import type { Event } from "./event.model.ts";
import { type Client, createClient } from "./exchange.ts";
import { createLanes, type LaneBounds } from "./lanes.ts";
import { createOrder, isOverdue } from "./order.ts";
import {
  type ClaimedDelivery,
  deadLetter,
  decideOutcome,
  type Outcome,
  outcomeUpdate,
} from "./outcome.ts";
import { signedHeaders } from "./signature.ts";

export interface Deliverer {
  /**
   * Reserves a place for a delivery to the endpoint.
   * @param isNew true for a delivery that was just stored: it does not overtake older ones that
   *   wait for a place
   * @returns false if the endpoint or its business has its share of places already
   */
  reserve(endpointId: string, businessId: string, isNew?: boolean): boolean;
  /** Gives a reserved place back. */
  free(endpointId: string): void;
  /** The free places of the endpoint, or of the whole process without an endpoint. */
  room(endpointId?: string): number;
  /** When a claim made now lapses. */
  leaseEnd(): Date;
  /** Delivers in a reserved place. Never throws: an error is logged, and the claim lapses. */
  take(delivery: ClaimedDelivery): void;
  /**
   * Drops the cached endpoint after a change.
   * @param isAnother true if the endpoint has another URL or is enabled again: its circuit starts
   *   anew
   */
  forget(endpointId: string, isAnother?: boolean): void;
  /** Starts no attempt any more and waits for the running ones. */
  stop(): Promise<void>;
}

/** An outcome with its endpoint, if an attempt was made. */
type Attempted = Outcome & { endpoint?: Endpoint };

/** The most exchanges that run at once, over all endpoints. */
export const MAX_RUNNING = 2_048;
/**
 * The sum of quick and slow is below `all`: the rest is for exchanges that turn slow while they
 * run.
 */
const BOUNDS: LaneBounds = {
  running: { quick: 512, slow: 1_024, all: MAX_RUNNING },
  held: 16_384,
};
/** Failures without a complete answer from the receiver in time. */
const SILENT: ReadonlySet<ErrorClass | null> = new Set<ErrorClass>([
  "dns",
  "connection",
  "tls",
  "timeout",
]);
const RECORD_MARGIN_MS = 2_500;
const ENDPOINT_AGE_MS = 1_000;
const MAX_ENDPOINTS_KEPT = 10_000;
const MAX_BATCH = 500;
const MAX_POOLS = 2_000;
const CONNECTION_AGE_MS = 60_000;
const STOP_WITHIN_MS = 20_000;

export function createDeliverer(options: {
  config: Config;
  deliveries: mongo.Collection<Delivery>;
  endpoints: mongo.Collection<Endpoint>;
  events: mongo.Collection<Event>;
  resolve: Resolve;
  log: { warn(...args: unknown[]): void; debug(...args: unknown[]): void };
  /** Called with endpoints that may have a due delivery and have room for it. */
  onDue: (endpointIds: string[]) => void;
  /** Called after an attempt is recorded, with the endpoint as the attempt read it. */
  onAttempt: (endpoint: Endpoint, attempt: Attempt) => Promise<void>;
}): Deliverer {
  const { config, deliveries, endpoints, events, resolve, log, onDue, onAttempt } = options;
  const { timeoutMs, orderHoldMs, allowPrivate, retryScheduleMs } = config.webhooks;
  const circuits = createCircuits();
  const lanes = createLanes({
    bounds: BOUNDS,
    limit: (endpointId) => circuits.limit(endpointId, Date.now()),
    isQuick: circuits.isQuick,
    onRoom: (endpointId) => onDue([endpointId]),
  });
  const order = createOrder(deliveries, orderHoldMs, onDue);
  const client = createClient({
    timeoutMs,
    connections: MAX_LIMIT,
    pools: MAX_POOLS,
    connectionAgeMs: CONNECTION_AGE_MS,
    lookup: checkedLookup(resolve, allowPrivate),
  });
  const busy = new Set<Promise<void>>();
  const kept = new LRUCache<string, Endpoint>({ max: MAX_ENDPOINTS_KEPT, ttl: ENDPOINT_AGE_MS });

  const readBody = createBodyReader(events);

  const readEndpoints = gather(
    async (ids: string[]) => {
      const found = await endpoints.find({ _id: { $in: [...new Set(ids)] } }).toArray();
      const byId = new Map(found.map((endpoint) => [endpoint._id, endpoint]));
      return ids.map((id) => byId.get(id) ?? null);
    },
    { maxItems: MAX_BATCH },
  );

  async function loadEndpoint(id: string): Promise<Endpoint | null> {
    const known = kept.get(id);
    if (known) return known;
    const endpoint = await readEndpoints(id);
    if (endpoint) kept.set(id, endpoint);
    return endpoint;
  }

  const record = gather(
    async (outcomes: Outcome[]) => {
      await deliveries.bulkWrite(outcomes.map(outcomeUpdate), { ordered: false });
      return outcomes.map(() => undefined);
    },
    { maxItems: MAX_BATCH },
  );

  const giveBack = gather(
    async (claimed: ClaimedDelivery[]) => {
      const ids = claimed.map(({ _id }) => _id);
      const claims = [...new Set(claimed.map(({ claim }) => claim))];
      await deliveries.updateMany(
        { _id: { $in: ids }, claim: { $in: claims }, status: "PENDING" },
        { $set: { claim: null, nextAttemptAt: new Date() } },
        PASSING,
      );
      return claimed.map(() => undefined);
    },
    { maxItems: MAX_BATCH },
  );

  /** Whether an attempt that begins now is over and recorded before its claim lapses. */
  const hasTime = ({ claimedUntil }: ClaimedDelivery) =>
    Date.now() + timeoutMs + RECORD_MARGIN_MS <= claimedUntil;

  /** Makes an attempt. @returns its outcome; null if the claim may lapse before the attempt ends */
  async function attempt(delivery: ClaimedDelivery): Promise<Attempted | null> {
    if (!hasTime(delivery)) return null;
    const endpoint = await loadEndpoint(delivery.endpointId);
    const impossible = reasonNotToTry(endpoint, allowPrivate);
    if (endpoint === null || impossible !== null) {
      return deadLetter(delivery, impossible ?? "deleted", null);
    }
    const { eventId, endpointId } = delivery;
    const body = delivery.body ?? (await readBody(eventId));
    if (body === null) return deadLetter(delivery, "expired", null);
    // Reading the body took time.
    if (!hasTime(delivery)) return null;
    const at = new Date();
    const secrets = signingSecrets(config, endpoint, at);
    // An unsigned webhook is never sent. The attempt counts as failed, so it is retried and can be
    // replayed.
    const send = secrets.length > 0 ? client.send : unsigned;
    if (send === unsigned) {
      const keyIds = endpoint.secrets.map(({ sealed }) => sealed.keyId);
      log.warn("A webhook's secret cannot be opened", { endpointId, keyIds });
    }
    const answer = await send({
      endpointId,
      url: endpoint.url,
      headers: {
        "content-type": "application/json",
        "user-agent": "payrail-webhooks/1",
        ...signedHeaders(secrets, eventId, body, at.getTime()),
      },
      body,
    });
    learn(endpointId, at, answer);
    const outcome = decideOutcome(delivery, at, answer, retryScheduleMs);
    logAttempt(outcome, answer);
    return { ...outcome, endpoint };
  }

  /**
   * Updates the endpoint's circuit. If it opens, the deliveries that wait for the endpoint go back.
   */
  function learn(endpointId: string, at: Date, { durationMs, errorClass }: Answer): void {
    // No request was sent.
    if (errorClass === "secret" || errorClass === "address") return;
    const answered = !SILENT.has(errorClass);
    const exchange = {
      begunAt: at.getTime(),
      durationMs,
      answered,
      delivered: errorClass === null,
    };
    if (circuits.ended(endpointId, exchange, Date.now())) lanes.empty(endpointId);
  }

  /** Logs one line for each attempt; a warning if no other attempt follows. */
  function logAttempt({ delivery, change }: Outcome, answer: Answer): void {
    const { statusCode, durationMs, error, errorClass } = answer;
    const { _id: deliveryId, eventId, endpointId } = delivery;
    const line = { deliveryId, eventId, endpointId, statusCode, durationMs, error, errorClass };
    if (change.status === "DEAD_LETTER") log.warn("A webhook is a dead letter", line);
    else log.debug(`A webhook is ${change.status}`, line);
  }

  async function handle(delivery: ClaimedDelivery): Promise<void> {
    const outcome = await held(delivery);
    if (outcome && keepsNothingBack(outcome)) await order.release(delivery);
    if (outcome?.endpoint && outcome.attempt) await onAttempt(outcome.endpoint, outcome.attempt);
  }

  /**
   * Whether the delivery has ended, or has failed for so long that a later one may supersede it.
   */
  function keepsNothingBack({ change: { status, failingSince } }: Outcome): boolean {
    return status !== "PENDING" || isOverdue(failingSince, orderHoldMs);
  }

  /** @returns the recorded outcome; null if the delivery was given back for a later claim */
  async function held(delivery: ClaimedDelivery): Promise<Attempted | null> {
    const { endpointId } = delivery;
    try {
      if (!(await order.mayGo(delivery))) return null;
      const outcome = await lanes.run(endpointId, () => attempt(delivery));
      await (outcome ? record(outcome) : giveBack(delivery));
      return outcome;
    } finally {
      lanes.free(endpointId);
    }
  }

  return {
    reserve: lanes.reserve,
    free: lanes.free,
    room: lanes.room,
    leaseEnd: () => new Date(Date.now() + 2 * (timeoutMs + RECORD_MARGIN_MS)),

    take(delivery) {
      const done = handle(delivery)
        .catch((error: unknown) => log.warn("A delivery was left to its next claim", error))
        .finally(() => busy.delete(done));
      busy.add(done);
    },

    forget(endpointId, isAnother = false) {
      kept.delete(endpointId);
      if (isAnother) circuits.forget(endpointId);
    },

    async stop() {
      lanes.stop();
      await Promise.race([Promise.all(busy), sleep(STOP_WITHIN_MS, null, { ref: false })]);
      await client.close();
    },
  };
}

/** The answer for a delivery without a usable signing secret. */
const unsigned: Client["send"] = async () => ({
  statusCode: null,
  durationMs: 0,
  error: "The endpoint's secret cannot be read: rotate it",
  errorClass: "secret",
  response: null,
  retryAfterMs: null,
});

/** The reason why no attempt can be made at an endpoint, now or later; null if one can. */
function reasonNotToTry(endpoint: Endpoint | null, allowPrivate: boolean): DeadLetterReason | null {
  if (endpoint === null) return "deleted";
  if (endpoint.disabled) return "disabled";
  return destinationError(endpoint.url, allowPrivate) === null ? null : "refused";
}
