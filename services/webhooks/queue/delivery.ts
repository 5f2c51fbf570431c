// Runs claimed deliveries: each in a reserved place, in the order of its transaction, at its turn.
// The outcome is written only under the same claim, so a process that lost it changes nothing.

import { setTimeout as sleep } from "node:timers/promises";
import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import type { ConfigOf } from "../../../shared/config/config.ts";
import type { ErrorClass } from "../../../shared/contracts/deliveries.ts";
import type { Metrics } from "../../../shared/observability/metrics.ts";
import { gatherWrites } from "../../../shared/resumable/gather.ts";
import { NO_ORIGINS, workFor } from "../../../shared/rpc/origin.ts";
import { runUpdate } from "../../../shared/storage/commands.ts";
import type { Endpoint } from "../endpoints/endpoint.model.ts";
import type { ReceiverAnswer } from "../exchange/answer.ts";
import { checkedLookup, type Resolve } from "../exchange/destination.ts";
import { MAX_RUNNING } from "../exchange/exchange.ts";
import { type Attempted, createAttempts } from "./attempt.ts";
import { createCircuits } from "./circuits.ts";
import { type Delivery, type DeliveryAttempt, PASSING } from "./delivery.model.ts";
import type { Event } from "./event.model.ts";
import { createLanes, type LaneBounds, type Lanes } from "./lanes.ts";
import { createOrder, isOverdue } from "./order.ts";
import { type AttemptOutcome, type ClaimedDelivery, outcomeUpdate } from "./outcome.ts";

/** A lane is an endpoint. */
export interface Deliverer extends Pick<Lanes, "reserve" | "free" | "room"> {
  /** When a claim made now lapses. */
  leaseEnd(): Date;
  /** Delivers in a reserved place. Never throws: an error is logged, and the claim lapses. */
  take(delivery: ClaimedDelivery): void;
  /**
   * Drops the cached endpoint after a change.
   * @param startsAnew whether it has another URL or is enabled again, so that its circuit counts
   *   for nothing
   */
  forget(endpointId: string, startsAnew?: boolean): void;
  /** Starts no attempt any more and waits for the running ones. */
  stop(): Promise<void>;
}

/**
 * The sum of quick and slow is below `all`: the rest is for exchanges that turn slow while they
 * run.
 */
const BOUNDS: LaneBounds = {
  running: { quick: 512, slow: 1_024, all: MAX_RUNNING },
  held: 16_384,
};
/** Failures without a complete answer from the receiver in time. */
const SILENT: (ErrorClass | null)[] = ["dns", "connection", "tls", "timeout"];
const BATCH = { maxItems: 500 };
const STOP_WITHIN_MS = 20_000;
/**
 * A success waits for others to be recorded with, because a command costs the database as much as
 * ten records in it. If the process dies in between, the webhook is sent again.
 */
const SUCCESS_RECORDED_WITHIN_MS = 15;

function workForDelivery<T>({ origin }: ClaimedDelivery, work: () => T): T {
  return workFor(origin ? [origin] : NO_ORIGINS, work);
}

