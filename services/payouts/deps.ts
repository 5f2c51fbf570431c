// What the payouts' domain needs of the world, in one object, so that the same code runs in the
// service and in a simulation: time, ids, collections, rails and the other services. The gathered
// operations are made here, once for each process.

import type { mongo } from "mongoose";
import { type Clock, LATE } from "../../shared/clock.ts";
import type { Params, Result } from "../../shared/contracts.ts";
import type { Config } from "../../shared/env.ts";
import type { Method } from "../../shared/fees.ts";
import { gather } from "../../shared/gather.ts";
import { gatherHolders, gatherInserts, type Insertion, type LimitUse } from "./limits.ts";
import type { Payout } from "./payout.model.ts";
import type { Rail } from "./rails/rail.ts";
import { gatherRelays } from "./relay.ts";
import { gatherWrites, type Write } from "./transitions.ts";

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
  post(postings: Posting[]): Promise<Posted[]>;
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
  services: Omit<Services, "findDestinations" | "post">;
  findDestination(request: DestinationRequest): Promise<Destination | null>;
  post(posting: Posting): Promise<Posted>;
  insert(insertion: Insertion): Promise<"inserted" | "taken">;
  write(write: Write): Promise<boolean>;
  limitUse(entityId: string): Promise<LimitUse>;
  /** Hands a payout's outbox to webhooks. */
  relay(payout: Payout): Promise<void>;
  /** Work that outlives its request, bounded in number. */
  crew: Crew;
}

const BATCH = { maxItems: 500 };
/** Payouts that one process drives at a time; what is above is left to the sweepers. */
const DRIVEN_AT_ONCE = 1_000;

export function createDeps(world: World): Deps {
  const { findDestinations, post, ...services } = world.services;
  return {
    ...world,
    services,
    findDestination: gather(findDestinations, BATCH),
    post: gather(post, BATCH),
    insert: gatherInserts(world.payouts, world.clock),
    write: gatherWrites(world.payouts),
    relay: gatherRelays(world),
    limitUse: gatherHolders(world.payouts, world.clock, world.config),
    crew: createCrew(DRIVEN_AT_ONCE, (error) => world.log.error("A drive failed", error)),
  };
}

export interface Crew {
  /** How much more it takes at the moment. */
  room(): number;
  /** Begins the work where there is room, else leaves it. */
  take(work: () => Promise<void>): void;
  /** Waits for all that is under way, at most so long. */
  drain(clock: Clock, withinMs: number): Promise<void>;
}

function createCrew(most: number, onError: (error: unknown) => void): Crew {
  const running = new Set<Promise<void>>();
  return {
    room: () => most - running.size,
    take(work) {
      if (running.size >= most) return;
      const promise = work()
        .catch(onError)
        .finally(() => running.delete(promise));
      running.add(promise);
    },
    async drain(clock, withinMs) {
      const all = Promise.all(running);
      if ((await clock.within(all, withinMs)) === LATE) onError(new Error("Drives were cut off"));
    },
  };
}
