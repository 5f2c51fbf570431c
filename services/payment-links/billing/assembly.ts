// Assembles billing: the gathered operations and the machines, once for each process.

import { createDriver } from "../../../shared/resumable/driver.ts";
import { counted, createMachine } from "../../../shared/resumable/machine.ts";
import { createOutbox } from "../../../shared/resumable/outbox.ts";
import { gatherTransitions } from "../../../shared/resumable/transitions.ts";
import { gatherKnown } from "../../../shared/storage/find-by-id.ts";
import { gatherInserts } from "../../../shared/storage/insert-all.ts";
import type { Deps } from "../payments/deps.ts";
import {
  invoiceEvent,
  invoiceEventBytes,
  subscriptionEvent,
  subscriptionEventBytes,
} from "./billing-events.ts";
import type { BillingCollections, BillingDeps } from "./deps.ts";
import type { Invoice } from "./invoice.model.ts";
import { gatherNumbers } from "./invoice-numbers.ts";
import type { Subscription } from "./subscription.model.ts";
import { subscriptionChangeFor } from "./subscription-lifecycle.ts";
import { runClock, testClockReaders } from "./test-clock.ts";
import { gatherUsage } from "./usage-log.ts";

export function createBillingDeps(world: Deps, collections: BillingCollections): BillingDeps {
  const { clock, turns, config, publish, newId, log } = world;
  const { subscriptions, invoices, invoiceCounts, usageLog, clocks } = collections;
  const moveClock = gatherTransitions(clocks, clock, newId);
  const { findClock, testClockNow } = testClockReaders(clocks, config.sandbox);
  const deps: BillingDeps = {
    ...world,
    ...collections,
    paymentMachine: world.machine,
    findClock,
    testClockNow,
    businessNow: async (businessId) => (await testClockNow(businessId)) ?? clock.now(),
    nextNumber: gatherNumbers(invoiceCounts),
    insertSubscription: gatherInserts(subscriptions),
    findInvoice: gatherKnown(invoices, "invoice"),
    insertInvoice: gatherInserts(invoices),
    appendUsage: gatherUsage(usageLog, subscriptions, newId),
    machine: createMachine<Subscription>({
      ...world,
      kind: "subscription",
      documents: subscriptions,
      changeFor: (subscription, isFresh) => subscriptionChangeFor(deps, subscription, isFresh),
      isPure: ({ step }) => step === "wait",
      outlet: {
        publish,
        toEvent: subscriptionEvent,
        estimateBytes: subscriptionEventBytes,
        published: (subscription) => world.reached("subscription-published", subscription),
      },
    }),
    invoiceMachine: {
      transition: counted(gatherTransitions(invoices, clock, newId), "invoice", world.metrics),
      ...createOutbox<Invoice>({
        ...world,
        documents: invoices,
        outlet: { publish, toEvent: invoiceEvent, estimateBytes: invoiceEventBytes },
      }),
    },
    clockMachine: createDriver(
      { clock, turns, log, documents: clocks, changeFor: (run) => runClock(deps, run) },
      moveClock,
    ),
  };
  return deps;
}
