// What payments and refunds need of the world, in one object, so that the same code runs in the service
// and under a test's hand: time, ids, collections, the acquirer and the other services. The gathered
// operations are made here, once for each process.

import type { mongo } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import { MAJORITY } from "../../shared/database.ts";
import type { Config } from "../../shared/env.ts";
import { gatherKnown } from "../../shared/find-by-id.ts";
import { gather } from "../../shared/gather.ts";
import { type Inserted, insertAll } from "../../shared/insert-all.ts";
import { gatherPosts, type Ledger, type Posted, type Posting } from "../../shared/posts.ts";
import { createMachine, type Machine } from "../../shared/resumable/machine.ts";
import type { Event } from "../../shared/resumable/relay.ts";
import { noteCharge } from "./acquirers/late-answers.ts";
import type { Acquirers } from "./acquirers/load.ts";
import type { Subscription } from "./billing/subscription.model.ts";
import { type Crowd, createCrowd } from "./checkout/concurrency-limit.ts";
import type { PaymentLink } from "./links/link.model.ts";
import { answerIn, changeFor } from "./payments/lifecycle.ts";
import type { Payment } from "./payments/payment.model.ts";
import { type Claims, gatherClaims, type Wanted } from "./payments/payment-claims.ts";
import { bytesOf, eventOf } from "./payments/payment-views.ts";
import type { SavedMethod } from "./payments/saved-method.model.ts";

/** Named points of the lifecycle, at which a test can stop whoever comes by. */
export const POINTS = [
  "payment-inserted",
  "charge-answered",
  "collection-posted",
  "payment-published",
] as const;
export type Point = (typeof POINTS)[number];

/** The other services; an error is what their contracts name, anything else an unknown outcome. */
export interface Services extends Ledger {
  publish(events: Event[]): Promise<unknown>;
}

export interface World extends Acquirers {
  clock: Clock;
  newId(): string;
  links: mongo.Collection<PaymentLink>;
  payments: mongo.Collection<Payment>;
  subscriptions: mongo.Collection<Subscription>;
  methods: mongo.Collection<SavedMethod>;
  services: Services;
  config: Pick<Config, "fingerprintKey" | "encryptionKeys">;
  log: Record<"warn" | "error", (message: string, details: unknown) => void>;
  /** How long a customer waits for the outcome of a payment. */
  outcomeWithinMs: number;
  /** Comes by a named point; nothing happens there in production. */
  at(point: Point, payment: Payment): Promise<void> | void;
}

export interface Deps extends Omit<World, "services"> {
  /** By the digest of its token. */
  findLink(tokenHash: string): Promise<PaymentLink | null>;
  /** A saved payment method; rejects where it is not there. */
  findMethod(id: string): Promise<SavedMethod>;
  claims(wanted: Wanted): Promise<Claims>;
  post(posting: Posting): Promise<Posted>;
  /** Rejects where it is not known whether the payment is in. */
  insert(payment: Payment): Promise<"inserted" | "taken">;
  machine: Machine<Payment>;
  crowd: Crowd;
}

const BATCH = { maxItems: 500 };

export function createDeps(world: World): Deps {
  const { links, payments, methods, services, clock } = world;
  const deps: Deps = {
    ...world,
    findLink: gather(async (hashes: string[]) => {
      const found = await links.find({ tokenHash: { $in: hashes } }, MAJORITY).toArray();
      const byHash = new Map(found.map((link) => [link.tokenHash, link]));
      return hashes.map((hash) => byHash.get(hash) ?? null);
    }, BATCH),
    findMethod: gatherKnown(methods, "payment method"),
    crowd: createCrowd(),
    claims: gatherClaims(payments, clock),
    post: gatherPosts(services),
    insert: gather<Payment, Exclude<Inserted, Error>>((batch) => insertAll(payments, batch), BATCH),
    machine: createMachine<Payment>({
      ...world,
      documents: payments,
      async changeFor(payment, isFresh) {
        const change = await changeFor(deps, payment, isFresh);
        const lost = () => noteCharge(deps, payment._id, answerIn(payment, change));
        return { ...change, lost };
      },
      outlet: {
        publish: services.publish,
        eventOf,
        bytesOf,
        published: (payment) => world.at("payment-published", payment),
      },
    }),
  };
  return deps;
}
