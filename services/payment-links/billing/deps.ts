// The world of billing: its clock, collections and partners, in one object that a test can replace. Types
// alone; assembly.ts makes the Deps of it.

import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import type { Config } from "../../../shared/env.ts";
import type { Driver } from "../../../shared/resumable/driver.ts";
import type { Machine } from "../../../shared/resumable/machine.ts";
import type { Outbox } from "../../../shared/resumable/outbox.ts";
import type { Event } from "../../../shared/resumable/relay.ts";
import type { Transition } from "../../../shared/resumable/transitions.ts";
import type { Acquirers } from "../acquirers/load.ts";
import type { PaymentLink } from "../links/link.model.ts";
import type { Deps } from "../payments/deps.ts";
import type { SavedMethod } from "../payments/saved-method.model.ts";
import type { BillingClock } from "./clock.model.ts";
import type { Invoice, InvoiceCount } from "./invoice.model.ts";
import type { Subscription } from "./subscription.model.ts";
import type { UsageEntry } from "./usage.model.ts";
import type { AppendUsage } from "./usage-log.ts";

/** Named points of billing, at which a test can stop the driver. */
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
  /** Charges and posts renewals, and limits the requests of customers. */
  payments: Deps;
  publish(events: Event[]): Promise<unknown>;
  config: Pick<Config, "sandbox" | "encryptionKeys" | "fingerprintKey" | "publicUrl">;
  log: Record<"warn" | "error", (message: string, details: unknown) => void>;
  /** Called at a named point; it does nothing in production. */
  reached(point: BillingPoint, subscription: Subscription): Promise<void> | void;
}

export interface BillingDeps extends BillingWorld {
  machine: Machine<Subscription>;
  /** Invoices have no driver, because their subscriptions change them. */
  invoiceMachine: Outbox<Invoice> & { transition: Transition<Invoice> };
  /** Clocks have no outbox, because they have no events. */
  clockMachine: Driver<BillingClock> & { transition: Transition<BillingClock> };
  /** The business's test clock; null where it has none. */
  findClock(businessId: string): Promise<BillingClock | null>;
  /** The time of the business's test clock, epoch ms; null where the business goes by real time. */
  testClockNow(businessId: string): Promise<number | null>;
  /** Epoch ms by the business's clock. */
  businessNow(businessId: string): Promise<number>;
  /** Takes the next number of the business's invoices. */
  nextNumber(businessId: string): Promise<number>;
  /** Rejects where it is unknown whether the subscription is stored. */
  insertSubscription(subscription: Subscription): Promise<"inserted" | "taken">;
  /** Rejects where the invoice does not exist. */
  findInvoice(id: string): Promise<Invoice>;
  /** Rejects where it is unknown whether the invoice is stored. */
  insertInvoice(invoice: Invoice): Promise<"inserted" | "taken">;
  appendUsage: AppendUsage;
}
