// Assembles billing: the gathered operations and the machines, once for each process.

import { gatherKnown } from "../../../shared/find-by-id.ts";
import { gather } from "../../../shared/gather.ts";
import { type Inserted, insertAll } from "../../../shared/insert-all.ts";
import { createMachine } from "../../../shared/resumable/machine.ts";
import {
  invoiceEvent,
  invoiceEventBytes,
  subscriptionEvent,
  subscriptionEventBytes,
} from "./billing-events.ts";
import type { BillingClock } from "./clock.model.ts";
import type { Invoice } from "./invoice.model.ts";
import { gatherNumbers } from "./invoice-numbers.ts";
import type { Subscription } from "./subscription.model.ts";
import { subscriptionChangeFor } from "./subscription-lifecycle.ts";
import { runClock, testClockReaders } from "./test-clock.ts";
import { gatherUsage } from "./usage-log.ts";
import type { BillingDeps, BillingWorld } from "./world.ts";

const BATCH = { maxItems: 500 };
/** Invoices have up to two thousand lines. */
const INVOICE_BATCH = { maxItems: 200 };

export function createBillingDeps(world: BillingWorld): BillingDeps {
  const { clock, clocks, config, publish, invoices, subscriptions } = world;
  const { findClock, testClockNow } = testClockReaders(clocks, config.sandbox);
  const deps: BillingDeps = {
    ...world,
    findClock,
    testClockNow,
    businessNow: async (businessId) => (await testClockNow(businessId)) ?? clock.now(),
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
    appendUsage: gatherUsage(world.usageLog, subscriptions, world.newId),
    machine: createMachine<Subscription>({
      ...world,
      documents: subscriptions,
      changeFor: (subscription, isFresh) => subscriptionChangeFor(deps, subscription, isFresh),
      outlet: {
        publish,
        eventOf: subscriptionEvent,
        bytesOf: subscriptionEventBytes,
        published: (subscription) => world.reached("subscription-published", subscription),
      },
    }),
    invoiceMachine: createMachine<Invoice>({
      ...world,
      documents: invoices,
      changeFor(invoice) {
        throw new Error(`Only its subscription changes invoice ${invoice._id}`);
      },
      outlet: { publish, eventOf: invoiceEvent, bytesOf: invoiceEventBytes },
    }),
    clockMachine: createMachine<BillingClock>({
      ...world,
      documents: clocks,
      changeFor: (run) => runClock(deps, run),
      outlet: { publish: async () => {}, eventOf: () => null, bytesOf: () => 0 },
    }),
  };
  return deps;
}
