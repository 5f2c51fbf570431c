// What billing needs of the world, in one object, so that the same code runs in the service and under a
// test's hand. The gathered operations and the machines are made here, once for each process.

import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import type { Config } from "../../../shared/env.ts";
import { gatherKnown } from "../../../shared/find-by-id.ts";
import { gather } from "../../../shared/gather.ts";
import { type Inserted, insertAll } from "../../../shared/insert-all.ts";
import { createMachine, type Machine } from "../../../shared/resumable/machine.ts";
import { createOutbox, type Outbox } from "../../../shared/resumable/outbox.ts";
import type { Event } from "../../../shared/resumable/relay.ts";
import { gatherTransitions, type Transition } from "../../../shared/resumable/transitions.ts";
import type { Acquirers } from "../acquirers/load.ts";
import type { PaymentLink } from "../links/link.model.ts";
import type { Deps } from "../payments/deps.ts";
import type { SavedMethod } from "../payments/saved-method.model.ts";
import {
  invoiceBytesOf,
  invoiceEventOf,
  subscriptionBytesOf,
  subscriptionEventOf,
} from "./billing-events.ts";
import type { BillingClock } from "./clock.model.ts";
import type { Invoice, InvoiceCount } from "./invoice.model.ts";
import { gatherNumbers } from "./invoice-numbers.ts";
import type { Subscription } from "./subscription.model.ts";
import { subscriptionChangeFor } from "./subscription-lifecycle.ts";
import { type ClockMachine, createClockMachine, createTestClocks } from "./test-clock.ts";
import type { UsageEntry } from "./usage.model.ts";
import { type AppendUsage, gatherUsage } from "./usage-log.ts";

/** Named points of billing, at which a test can stop whoever comes by. */
export const BILLING_POINTS = [
  "invoice-numbered",
  "invoice-inserted",
  "renewal-inserted",
  "renewal-ended",
  "invoice-ended",
  "subscription-published",
] as const;
export type BillingPoint = (typeof BILLING_POINTS)[number];

export interface BillingWorld extends Pick<Acquirers, "acquirer"> {
  clock: Clock;
  newId(): string;
  links: mongo.Collection<PaymentLink>;
  subscriptions: mongo.Collection<Subscription>;
  invoices: mongo.Collection<Invoice>;
  invoiceCounts: mongo.Collection<InvoiceCount>;
  usageLog: mongo.Collection<UsageEntry>;
  methods: mongo.Collection<SavedMethod>;
  clocks: mongo.Collection<BillingClock>;
  /** How renewals are charged and posted. */
  payments: Deps;
  publish(events: Event[]): Promise<unknown>;
  config: Pick<Config, "sandbox" | "encryptionKeys" | "fingerprintKey" | "publicUrl">;
  log: Record<"warn" | "error", (message: string, details: unknown) => void>;
  /** Comes by a named point; nothing happens there in production. */
  at(point: BillingPoint, subscription: Subscription): Promise<void> | void;
}

export interface BillingDeps extends BillingWorld {
  machine: Machine<Subscription>;
  /** Invoices have no driver, because their subscriptions change them. */
  invoiceMachine: Outbox<Invoice> & { transition: Transition<Invoice> };
  clockMachine: ClockMachine;
  /** The business's test clock; null where it has none. */
  findClock(businessId: string): Promise<BillingClock | null>;
  /** The moment of the business's test clock, epoch ms; null where it goes by the real time. */
  testClockOf(businessId: string): Promise<number | null>;
  /** Epoch ms by the business's clock. */
  businessNow(businessId: string): Promise<number>;
  /** The next number of the business's invoices. */
  nextNumber(businessId: string): Promise<number>;
  /** Rejects where it is not known whether the subscription is in. */
  insertSubscription(subscription: Subscription): Promise<"inserted" | "taken">;
  /** Rejects where it is not there. */
  findInvoice(id: string): Promise<Invoice>;
  /** Rejects where it is not known whether the invoice is in. */
  insertInvoice(invoice: Invoice): Promise<"inserted" | "taken">;
  appendUsage: AppendUsage;
}

const BATCH = { maxItems: 500 };
/** Invoices have up to two thousand lines. */
const INVOICE_BATCH = { maxItems: 200 };

export function createBillingDeps(world: BillingWorld): BillingDeps {
  const { clock, clocks, config, publish, invoices, subscriptions } = world;
  const { findClock, testClockOf } = createTestClocks(clocks, config.sandbox);
  const deps: BillingDeps = {
    ...world,
    findClock,
    testClockOf,
    businessNow: async (businessId) => (await testClockOf(businessId)) ?? clock.now(),
    nextNumber: gatherNumbers(world.invoiceCounts),
    insertSubscription: gather<Subscription, Exclude<Inserted, Error>>(
      (batch) => insertAll(subscriptions, batch),
      BATCH,
    ),
    findInvoice: gatherKnown(invoices, "invoice", INVOICE_BATCH),
    insertInvoice: gather<Invoice, Exclude<Inserted, Error>>(
      (batch) => insertAll(invoices, batch),
      INVOICE_BATCH,
    ),
    appendUsage: gatherUsage(world.usageLog, world.subscriptions, world.newId),
    machine: createMachine<Subscription>({
      ...world,
      documents: subscriptions,
      changeFor: (subscription, isFresh) => subscriptionChangeFor(deps, subscription, isFresh),
      outlet: {
        publish,
        toEvent: subscriptionEventOf,
        estimateBytes: subscriptionBytesOf,
        published: (subscription) => world.at("subscription-published", subscription),
      },
    }),
    invoiceMachine: {
      transition: gatherTransitions(invoices, clock, world.newId),
      ...createOutbox<Invoice>({
        ...world,
        documents: invoices,
        outlet: { publish, toEvent: invoiceEventOf, estimateBytes: invoiceBytesOf },
      }),
    },
    get clockMachine(): ClockMachine {
      return clockMachine;
    },
  };
  const clockMachine = createClockMachine(deps);
  return deps;
}
