// The dependencies of the payouts' domain, as types: the service and the simulation give an
// Environment, and assembly.ts makes the Deps of it. This file imports no assembly, so that every
// domain file can name these types without an import circle.

import type { mongo } from "mongoose";
import type { Screening } from "../../partners/types.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Config } from "../../shared/config/config.ts";
import type { Params, Payload, Result } from "../../shared/contracts/contracts.ts";
import type { Metrics } from "../../shared/observability/metrics.ts";
import type { AnswerLog } from "../../shared/partners/answer-log.ts";
import type { Machine } from "../../shared/resumable/machine.ts";
import type { RelayedEvent } from "../../shared/resumable/relay.ts";
import type { Turns } from "../../shared/resumable/sweeps.ts";
import type { Controls } from "../../shared/rpc/controls.ts";
import type { LedgerClient, Posted, PostingRequest } from "../../shared/rpc/posts.ts";
import type { Admission } from "./admission.ts";
import type { LimitCounter } from "./limit-counter.model.ts";
import type { Insertion, LimitUse } from "./limits.ts";
import type { Payout, Unique } from "./payout.model.ts";
import type { PayoutLimits } from "./payout-limits.ts";
import type { Rails } from "./rails/load.ts";

/** The points of the lifecycle at which a test can stop or kill a node. */
export const POINTS = [
  "inserted",
  "token-claimed",
  "debit-answered",
  "accepted",
  "screened",
  "submitting-stored",
  "rail-answered",
  "decision-stored",
  "resubmission-stored",
  "end-stored",
  "reversal-posted",
  "failed-stored",
  "succeeded-stored",
  "token-released",
  "published",
] as const;
export type Point = (typeof POINTS)[number];

export type DestinationRequest = Params<"accounts.payoutDestinations">["requests"][number];
export type PayoutDestination = NonNullable<Result<"accounts.payoutDestinations">[number]>;

/** Asks the ledger which payouts it has debited; a debit may still commit after a no. */
export type IsDebited = (payouts: Pick<Payout, "_id" | "walletId">[]) => Promise<boolean[]>;

/**
 * The other services. They throw the errors of their contracts; any other error is an unknown
 * outcome.
 */
export interface Services extends LedgerClient {
  findDestinations(requests: DestinationRequest[]): Promise<(PayoutDestination | null)[]>;
  /** To whom and where payouts to linked accounts go. */
  findPayees(linkedAccountIds: string[]): Promise<Result<"accounts.payees">>;
  /** The business of an end user. @throws ENTITY_NOT_FOUND */
  businessOf(entityId: string): Promise<string>;
  /** A wallet of a business. @throws WALLET_NOT_FOUND */
  wallet(key: Params<"wallet-ledger.wallet">): Promise<Result<"wallet-ledger.wallet">>;
  claimToken(claim: Params<"accounts.claimToken">): Promise<Result<"accounts.claimToken">>;
  releaseToken(release: Params<"accounts.releaseToken">): Promise<unknown>;
  /** Whether the journal has committed each posting. */
  committed(postings: Params<"wallet-ledger.committed">["postings"]): Promise<boolean[]>;
  openInstrument(linkedAccountId: string): Promise<Result<"accounts.instrument">>;
  publish(events: RelayedEvent[]): Promise<unknown>;
  /** Broadcasts payout.status.changed; the broadcast may be lost. */
  announce(change: Payload<"payout.status.changed">): void;
}

export interface Environment {
  clock: Clock;
  turns: Turns;
  newId(): string;
  payouts: mongo.Collection<Payout>;
  limitCounters: mongo.Collection<LimitCounter>;
  services: Services;
  controls: Controls;
  rails: Rails;
  /** Says whether payouts may leave; all may without it. */
  screening?: Screening;
  config: Pick<Config, "fees" | "withdrawalLimit" | "declineLimit">;
  log: Record<"info" | "warn" | "error", (message: string, details: unknown) => void>;
  metrics: Metrics;
  /** A bound of the admission of withdrawals (admission.ts), for tests. */
  unsubmittedAtMost?: number;
  /** Called at each point; in production it returns immediately. */
  reached(point: Point, payout: Payout): Promise<void> | void;
}

export interface Deps extends Omit<Environment, "services"> {
  services: Omit<Services, "findDestinations" | "findPayees" | "committed" | keyof LedgerClient>;
  findDestination(request: DestinationRequest): Promise<PayoutDestination | null>;
  findPayee(linkedAccountId: string): Promise<Result<"accounts.payees">[number]>;
  post(posting: PostingRequest): Promise<Posted>;
  isDebited: IsDebited;
  insert(insertion: Insertion): Promise<"inserted" | "taken">;
  readLimitUse(entityId: string): Promise<LimitUse>;
  /** Finds the payout that has the key or the reference, in any state. */
  findHolder(unique: Unique): Promise<Payout | null>;
  admission: Admission;
  limits: PayoutLimits;
  answerLog: AnswerLog;
  machine: Machine<Payout>;
}
