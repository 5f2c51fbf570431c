// What the payouts' domain needs of the world, in one object, so that the same code runs in the
// service and in a simulation: time, ids, collections, rails and the other services. The gathered
// operations are made here, once for each process.

import type { mongo } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import type { Params, Result } from "../../shared/contracts.ts";
import type { Config } from "../../shared/env.ts";
import type { Method } from "../../shared/fees.ts";
import { gather } from "../../shared/gather.ts";
import { type Crew, createCrew } from "./crew.ts";
import { gatherHolders, gatherInserts, type Insertion, type LimitUse } from "./limits.ts";
import type { Payout } from "./payout.model.ts";
import { gatherPosts } from "./posts.ts";
import type { Rail } from "./rails/rail.ts";
import { gatherRelays, type Handover } from "./relay.ts";
import { gatherTransitions, type Transition } from "./transitions.ts";

/** Named points of the lifecycle, at which a test can stop whoever comes by. */
export const POINTS = [
  "inserted",
  "token-claimed",
  "debit-answered",
  "accepted",
  "submitting-stored",
  "rail-answered",
  "end-stored",
  "reversal-posted",
  "failed-stored",
  "succeeded-stored",
  "token-released",
  "published",
] as const;
export type Point = (typeof POINTS)[number];

export type Posting = Params<"wallet-ledger.post">["postings"][number];
export type Posted = Result<"wallet-ledger.post">[number];
export type Event = Params<"webhooks.publish">["events"][number];
export type DestinationRequest = Params<"accounts.payoutDestinations">["requests"][number];
export type Destination = NonNullable<Result<"accounts.payoutDestinations">[number]>;

/** The other services; an error is what their contracts name, anything else an unknown outcome. */
export interface Services {
  findDestinations(requests: DestinationRequest[]): Promise<(Destination | null)[]>;
  /** @param ledger which of the ledger's nodes is asked, from 0; any where it is left out */
  post(postings: Posting[], ledger?: number): Promise<Posted[]>;
  /** How many nodes the ledger has. */
  ledgers(): number;
  claimToken(claim: Params<"accounts.claimToken">): Promise<Result<"accounts.claimToken">>;
  releaseToken(release: Params<"accounts.releaseToken">): Promise<unknown>;
  openInstrument(linkedAccountId: string): Promise<Result<"accounts.instrument">>;
  publish(events: Event[]): Promise<unknown>;
  /** Tells whoever listens; may be lost. */
  announce(change: { id: string; businessId: string; status: string; at: number }): void;
}

export interface World {
  clock: Clock;
  newId(): string;
  payouts: mongo.Collection<Payout>;
  services: Services;
  rails: Partial<Record<Method, Rail>>;
  config: Pick<Config, "fees" | "withdrawalLimit" | "declineLimit">;
  log: Record<"warn" | "error", (message: string, details: unknown) => void>;
  /** Comes by a named point; nothing happens there in production. */
  at(point: Point, payout: Payout): Promise<void> | void;
}

export interface Deps extends Omit<World, "services"> {
  services: Omit<Services, "findDestinations" | "post" | "ledgers">;
  findDestination(request: DestinationRequest): Promise<Destination | null>;
  post(posting: Posting): Promise<Posted>;
  insert(insertion: Insertion): Promise<"inserted" | "taken">;
  transition: Transition;
  limitUse(entityId: string): Promise<LimitUse>;
  /** Hands a payout's outbox to webhooks. */
  relay(handover: Handover): Promise<void>;
  /** Drives that outlive their requests. */
  driving: Crew;
  /** Handovers that nobody waits for. */
  relaying: Crew;
}

const BATCH = { maxItems: 500 };
/** Payouts that one process drives, or hands over, at a time; the sweepers have the rest. */
const DRIVEN_AT_ONCE = 1_000;
const RELAYED_AT_ONCE = 5_000;

export function createDeps(world: World): Deps {
  const { findDestinations, post, ledgers, ...services } = world.services;
  const failed = (message: string) => sparing(world, message);
  return {
    ...world,
    services,
    findDestination: gather(findDestinations, BATCH),
    post: gatherPosts({ post, ledgers }),
    insert: gatherInserts(world.payouts, world.clock),
    transition: gatherTransitions(world.payouts, world.clock, world.newId),
    relay: gatherRelays(world),
    limitUse: gatherHolders(world.payouts, world.clock, world.config),
    driving: createCrew(DRIVEN_AT_ONCE, world.clock, failed("A drive failed")),
    relaying: createCrew(RELAYED_AT_ONCE, world.clock, failed("Events are handed over later")),
  };
}

const QUIET_MS = 1_000;

/** Logs an error at most once a second: where one thing is away, everything fails for it. */
function sparing({ clock, log }: World, message: string): (error: unknown) => void {
  let quietUntil = 0;
  return (error) => {
    if (clock.now() < quietUntil) return;
    quietUntil = clock.now() + QUIET_MS;
    log.warn(message, error);
  };
}
