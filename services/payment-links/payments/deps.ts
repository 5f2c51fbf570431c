// The dependencies of payments, as types: the service gives a World, and assembly.ts makes the Deps
// of it. This file imports no assembly, so that every domain file can name these types without an
// import circle.

import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import type { ConfigOf } from "../../../shared/config/config.ts";
import type { Metrics } from "../../../shared/observability/metrics.ts";
import type { AnswerLog } from "../../../shared/partners/answer-log.ts";
import type { Machine } from "../../../shared/resumable/machine.ts";
import type { Event } from "../../../shared/resumable/relay.ts";
import type { Turns } from "../../../shared/resumable/sweeps.ts";
import type { Ledger, Posted, Posting } from "../../../shared/rpc/posts.ts";
import type { Acquirers } from "../acquirers/load.ts";
import type { PaymentLink } from "../links/link.model.ts";
import type { Point } from "../points.ts";
import type { EnterCheckout } from "./concurrency-limit.ts";
import type { Payment } from "./payment.model.ts";
import type { Claims, Wanted } from "./payment-claims.ts";
import type { SavedMethod } from "./saved-method.model.ts";

export interface World extends Acquirers {
  clock: Clock;
  turns: Turns;
  newId(): string;
  links: mongo.Collection<PaymentLink>;
  payments: mongo.Collection<Payment>;
  methods: mongo.Collection<SavedMethod>;
  /** These two throw the errors of their contracts; any other error is an unknown outcome. */
  ledger: Ledger;
  publish(events: Event[]): Promise<unknown>;
  config: ConfigOf<"payment-links">;
  log: Record<"info" | "warn" | "error", (message: string, details: unknown) => void>;
  metrics: Metrics;
  /** Whether the token is that of a payment-method link, which is not paid. */
  isMethodLink(tokenHash: string): Promise<boolean>;
  /** How long a customer waits for the outcome of a payment. */
  outcomeWithinMs: number;
  /** Called at each point; in production it returns at once. */
  reached(point: Point, document: { _id: string; linkId: string }): Promise<void> | void;
}

export interface Deps extends World {
  findLink(tokenHash: string): Promise<PaymentLink | null>;
  /** Reads a saved payment method; rejects if there is none. */
  findMethod(id: string): Promise<SavedMethod>;
  claims(wanted: Wanted): Promise<Claims>;
  post(posting: Posting): Promise<Posted>;
  /** Rejects if it is unknown whether the payment was inserted. */
  insert(payment: Payment): Promise<"inserted" | "taken">;
  answerLog: AnswerLog;
  machine: Machine<Payment>;
  enterCheckout: EnterCheckout;
}
