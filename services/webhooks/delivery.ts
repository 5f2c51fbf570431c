// Delivery: from a claimed delivery to the record of its attempt. An attempt is made under a claim
// whose time is enough for it, in the order of its transaction, to an endpoint that is there and
// enabled; its outcome is written only by whoever still has the claim.

import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { mongo } from "mongoose";
import type { DeadLetterReason, ErrorClass } from "../../shared/contracts/webhooks.ts";
import type { Config } from "../../shared/env.ts";
import { gather } from "../../shared/gather.ts";
import type { Answer } from "./answer.ts";
import { createBodyReader } from "./bodies.ts";
import { createCircuits, MOST } from "./circuits.ts";
import { type Attempt, type Delivery, PASSING } from "./delivery.model.ts";
import { checkedLookup, destinationError, type Resolve } from "./destination.ts";
import type { Endpoint } from "./endpoint.model.ts";
import { signingSecrets } from "./endpoints.ts";
import type { Event } from "./event.model.ts";
import { type Client, createClient } from "./exchange.ts";
import { createLanes, type LaneBounds } from "./lanes.ts";
import { createOrder, isOverdue } from "./order.ts";
import { type ClaimedDelivery, deadLetter, type Outcome, outcomeOf, writeOf } from "./outcome.ts";
import { signedHeaders } from "./signature.ts";

export interface Deliverer {
  /**
   * Reserves a place for a delivery to the endpoint; false where it, or its business, has enough.
   * @param isNew so that it does not overtake what waits for a place
   */
  reserve(endpointId: string, businessId: string, isNew?: boolean): boolean;
  /** Gives a reserved place back. */
  free(endpointId: string): void;
  /** Places left for the endpoint, or in whole where none is named. */
  room(endpointId?: string): number;
  /** When a claim that is made now lapses. */
  leaseEnd(): Date;
  /** Delivers, in a reserved place. What fails here is the log's: the claim lapses. */
  take(delivery: ClaimedDelivery): void;
  /**
   * An endpoint has changed.
   * @param isAnother so that what was learned of it does not hold: its circuit begins as new
   */
  forget(endpointId: string, isAnother?: boolean): void;
  /** Begins nothing any more, and waits for what is in flight. */
  stop(): Promise<void>;
}

/** With the endpoint where an attempt was made. */
type Attempted = Outcome & { endpoint?: Endpoint };

/** Exchanges at once, to all endpoints. */
export const MAX_RUNNING = 2_048;
/** Some are left for what quick endpoints have begun before they fell silent, beside what is slow. */
const BOUNDS: LaneBounds = {
  running: { quick: 512, slow: 1_024, all: MAX_RUNNING },
  held: 16_384,
};
/** Classes of failures in which nothing of the receiver came back, or not all in time. */
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
  /** Something may be due for these endpoints, and there is room for it. */
  onDue: (endpointIds: string[]) => void;
  /** An attempt was made at an endpoint as it was then, and is recorded. */
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
    connections: MOST,
    pools: MAX_POOLS,
    connectionAgeMs: CONNECTION_AGE_MS,
    lookup: checkedLookup(resolve, allowPrivate),
  });
  const busy = new Set<Promise<void>>();
  const kept = new LRUCache<string, Endpoint>({ max: MAX_ENDPOINTS_KEPT, ttl: ENDPOINT_AGE_MS });

  const bodyOf = createBodyReader(events);

  const load = gather(
    async (ids: string[]) => {
      const found = await endpoints.find({ _id: { $in: [...new Set(ids)] } }).toArray();
      const byId = new Map(found.map((endpoint) => [endpoint._id, endpoint]));
      return ids.map((id) => byId.get(id) ?? null);
    },
    { maxItems: MAX_BATCH },
  );

  async function endpointOf(id: string): Promise<Endpoint | null> {
    const known = kept.get(id);
    if (known) return known;
    const endpoint = await load(id);
    if (endpoint) kept.set(id, endpoint);
    return endpoint;
  }

  const record = gather(
    async (outcomes: Outcome[]) => {
      await deliveries.bulkWrite(outcomes.map(writeOf), { ordered: false });
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

  /** What came of an attempt; null where its claim may lapse before it ends. */
  async function attempt(delivery: ClaimedDelivery): Promise<Attempted | null> {
    if (!hasTime(delivery)) return null;
    const endpoint = await endpointOf(delivery.endpointId);
    const impossible = whyNot(endpoint, allowPrivate);
    if (endpoint === null || impossible !== null) {
      return deadLetter(delivery, impossible ?? "deleted", null);
    }
    const { eventId, endpointId } = delivery;
    const body = delivery.body ?? (await bodyOf(eventId));
    if (body === null) return deadLetter(delivery, "expired", null);
    // Reading took its time.
    if (!hasTime(delivery)) return null;
    const at = new Date();
    const secrets = signingSecrets(config, endpoint, at);
    // Unsigned nothing goes out: it is tried again as anything that failed, and can be replayed.
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
    const outcome = outcomeOf(delivery, at, answer, retryScheduleMs);
    tell(outcome, answer);
    return { ...outcome, endpoint };
  }

  /** How the endpoint is to be treated from now on. What waits for a silent one goes back. */
  function learn(endpointId: string, at: Date, { durationMs, errorClass }: Answer): void {
    // Nothing was sent.
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

  /** One line for each attempt; a warning where there will be no other. */
  function tell({ delivery, change }: Outcome, answer: Answer): void {
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

  /** Whether it has ended, or has failed for so long that a later one may end it. */
  function keepsNothingBack({ change: { status, failingSince } }: Outcome): boolean {
    return status !== "PENDING" || isOverdue(failingSince, orderHoldMs);
  }

  /** @returns the outcome, once it is recorded; null where there is none, and others take it */
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

/** What comes of a delivery that nothing can sign. */
const unsigned: Client["send"] = async () => ({
  statusCode: null,
  durationMs: 0,
  error: "The endpoint's secret cannot be read: rotate it",
  errorClass: "secret",
  response: null,
  retryAfterMs: null,
});

/** Why an endpoint is not to be tried, now or later. */
function whyNot(endpoint: Endpoint | null, allowPrivate: boolean): DeadLetterReason | null {
  if (endpoint === null) return "deleted";
  if (endpoint.disabled) return "disabled";
  return destinationError(endpoint.url, allowPrivate) === null ? null : "refused";
}
