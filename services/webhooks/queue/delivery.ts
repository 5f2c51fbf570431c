// Runs claimed deliveries: each in a reserved place, in the order of its transaction, at its turn.

import { setTimeout as sleep } from "node:timers/promises";
import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import type { ConfigOf } from "../../../shared/config/config.ts";
import type { Metrics } from "../../../shared/observability/metrics.ts";
import { NO_ORIGINS, workFor } from "../../../shared/rpc/origin.ts";
import type { Endpoint } from "../endpoints/endpoint.model.ts";
import { checkedLookup, type Resolve } from "../exchange/destination.ts";
import { createAttempts } from "./attempt.ts";
import type { AttemptOutcome, ClaimedDelivery, DeliveryClaims } from "./claims.ts";
import type { DeliveryAttempt } from "./delivery.model.ts";
import { createEndpoints, type Endpoints } from "./endpoint.ts";
import type { Event } from "./event.model.ts";

export interface Deliverer extends Pick<Endpoints, "reserve" | "room"> {
  /** Gives a reserved place back. */
  free(endpointId: string): void;
  /** When a claim made now lapses. */
  leaseEnd(): Date;
  /** Delivers in a reserved place. Never throws: an error is logged, and the claim lapses. */
  take(delivery: ClaimedDelivery): void;
  /**
   * Drops the cached endpoint after a change.
   * @param startsAnew whether it has another URL or is enabled again, so that earlier exchanges
   *   count for nothing
   */
  forget(endpointId: string, startsAnew?: boolean): void;
  /** Starts no attempt any more and waits for the running ones. */
  stop(): Promise<void>;
}

const STOP_WITHIN_MS = 20_000;
/**
 * A success waits for others to be recorded with, because a command costs the database as much as
 * ten records in it. If the process dies in between, the webhook is sent again.
 */
const SUCCESS_RECORDED_WITHIN_MS = 15;

export function createDeliverer(options: {
  config: ConfigOf<"webhooks">;
  clock: Clock;
  claims: DeliveryClaims;
  endpoints: mongo.Collection<Endpoint>;
  events: mongo.Collection<Event>;
  resolve: Resolve;
  log: { warn(...args: unknown[]): void; debug(...args: unknown[]): void };
  /** Called with endpoints that may have due deliveries and have room for them. */
  onDue: (endpointIds: string[]) => void;
  /** Called with the moment at which a delivery is due again, epoch ms. */
  onDueLater: (at: number) => void;
  /** Called after an attempt is recorded, with the endpoint as the attempt read it. */
  onAttempt: (endpoint: Endpoint, attempt: DeliveryAttempt) => Promise<void>;
  metrics: Metrics;
}): Deliverer {
  const { config, clock, claims, resolve, log, onDue, onDueLater, onAttempt, metrics } = options;
  const lookup = checkedLookup(resolve, config.webhooks.allowPrivate);
  const endpoints = createEndpoints(clock);
  const attempts = createAttempts({ ...options, lookup });
  const busy = new Set<Promise<void>>();
  let successes: Promise<void> | null = null;

  /** The moment at which all successes up to then are recorded together. */
  function nextRecord(): Promise<void> {
    successes ??= sleep(SUCCESS_RECORDED_WITHIN_MS).then(() => {
      successes = null;
    });
    return successes;
  }

  function free(endpointId: string): void {
    if (endpoints.free(endpointId)) onDue([endpointId]);
  }

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const outcome = await runInPlace(delivery);
    // Only the database knows the time of a delivery that was held, so the next look reads it.
    if (!outcome) return onDueLater(clock.now());
    const { change, endpoint, attempt } = outcome;
    if (change.nextAttemptAt) onDueLater(change.nextAttemptAt.getTime());
    countOutcome(metrics, outcome);
    await claims.releaseAfter(outcome);
    if (endpoint && attempt) await onAttempt(endpoint, attempt);
  }

  /** @returns the recorded outcome; null if the delivery was held or given back */
  async function runInPlace(delivery: ClaimedDelivery): Promise<AttemptOutcome | null> {
    try {
      if (!(await claims.mayGo(delivery))) return null;
      const outcome = await endpoints.run(delivery.endpointId, () => attempts.make(delivery));
      if (outcome?.change.status === "DELIVERED") await nextRecord();
      await (outcome ? claims.record(outcome) : claims.giveBack(delivery));
      return outcome;
    } finally {
      free(delivery.endpointId);
    }
  }

  return {
    reserve: endpoints.reserve,
    room: endpoints.room,
    free,
    leaseEnd: claims.leaseEnd,

    take(delivery) {
      const done = workFor(delivery.origin ? [delivery.origin] : NO_ORIGINS, () =>
        deliver(delivery)
          .catch((error: unknown) => log.warn("A delivery was left to its next claim", error))
          .finally(() => busy.delete(done)),
      );
      busy.add(done);
    },

    forget(endpointId, startsAnew = false) {
      attempts.forget(endpointId);
      if (startsAnew) endpoints.forget(endpointId);
    },

    async stop() {
      endpoints.stop();
      await Promise.race([Promise.all(busy), sleep(STOP_WITHIN_MS, null, { ref: false })]);
      attempts.close();
    },
  };
}

function countOutcome(metrics: Metrics, { attempt, change }: AttemptOutcome): void {
  if (attempt) {
    metrics.count("payrail_webhook_attempts_total", { result: resultOf(attempt) });
    metrics.observe("payrail_webhook_attempt_seconds", attempt.durationMs / 1_000, {});
  }
  const { deadLetterReason: reason } = change;
  if (reason !== null) metrics.count("payrail_webhook_dead_letters_total", { reason });
}

/** The class of the answer's status, or of the failure without an answer. */
function resultOf({ statusCode, errorClass }: DeliveryAttempt): string {
  const isAnswer = errorClass === null || errorClass === "status";
  return isAnswer && statusCode !== null ? `${Math.floor(statusCode / 100)}xx` : String(errorClass);
}
