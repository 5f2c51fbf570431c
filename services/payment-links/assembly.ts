// Assembles the payment-links service: makes the gathered operations and the machines of all
// floors, once for each process.

import { createAnswerLog } from "../../shared/partners/answer-log.ts";
import { createDriver } from "../../shared/resumable/driver.ts";
import { createMachine } from "../../shared/resumable/machine.ts";
import { gatherPosts } from "../../shared/rpc/posts.ts";
import type { Database } from "../../shared/storage/database.ts";
import { gatherBy, gatherKnown } from "../../shared/storage/find-by-id.ts";
import { gatherInserts } from "../../shared/storage/insert-all.ts";
import {
  invoiceEvent,
  invoiceEventBytes,
  subscriptionEvent,
  subscriptionEventBytes,
} from "./billing/billing-events.ts";
import type { BillingDeps } from "./billing/deps.ts";
import type { Invoice } from "./billing/invoice.model.ts";
import { gatherNumbers } from "./billing/invoice-numbers.ts";
import { findByMethodLink } from "./billing/method-links.ts";
import type { Subscription } from "./billing/subscription.model.ts";
import { subscriptionChangeFor } from "./billing/subscription-lifecycle.ts";
import { runClock, testClockReader } from "./billing/test-clock.ts";
import { gatherUsage } from "./billing/usage-log.ts";
import { createAccountFinder } from "./links/link-creation.ts";
import { createLinkCheck } from "./links/link-request.ts";
import { limitConcurrency } from "./payments/concurrency-limit.ts";
import type { Environment } from "./payments/deps.ts";
import { changeFor } from "./payments/lifecycle.ts";
import type { Payment } from "./payments/payment.model.ts";
import { gatherClaims } from "./payments/payment-claims.ts";
import { estimatePaymentBytes, toPaymentEvent } from "./payments/payment-views.ts";
import type { RefundDeps } from "./refunds/deps.ts";
import { refundChangeFor } from "./refunds/lifecycle.ts";
import type { Refund } from "./refunds/refund.model.ts";
import { estimateRefundBytes, toRefundEvent } from "./refunds/refund-views.ts";
import type { schemas } from "./schemas.ts";

/** The dependencies of all floors. */
export interface Deps extends RefundDeps, BillingDeps {}

const LINKS_BATCH = { maxItems: 100 };

export function createDeps(
  environment: Environment,
  { collection }: Pick<Database<typeof schemas>, "collection">,
): Deps {
  const { clock, config, newId, publish, reached } = environment;
  const links = collection("payment_links");
  const payments = collection("payments");
  const methods = collection("payment_methods");
  const refunds = collection("payment_refunds");
  const subscriptions = collection("subscriptions");
  const invoices = collection("invoices");
  const usageLog = collection("usage_log");
  const clocks = collection("billing_clocks");
  const findClock = testClockReader(clocks, config.sandbox);
  const testClockNow = async (businessId: string) => (await findClock(businessId))?.now ?? null;

  const deps: Deps = {
    ...environment,
    links: {
      documents: links,
      insert: gatherInserts(links, LINKS_BATCH),
      findByToken: gatherBy(links, "tokenHash"),
      checkRequest: createLinkCheck(clock),
      findAccount: createAccountFinder(),
    },

    payments: {
      documents: payments,
      insert: gatherInserts(payments),
      machine: createMachine<Payment>({
        ...environment,
        kind: "payment",
        documents: payments,
        changeFor: (payment, isFresh) => changeFor(deps, payment, isFresh),
        outlet: {
          publish,
          toEvent: toPaymentEvent,
          estimateBytes: estimatePaymentBytes,
          published: (payment) => reached("payment-published", payment),
        },
      }),
    },
    methods: { documents: methods, find: gatherKnown(methods, "payment method") },
    claims: gatherClaims(payments, clock),
    isMethodLink: async (tokenHash) => (await findByMethodLink(deps, tokenHash)) !== null,
    post: gatherPosts(environment.ledger),
    answerLog: createAnswerLog(clock),
    sandboxCards: collection("sandbox_cards"),
    enterCheckout: limitConcurrency(),

    refunds: {
      documents: refunds,
      machine: createMachine<Refund>({
        ...environment,
        kind: "refund",
        documents: refunds,
        changeFor: (refund, isFresh) => refundChangeFor(deps, refund, isFresh),
        outlet: {
          publish,
          toEvent: toRefundEvent,
          estimateBytes: estimateRefundBytes,
          published: (refund) => reached("refund-published", refund),
        },
      }),
    },

    subscriptions: {
      documents: subscriptions,
      insert: gatherInserts(subscriptions),
      machine: createMachine<Subscription>({
        ...environment,
        kind: "subscription",
        documents: subscriptions,
        changeFor: (subscription, isFresh) => subscriptionChangeFor(deps, subscription, isFresh),
        isPure: ({ step }) => step === "wait",
        outlet: {
          publish,
          toEvent: subscriptionEvent,
          estimateBytes: subscriptionEventBytes,
          published: (subscription) => reached("subscription-published", subscription),
        },
      }),
    },
    invoices: {
      documents: invoices,
      insert: gatherInserts(invoices),
      find: gatherKnown(invoices, "invoice"),
      nextNumber: gatherNumbers(collection("invoice_counts")),
      machine: createMachine<Invoice>({
        ...environment,
        kind: "invoice",
        documents: invoices,
        changeFor({ _id }) {
          throw new Error(`Invoice ${_id} has no next step`);
        },
        outlet: { publish, toEvent: invoiceEvent, estimateBytes: invoiceEventBytes },
      }),
    },
    usage: { documents: usageLog, append: gatherUsage(usageLog, subscriptions, newId) },
    testClocks: {
      documents: clocks,
      find: findClock,
      driver: createDriver({
        ...environment,
        kind: "clock",
        documents: clocks,
        changeFor: (run) => runClock(deps, run),
      }),
    },
    testClockNow,
    businessNow: async (businessId) => (await testClockNow(businessId)) ?? clock.now(),
  };
  return deps;
}

/** The background workers: the drivers and outboxes of all documents. */
export function listWorkers({
  payments,
  refunds,
  subscriptions,
  invoices,
  testClocks,
  config,
}: Deps) {
  return [
    payments.machine,
    refunds.machine,
    subscriptions.machine,
    invoices.machine,
    ...(config.sandbox ? [testClocks.driver] : []),
  ];
}
