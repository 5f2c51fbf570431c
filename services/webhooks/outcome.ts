// Outcomes: what becomes of a claimed delivery after an attempt, or without one. Delivered, tried again
// later, or a dead letter. Pure.

import { type DeadLetterReason, MAX_ATTEMPTS_KEPT } from "../../shared/contracts/webhooks.ts";
import type { Answer } from "./answer.ts";
import type { Attempt, Delivery } from "./delivery.model.ts";
import { retryWaitMs } from "./schedule.ts";

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
  > {
  claim: string;
  /** Epoch ms; from then on others may take it. */
  claimedUntil: number;
  /** Null where it is large: read when its attempt begins. */
  body: string | null;
}

export interface Outcome {
  delivery: ClaimedDelivery;
  change: Pick<
    Delivery,
    "status" | "deadLetterReason" | "nextAttemptAt" | "failures" | "failingSince"
  >;
  /** Null where none was made. */
  attempt: Attempt | null;
}

/** What becomes of a delivery after an attempt that was begun at `at`. */
export function outcomeOf(
  delivery: ClaimedDelivery,
  at: Date,
  answer: Answer,
  scheduleMs: number[],
): Outcome {
  const { statusCode, durationMs, error, errorClass, response } = answer;
  const attempt = { at, statusCode, durationMs, error, errorClass, response };
  if (errorClass === null) {
    const { failures, failingSince } = delivery;
    const done = { status: "DELIVERED" as const, deadLetterReason: null, nextAttemptAt: null };
    return { delivery, change: { ...done, failures, failingSince }, attempt };
  }
  if (errorClass === "address") return deadLetter(delivery, "refused", attempt);
  const failures = delivery.failures + 1;
  const wait = retryWaitMs(scheduleMs, failures, answer.retryAfterMs, Math.random());
  if (wait === null) return deadLetter(delivery, "exhausted", attempt);
  const change = {
    status: "PENDING" as const,
    deadLetterReason: null,
    nextAttemptAt: new Date(Date.now() + wait),
    failures,
    failingSince: delivery.failingSince ?? at,
  };
  return { delivery, change, attempt };
}

/** The end of a delivery that is not tried any more, after an attempt or without one. */
export function deadLetter(
  delivery: ClaimedDelivery,
  reason: DeadLetterReason,
  attempt: Attempt | null,
): Outcome {
  const change = {
    status: "DEAD_LETTER" as const,
    deadLetterReason: reason,
    nextAttemptAt: null,
    failures: delivery.failures + (attempt ? 1 : 0),
    failingSince: delivery.failingSince ?? attempt?.at ?? null,
  };
  return { delivery, change, attempt };
}

/** The write of an outcome. It changes nothing where the claim has lapsed and is another's. */
export function writeOf({ delivery: { _id, claim }, change, attempt }: Outcome) {
  const attempts = attempt && { $each: [attempt], $slice: -MAX_ATTEMPTS_KEPT };
  return {
    updateOne: {
      filter: { _id, claim },
      update: {
        $set: { ...change, claim: null, held: false },
        ...(attempts && { $push: { attempts } }),
      },
    },
  };
}
