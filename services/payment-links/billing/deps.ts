// The dependencies of billing: those of payments, because renewals are payments, and the
// collections of billing itself.

import type { mongo } from "mongoose";
import type { Driver } from "../../../shared/resumable/driver.ts";
import type { Machine } from "../../../shared/resumable/machine.ts";
import type { PaymentDeps } from "../payments/deps.ts";
import type { BillingClock } from "./clock.model.ts";
import type { Invoice } from "./invoice.model.ts";
import type { Subscription } from "./subscription.model.ts";
import type { UsageEntry } from "./usage.model.ts";
import type { AppendUsage } from "./usage-log.ts";

export interface BillingDeps extends PaymentDeps {
  subscriptions: {
    documents: mongo.Collection<Subscription>;
    /** Rejects if it is unknown whether the subscription is stored. */
    insert(subscription: Subscription): Promise<"inserted" | "taken">;
    machine: Machine<Subscription>;
  };
  /** The machine of invoices only relays, because their subscriptions change them. */
  invoices: {
    documents: mongo.Collection<Invoice>;
    /** Rejects if it is unknown whether the invoice is stored. */
    insert(invoice: Invoice): Promise<"inserted" | "taken">;
    /** Rejects if there is no such invoice. */
    find(id: string): Promise<Invoice>;
    nextNumber(businessId: string): Promise<number>;
    machine: Machine<Invoice>;
  };
  usage: {
    documents: mongo.Collection<UsageEntry>;
    append: AppendUsage;
  };
  /** Test clocks have no outbox, because they have no events. */
  testClocks: {
    documents: mongo.Collection<BillingClock>;
    /** The business's test clock; null if it has none. */
    find(businessId: string): Promise<BillingClock | null>;
    driver: Driver<BillingClock>;
  };
  /** The time of the business's test clock, epoch ms; null if the business goes by real time. */
  testClockNow(businessId: string): Promise<number | null>;
  /** Epoch ms by the business's clock. */
  businessNow(businessId: string): Promise<number>;
}
