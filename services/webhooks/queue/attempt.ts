// Makes one attempt at a claimed delivery: an exchange that starts only if the claim lasts long
// enough for it and the endpoint exists and is enabled.

import type { KeyObject } from "node:crypto";
import type { LookupFunction } from "node:net";
import { LRUCache } from "lru-cache";
import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import type { ConfigOf } from "../../../shared/config/config.ts";
import type { DeadLetterReason } from "../../../shared/contracts/deliveries.ts";
import { openSpan } from "../../../shared/observability/spans.ts";
import { gatherById } from "../../../shared/storage/find-by-id.ts";
import type { Endpoint } from "../endpoints/endpoint.model.ts";
import { signingKeys } from "../endpoints/endpoint-secrets.ts";
import { NO_ANSWER, type ReceiverAnswer } from "../exchange/answer.ts";
import { destinationError } from "../exchange/destination.ts";
import { createClient } from "../exchange/exchange.ts";
import { signedHeaders } from "../exchange/signature.ts";
import { MAX_LIMIT } from "./circuits.ts";
import type { Event } from "./event.model.ts";
import { type AttemptOutcome, type ClaimedDelivery, deadLetter, decideOutcome } from "./outcome.ts";

/** An outcome with its endpoint, if an attempt was made. */
export type Attempted = AttemptOutcome & { endpoint?: Endpoint };

/** An endpoint, its check and its opened keys, kept for a second. The keys are never logged. */
interface Target {
  endpoint: Endpoint;
  /** The reason why no attempt can be made; null if one can. */
  impossible: DeadLetterReason | null;
  keys: KeyObject[];
}

export interface Attempts {
  /** @returns the outcome; null if the claim may lapse before the attempt ends */
  make(delivery: ClaimedDelivery): Promise<Attempted | null>;
  /** When a claim made now lapses. */
  leaseEnd(): Date;
  forget(endpointId: string): void;
  close(): void;
}

const RECORD_MARGIN_MS = 2_500;
const ENDPOINT_AGE_MS = 1_000;
const MAX_ENDPOINTS_KEPT = 10_000;
const MAX_CONNECTIONS_KEPT = 2_000;
const CONNECTION_AGE_MS = 60_000;
/**
 * Reads the primary's newest state: after an election a majority read may not show a stored
 * document yet.
 */
const NEWEST = {};
const BATCH = { maxItems: 500 };
/** A few megabytes at most, because these bodies are large. */
const BODIES = { maxItems: 32 };

export function createAttempts(options: {
  config: ConfigOf<"webhooks">;
  endpoints: mongo.Collection<Endpoint>;
  events: mongo.Collection<Event>;
  lookup: LookupFunction;
  clock: Clock;
  log: { warn(...args: unknown[]): void; debug(...args: unknown[]): void };
  onExchange: (endpointId: string, at: Date, answer: ReceiverAnswer) => void;
}): Attempts {
  const { config, endpoints, events, lookup, clock, log, onExchange } = options;
  const { timeoutMs, allowPrivate, retryScheduleMs } = config.webhooks;
  const client = createClient({
    timeoutMs,
    connections: MAX_LIMIT,
    kept: MAX_CONNECTIONS_KEPT,
    connectionAgeMs: CONNECTION_AGE_MS,
    lookup,
    clock,
  });
  const kept = new LRUCache<string, Target>({ max: MAX_ENDPOINTS_KEPT, ttl: ENDPOINT_AGE_MS });
  const readEndpoint = gatherById(endpoints, BATCH, NEWEST);
  const readEvent = gatherById(events, BODIES, { ...NEWEST, projection: { body: 1 } });

  async function loadTarget(id: string): Promise<Target | null> {
    const known = kept.get(id);
    if (known) return known;
    const endpoint = await readEndpoint(id);
    if (!endpoint) return null;
    const impossible = reasonNotToTry(endpoint, allowPrivate);
    const keys = impossible === null ? signingKeys(config, endpoint, new Date(clock.now())) : [];
    const target = { endpoint, impossible, keys };
    kept.set(id, target);
    return target;
  }

  /** Whether an attempt that begins now is over and recorded before its claim lapses. */
  const hasTime = ({ claimedUntil }: ClaimedDelivery) =>
    clock.now() + timeoutMs + RECORD_MARGIN_MS <= claimedUntil;

  async function send(
    { endpoint, keys }: Target,
    { eventId, failures }: ClaimedDelivery,
    body: string,
    at: Date,
  ): Promise<ReceiverAnswer> {
    const { _id: endpointId, url } = endpoint;
    if (keys.length === 0) {
      const keyIds = endpoint.secrets.map(({ sealed }) => sealed.keyId);
      log.warn("A webhook's secret cannot be opened", { endpointId, keyIds });
      return UNSIGNED;
    }
    const headers = {
      "content-type": "application/json",
      "user-agent": "payrail-webhooks/1",
      ...signedHeaders(keys, eventId, body, at.getTime()),
    };
    const span = openSpan("POST webhook", {
      kind: "client",
      attributes: { "http.request.method": "POST", "http.request.resend_count": failures },
    });
    const answer = await client.send({ endpointId, url, headers, body });
    const { statusCode, errorClass } = answer;
    span?.end({
      ...(statusCode !== null && { attributes: { "http.response.status_code": statusCode } }),
      ...(errorClass && { failure: errorClass }),
    });
    return answer;
  }

  /** Logs one line for each attempt; a warning if no other attempt follows. */
  function logAttempt({ delivery, change }: AttemptOutcome, answer: ReceiverAnswer): void {
    const { statusCode, durationMs, error, errorClass } = answer;
    const { _id: deliveryId, eventId, endpointId } = delivery;
    const line = { deliveryId, eventId, endpointId, statusCode, durationMs, error, errorClass };
    if (change.status === "DEAD_LETTER") log.warn("A webhook is a dead letter", line);
    else log.debug(`A webhook is ${change.status}`, line);
  }

  return {
    async make(delivery) {
      if (!hasTime(delivery)) return null;
      const { eventId, endpointId } = delivery;
      const target = await loadTarget(endpointId);
      if (target === null) return deadLetter(delivery, "deleted", null);
      const { endpoint, impossible } = target;
      if (impossible !== null) return deadLetter(delivery, impossible, null);
      const body = delivery.body ?? (await readEvent(eventId))?.body;
      if (body === undefined) return deadLetter(delivery, "expired", null);
      // Reading the body took time.
      if (!hasTime(delivery)) return null;
      const at = new Date(clock.now());
      const answer = await send(target, delivery, body, at);
      onExchange(endpointId, at, answer);
      const outcome = decideOutcome(delivery, at, answer, retryScheduleMs, clock);
      logAttempt(outcome, answer);
      return { ...outcome, endpoint };
    },
    leaseEnd: () => new Date(clock.now() + 2 * (timeoutMs + RECORD_MARGIN_MS)),
    forget: (endpointId) => void kept.delete(endpointId),
    close: client.close,
  };
}

/**
 * The answer for a delivery without a usable signing secret, because an unsigned webhook is never
 * sent. The attempt counts as failed, so it is retried and can be replayed.
 */
const UNSIGNED: ReceiverAnswer = {
  ...NO_ANSWER,
  error: "The endpoint's secret cannot be read: rotate it",
  errorClass: "secret",
};

/** The reason why no attempt can be made at an endpoint; null if one can. */
function reasonNotToTry(
  { disabled, url }: Endpoint,
  allowPrivate: boolean,
): DeadLetterReason | null {
  if (disabled) return "disabled";
  return destinationError(url, allowPrivate) === null ? null : "refused";
}