export function createDeliverer(options: {
  config: ConfigOf<"webhooks">;
  clock: Clock;
  deliveries: mongo.Collection<Delivery>;
  endpoints: mongo.Collection<Endpoint>;
  events: mongo.Collection<Event>;
  resolve: Resolve;
  log: { warn(...args: unknown[]): void; debug(...args: unknown[]): void };
  /** Called with endpoints that may have a due delivery and have room for it. */
  onDue: (endpointIds: string[]) => void;
  /** Called with the moment at which a delivery is due again, epoch ms. */
  onDueLater: (at: number) => void;
  /** Called after an attempt is recorded, with the endpoint as the attempt read it. */
  onAttempt: (endpoint: Endpoint, attempt: DeliveryAttempt) => Promise<void>;
  metrics: Metrics;
}): Deliverer {
  const { config, clock, deliveries, resolve, log, onDue, onDueLater, onAttempt, metrics } =
    options;
  const { orderHoldMs, allowPrivate } = config.webhooks;
  const circuits = createCircuits(clock.random);
  const lanes = createLanes({
    bounds: BOUNDS,
    limit: (endpointId) => circuits.limit(endpointId, clock.now()),
    isQuick: circuits.isQuick,
    onRoom: (endpointId) => onDue([endpointId]),
  });
  const order = createOrder(deliveries, clock, orderHoldMs, onDue);
  const attempts = createAttempts({
    ...options,
    lookup: checkedLookup(resolve, allowPrivate),
    onExchange: learn,
  });
  const busy = new Set<Promise<void>>();

  const record = gatherWrites(
    (outcomes: AttemptOutcome[]) => runUpdate(deliveries, outcomes.map(outcomeUpdate)),
    BATCH,
  );

  let successes: Promise<void> | null = null;

  /** The moment at which all successes up to then are recorded together. */
  function nextRecord(): Promise<void> {
    successes ??= sleep(SUCCESS_RECORDED_WITHIN_MS).then(() => {
      successes = null;
    });
    return successes;
  }

  const giveBack = gatherWrites((claimed: ClaimedDelivery[]) => {
    const ids = claimed.map(({ _id }) => _id);
    const claims = [...new Set(claimed.map(({ claim }) => claim))];
    return deliveries.updateMany(
      { _id: { $in: ids }, claim: { $in: claims }, status: "PENDING" },
      { $set: { claim: null, nextAttemptAt: new Date(clock.now()) } },
      PASSING,
    );
  }, BATCH);

  /**
   * Updates the endpoint's circuit. If it opens, the deliveries that wait for the endpoint go back.
   */
  function learn(endpointId: string, at: Date, { durationMs, errorClass }: ReceiverAnswer): void {
    // No request was sent.
    if (errorClass === "secret" || errorClass === "address") return;
    const exchange = {
      begunAt: at.getTime(),
      durationMs,
      answered: !SILENT.includes(errorClass),
      delivered: errorClass === null,
    };
    if (circuits.ended(endpointId, exchange, clock.now())) lanes.empty(endpointId);
  }

  async function handle(delivery: ClaimedDelivery): Promise<void> {
    const outcome = await runInPlace(delivery);
    // Only the database knows the time of a delivery that was held, so the next look reads it.
    const dueAt = outcome ? outcome.change.nextAttemptAt : new Date(clock.now());
    if (dueAt) onDueLater(dueAt.getTime());
    if (outcome) countOutcome(metrics, outcome);
    if (outcome && keepsNothingBack(outcome)) await order.release(delivery);
    if (outcome?.endpoint && outcome.attempt) await onAttempt(outcome.endpoint, outcome.attempt);
  }

  /**
   * Whether the delivery has ended, or has failed for so long that a later one may supersede it.
   */
  function keepsNothingBack({ change: { status, failingSince } }: AttemptOutcome): boolean {
    return status !== "PENDING" || isOverdue(failingSince, orderHoldMs, clock.now());
  }

  /** @returns the recorded outcome; null if the delivery was given back for a later claim */
  async function runInPlace(delivery: ClaimedDelivery): Promise<Attempted | null> {
    const { endpointId } = delivery;
    try {
      if (!(await order.mayGo(delivery))) return null;
      // A lane runs the work when other work ends, which is of another request.
      const make = () => workForDelivery(delivery, () => attempts.make(delivery));
      const outcome = await lanes.run(endpointId, make);
      if (outcome?.change.status === "DELIVERED") await nextRecord();
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
    leaseEnd: attempts.leaseEnd,

    take(delivery) {
      const done = workForDelivery(delivery, () =>
        handle(delivery)
          .catch((error: unknown) => log.warn("A delivery was left to its next claim", error))
          .finally(() => busy.delete(done)),
      );
      busy.add(done);
    },

    forget(endpointId, startsAnew = false) {
      attempts.forget(endpointId);
      if (startsAnew) circuits.forget(endpointId);
    },

    async stop() {
      lanes.stop();
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
