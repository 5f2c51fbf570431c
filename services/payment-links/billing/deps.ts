// The dependencies of billing, as types; assembly.ts makes them.

import type { mongo } from "mongoose";
import type { Driver } from "../../../shared/resumable/driver.ts";
import type { Machine } from "../../../shared/resumable/machine.ts";
import type { Outbox } from "../../../shared/resumable/outbox.ts";
import type { Transition } from "../../../shared/resumable/transitions.ts";
import type { Deps } from "../payments/deps.ts";
import type { Payment } from "../payments/payment.model.ts";
import type { BillingClock } from "./clock.model.ts";
import type { Invoice, InvoiceCount } from "./invoice.model.ts";
import type { Subscription } from "./subscription.model.ts";
import type { UsageEntry } from "./usage.model.ts";
import type { AppendUsage } from "./usage-log.ts";

export interface BillingCollections {
  subscriptions: mongo.Collection<Subscription>;
  invoices: mongo.Collection<Invoice>;
  invoiceCounts: mongo.Collection<InvoiceCount>;
  usageLog: mongo.Collection<UsageEntry>;
  clocks: mongo.Collection<BillingClock>;
}

/**
 * The dependencies of payments, which charge and post renewals; a subscription has its own machine.
 */
export interface BillingDeps extends Omit<Deps, "machine">, BillingCollections {
  machine: Machine<Subscription>;
  paymentMachine: Machine<Payment>;
  /** Invoices have no driver, because their subscriptions change them. */
  invoiceMachine: Outbox<Invoice> & { transition: Transition<Invoice> };
  /** Clocks have no outbox, because they have no events. */
  clockMachine: Driver<BillingClock>;
  /** The business's test clock; null if it has none. */
  findClock(businessId: string): Promise<BillingClock | null>;
  /** The time of the business's test clock, epoch ms; null if the business goes by real time. */
  testClockNow(businessId: string): Promise<number | null>;
  /** Epoch ms by the business's clock. */
  businessNow(businessId: string): Promise<number>;
  nextNumber(businessId: string): Promise<number>;
  /** Rejects if it is unknown whether the subscription is stored. */
  insertSubscription(subscription: Subscription): Promise<"inserted" | "taken">;
  /** Rejects if the invoice does not exist. */
  findInvoice(id: string): Promise<Invoice>;
  /** Rejects if it is unknown whether the invoice is stored. */
  insertInvoice(invoice: Invoice): Promise<"inserted" | "taken">;
  appendUsage: AppendUsage;
}
