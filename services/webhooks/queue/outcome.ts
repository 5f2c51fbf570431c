// Outcomes of claimed deliveries: delivered, retried later, or a dead letter.

import type { Clock } from "../../../shared/clock.ts";
import { type DeadLetterReason, MAX_ATTEMPTS_KEPT } from "../../../shared/contracts/deliveries.ts";
import type { ReceiverAnswer } from "../exchange/answer.ts";
import { retryWaitMs } from "../exchange/schedule.ts";
import { type Delivery, type DeliveryAttempt, deadLettered } from "./delivery.model.ts";

export interface ClaimedDelivery
  extends Pick<
    Delivery,
    | "_id"
    | "eventId"
    | "endpointId"
    | "businessId"
    | "transactionId"
    | "seq"
    | "failures"
    | "failingSince"
    | "origin"
  > {
  claim: string;
  /** Epoch ms; from then on another process may claim it. */
  claimedUntil: number;
  /** Null for a large body, which is read when the attempt begins. */
  body: string | null;
}

export interface AttemptOutcome {
  delivery: ClaimedDelivery;
  change: Pick<
    Delivery,
    "status" | "deadLetterReason" | "nextAttemptAt" | "failures" | "failingSince"
  >;
  /** Null if no attempt was made. */
  attempt: DeliveryAttempt | null;
}

/** The outcome of an attempt. @param at the beginning of the attempt */
export function decideOutcome(
  delivery: ClaimedDelivery,
  at: Date,
  answer: ReceiverAnswer,
  scheduleMs: number[],
  clock: Clock,
): AttemptOutcome {
  const { retryAfterMs, ...result } = answer;
  const attempt = { at, ...result };
  if (answer.errorClass === null) {
    const { failures, failingSince } = delivery;
    const done = { status: "DELIVERED" as const, deadLetterReason: null, nextAttemptAt: null };
    return { delivery, change: { ...done, failures, failingSince }, attempt };
  }
  if (answer.errorClass === "address") return deadLetter(delivery, "refused", attempt);
  const failures = delivery.failures + 1;
  const wait = retryWaitMs(scheduleMs, failures, retryAfterMs, clock.random());
  if (wait === null) return deadLetter(delivery, "exhausted", attempt);
  const change = {
    status: "PENDING" as const,
    deadLetterReason: null,
    nextAttemptAt: new Date(clock.now() + wait),
    failures,
    failingSince: delivery.failingSince ?? at,
  };
  return { delivery, change, attempt };
}

/** The outcome of a delivery that is not tried again. @param attempt null without a last attempt */
export function deadLetter(
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

/** The write of an outcome. It changes nothing if another process has the claim now. */
export function outcomeUpdate({ delivery: { _id, claim }, change, attempt }: AttemptOutcome) {
  const attempts = attempt && { $each: [attempt], $slice: -MAX_ATTEMPTS_KEPT };
  return {
    filter: { _id, claim },
    update: {
      $set: { ...change, claim: null, held: false },
      ...(attempts && { $push: { attempts } }),
    },
  };
}
