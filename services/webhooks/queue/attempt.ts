// Makes one attempt at a claimed delivery, and decides its outcome. The exchange starts only if the
// claim lasts long enough for it, and the endpoint exists and is enabled.

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
import { retryWaitMs } from "../exchange/schedule.ts";
import { signedHeaders } from "../exchange/signature.ts";
import { type AttemptOutcome, attemptMs, type ClaimedDelivery } from "./claims.ts";
import { type DeliveryAttempt, deadLettered } from "./delivery.model.ts";
import { MAX_LIMIT } from "./endpoint.ts";
import type { Event } from "./event.model.ts";

/** An endpoint, its check and its opened keys, kept for a second. The keys are never logged. */
interface Target {
  endpoint: Endpoint;
  /** The reason why no attempt can be made; null if one can. */
  impossible: DeadLetterReason | null;
  keys: KeyObject[];
}

export interface Attempts {
  /** @returns the outcome; null if the claim may lapse before the attempt ends */
  make(delivery: ClaimedDelivery): Promise<AttemptOutcome | null>;
  forget(endpointId: string): void;
  close(): void;
}

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
}): Attempts {
  const { config, endpoints, events, lookup, clock, log } = options;
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
    const isRefused = destinationError(endpoint.url, allowPrivate) !== null;
    const impossible: Target["impossible"] = endpoint.disabled
      ? "disabled"
      : isRefused
        ? "refused"
        : null;
    const keys = impossible === null ? signingKeys(config, endpoint, new Date(clock.now())) : [];
    const target = { endpoint, impossible, keys };
    kept.set(id, target);
    return target;
  }

  /** Whether an attempt that begins now is over and recorded before its claim lapses. */
  const hasTime = ({ claimedUntil }: ClaimedDelivery) =>
    clock.now() + attemptMs(config) <= claimedUntil;

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

  /** @param at the beginning of the attempt */
  function decide(delivery: ClaimedDelivery, at: Date, answer: ReceiverAnswer): AttemptOutcome {
    const { retryAfterMs, ...result } = answer;
    const attempt = { at, ...result };
    const { failures, failingSince } = delivery;
    const change = { deadLetterReason: null, failures, failingSince };
    if (answer.errorClass === null) {
      return { delivery, change: { ...change, status: "DELIVERED", nextAttemptAt: null }, attempt };
    }
    if (answer.errorClass === "address") return deadLetter(delivery, "refused", attempt);
    const wait = retryWaitMs(retryScheduleMs, failures + 1, retryAfterMs, clock.random());
    if (wait === null) return deadLetter(delivery, "exhausted", attempt);
    const nextAttemptAt = new Date(clock.now() + wait);
    const failed = { failures: failures + 1, failingSince: failingSince ?? at };
    return {
      delivery,
      change: { ...change, ...failed, status: "PENDING", nextAttemptAt },
      attempt,
    };
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
      const outcome = decide(delivery, at, answer);
      logAttempt(outcome, answer);
      return { ...outcome, endpoint };
    },
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

/** The outcome of a delivery that is not tried again. @param attempt null without a last attempt */
function deadLetter(
  delivery: ClaimedDelivery,
  reason: DeadLetterReason,
  attempt: DeliveryAttempt | null,
): AttemptOutcome {
  const change = {
    ...deadLettered(reason),
    failures: delivery.failures + (attempt ? 1 : 0),
    failingSince: delivery.failingSince ?? attempt?.at ?? null,
  };
  return { delivery, change, attempt };
}
