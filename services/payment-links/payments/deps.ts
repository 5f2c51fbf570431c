// The dependencies of payments, as types: the service gives an Environment, and its assembly.ts
// makes the dependencies. Each later floor extends those of the floor that it stands on.

import type { mongo } from "mongoose";
import type { SandboxCard } from "../../../partners/sandbox/vault.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { ConfigOf } from "../../../shared/config/config.ts";
import type { Metrics } from "../../../shared/observability/metrics.ts";
import type { AnswerLog } from "../../../shared/partners/answer-log.ts";
import type { Revise } from "../../../shared/resumable/erasure.ts";
import type { Machine } from "../../../shared/resumable/machine.ts";
import type { RelayedEvent } from "../../../shared/resumable/relay.ts";
import type { Turns } from "../../../shared/resumable/sweeps.ts";
import type { Controls } from "../../../shared/rpc/controls.ts";
import type { LedgerClient, Posted, PostingRequest } from "../../../shared/rpc/posts.ts";
import type { Acquirers } from "../acquirers/load.ts";
import type { LinkDeps } from "../links/deps.ts";
import type { Point } from "../points.ts";
import type { EnterCheckout } from "./concurrency-limit.ts";
import type { Payment } from "./payment.model.ts";
import type { Claims, WantedClaims } from "./payment-claims.ts";
import type { SavedMethod } from "./saved-method.model.ts";

export interface Environment extends Acquirers {
  clock: Clock;
  turns: Turns;
  newId(): string;
  /** These three throw the errors of their contracts; any other error is an unknown outcome. */
  ledger: LedgerClient;
  controls: Controls;
  publish(events: RelayedEvent[]): Promise<unknown>;
  revise: Revise;
  config: ConfigOf<"payment-links">;
  log: Record<"info" | "warn" | "error", (message: string, details: unknown) => void>;
  metrics: Metrics;
  /** How long a customer waits for the outcome of a payment. */
  outcomeWithinMs: number;
  /** Called at each point; in production it does nothing. */
  reached(point: Point, document: { _id: string; linkId: string }): Promise<void> | void;
}

export interface PaymentDeps extends Environment, LinkDeps {
  payments: {
    documents: mongo.Collection<Payment>;
    /** Rejects if it is unknown whether the payment was inserted. */
    insert(payment: Payment): Promise<"inserted" | "taken">;
    machine: Machine<Payment>;
  };
  /** Saved payment methods. */
  methods: {
    documents: mongo.Collection<SavedMethod>;
    /** Rejects if there is no such method. */
    find(id: string): Promise<SavedMethod>;
  };
  claims(wanted: WantedClaims): Promise<Claims>;
  /** Whether the token is that of a payment-method link, which is not paid. */
  isMethodLink(tokenHash: string): Promise<boolean>;
  post(posting: PostingRequest): Promise<Posted>;
  answerLog: AnswerLog;
  /** The cards that the sandbox's vault has saved. */
  sandboxCards: mongo.Collection<SandboxCard>;
  enterCheckout: EnterCheckout;
}
