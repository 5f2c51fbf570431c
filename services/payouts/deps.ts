// What the payouts' domain needs of the world, in one object, so that the same code runs in the
// service and in a simulation: time, ids, collections, rails and the other services. The gathered
// operations are made here, once for each process.

import type { mongo } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import type { Params, Payload, Result } from "../../shared/contracts.ts";
import type { Config } from "../../shared/env.ts";
import { gather } from "../../shared/gather.ts";
import { gatherPosts, type Ledger, type Posted, type Posting } from "../../shared/posts.ts";
import { createMachine, type Machine } from "../../shared/resumable/machine.ts";
import type { Event } from "../../shared/resumable/relay.ts";
import { changeFor, passPoint } from "./lifecycle.ts";
import { gatherHolders, gatherInserts, type Insertion, type LimitUse } from "./limits.ts";
import { payloadOf } from "./payload.ts";
import type { Payout } from "./payout.model.ts";
import type { Rails } from "./rails/load.ts";

/** Named points of the lifecycle, at which a test can stop whoever comes by. */
export const POINTS = [
  "inserted",
  "token-claimed",
  "debit-answered",
  "accepted",
  "submitting-stored",
  "rail-answered",
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
export type Destination = NonNullable<Result<"accounts.payoutDestinations">[number]>;

/** The other services; an error is what their contracts name, anything else an unknown outcome. */
export interface Services extends Ledger {
  findDestinations(requests: DestinationRequest[]): Promise<(Destination | null)[]>;
  claimToken(claim: Params<"accounts.claimToken">): Promise<Result<"accounts.claimToken">>;
  releaseToken(release: Params<"accounts.releaseToken">): Promise<unknown>;
  openInstrument(linkedAccountId: string): Promise<Result<"accounts.instrument">>;
  publish(events: Event[]): Promise<unknown>;
  /** Broadcasts payout.status.changed; the broadcast may be lost. */
  announce(change: Payload<"payout.status.changed">): void;
}

export interface World {
  clock: Clock;
  newId(): string;
  payouts: mongo.Collection<Payout>;
  services: Services;
  rails: Rails;
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
  limitUse(entityId: string): Promise<LimitUse>;
  machine: Machine<Payout>;
}

const BATCH = { maxItems: 500 };

export function createDeps(world: World): Deps {
  const { findDestinations, post, ledgers, ...services } = world.services;
  const { payouts, clock, config } = world;
  const deps: Deps = {
    ...world,
    services,
    findDestination: gather(findDestinations, BATCH),
    post: gatherPosts({ post, ledgers }),
    insert: gatherInserts(payouts, clock),
    limitUse: gatherHolders(payouts, clock, config),
    machine: createMachine<Payout>({
      ...world,
      documents: payouts,
      changeFor: (payout, isFresh) => changeFor(deps, payout, isFresh),
      passed: (payout) => passPoint(deps, payout),
      outlet: {
        publish: services.publish,
        eventOf: (payout, status, at) => ({ body: payloadOf(payout, status, at) }),
        // A character of the reason takes at most three bytes in JSON and UTF-8.
        bytesOf: ({ states, reason }) => states.length * (800 + 3 * reason.length),
        published: (payout) => world.at("published", payout),
        announce: ({ _id: id, businessId }, status, at) =>
          services.announce({ id, businessId, status, at }),
      },
    }),
  };
  return deps;
}
