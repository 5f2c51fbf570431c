// payment-links: links, checkout, payments, refunds, subscriptions and billing.

import type { ServiceSchema } from "moleculer";
import { systemClock } from "../../shared/clock.ts";
import type { ConfigOf } from "../../shared/config/config.ts";
import type { Result } from "../../shared/contracts/contracts.ts";
import { OUTCOME_WITHIN_MS } from "../../shared/contracts/payments.ts";
import { fail } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { metricsOf } from "../../shared/observability/metrics.ts";
import { createContexts } from "../../shared/partners/context.ts";
import { readBacklog } from "../../shared/resumable/backlog.ts";
import { crashAt } from "../../shared/resumable/crash.ts";
import { LOOK_EVERY_MS } from "../../shared/resumable/due.ts";
import type { Revise } from "../../shared/resumable/erasure.ts";
import type { Machine } from "../../shared/resumable/machine.ts";
import { retryNow } from "../../shared/resumable/retry.ts";
import { turnsOf } from "../../shared/resumable/sweeps.ts";
import { call, implement } from "../../shared/rpc/actions.ts";
import { createKeepAnswers } from "../../shared/rpc/idempotency.ts";
import { ledgerClient } from "../../shared/rpc/posts.ts";
import { defineService } from "../../shared/service.ts";
import { database, MAJORITY, withDatabase } from "../../shared/storage/database.ts";
import { findThing } from "../../shared/storage/find.ts";
import { Records, withRecords } from "../../shared/storage/records.ts";
import { createCardToken } from "./acquirers/card-tokens.ts";
import { type Acquirers, openAcquirers } from "./acquirers/load.ts";
import { listAttention } from "./attention.ts";
import { createBillingDeps } from "./billing/assembly.ts";
import { cancelSubscription } from "./billing/cancel.ts";
import type { BillingDeps } from "./billing/deps.ts";
import { releaseBilling } from "./billing/hold.ts";
import { createMethodLink, findByMethodLink } from "./billing/method-links.ts";
import { previewInvoice } from "./billing/preview.ts";
import { setSeats } from "./billing/seats.ts";
import { setup } from "./billing/setup.ts";
import {
  listInvoices,
  listSubscriptions,
  showInvoice,
  showSubscription,
} from "./billing/subscription-listing.ts";
import { setTestClock, testClockRun } from "./billing/test-clock.ts";
import { listUsage, recordUsage } from "./billing/usage.ts";
import { findAttempt } from "./checkout/attempts.ts";
import { checkoutView } from "./checkout/checkout-view.ts";
import { eraseCustomer } from "./customers/erasure.ts";
import { exportCustomer } from "./customers/export.ts";
import { eraseLinks, exportLinks } from "./customers/links-of.ts";
import { type Creator, createCreator, createLink } from "./links/link-creation.ts";
import { disableLink, findLinkByToken, isLinkToken, listLinks, showLink } from "./links/links.ts";
import { takeNotification } from "./notifications.ts";
import { listPartners } from "./partners.ts";
import { createDeps } from "./payments/assembly.ts";
import { continuePayment } from "./payments/confirmation.ts";
import type { Deps, World } from "./payments/deps.ts";
import { pay } from "./payments/pay.ts";
import type { Payment } from "./payments/payment.model.ts";
import {
  findPayment,
  listPayments,
  listTransactions,
  readTimeline,
} from "./payments/payment-listing.ts";
import { outcomeView, paymentView, toTransaction } from "./payments/payment-views.ts";
import { resolvePayment } from "./payments/resolve.ts";
import { createRefundDeps } from "./refunds/assembly.ts";
import type { RefundDeps } from "./refunds/deps.ts";
import type { Refund } from "./refunds/refund.model.ts";
import { toRefundTransaction } from "./refunds/refund-views.ts";
import { findRefund, listRefunds, refundPayment } from "./refunds/refunds.ts";
import { resolveRefund } from "./refunds/resolve.ts";
import { schemas } from "./schemas.ts";
import { readStatistics } from "./statistics.ts";

const DRAINED_WITHIN_MS = 4_000;

/** @param instead replacements of dependencies, for tests */
export default defineService(function paymentLinks(
  config: ConfigOf<"payment-links">,
  instead: Partial<
    Pick<World, "clock" | "turns" | keyof Acquirers | "reached" | "outcomeWithinMs">
  > = {},
): ServiceSchema {
  const db = database(config, "payment-links", schemas);
  const linkRecords = new Records(db.models.payment_links);
  const models = { ...db.models, payment_links: linkRecords };
  const keys = () => db.collection("link_idempotency_keys");
  const keepAnswers = createKeepAnswers(config, keys, config);
  let creator: Creator;
  let deps: Deps;
  let refundDeps: RefundDeps;
  let billing: BillingDeps;
  let machines: Pick<Machine<Payment>, "start" | "stop">[] = [];
  let revise: Revise;

  /**
   * Changes the refund or the payment of that id, of any business, for an operator.
   * @throws TRANSACTION_NOT_FOUND
   */
  async function changeOne(
    id: string,
    change: {
      refund(refund: Refund): Promise<Refund>;
      payment(payment: Payment): Promise<Payment>;
    },
  ): Promise<Result<"payment-links.transaction">> {
    const refund = await findRefund(refundDeps, id);
    if (refund) return toRefundTransaction(await change.refund(refund));
    const payment = await deps.payments.findOne({ _id: id }, MAJORITY);
    return toTransaction(await change.payment(payment ?? fail("TRANSACTION_NOT_FOUND")));
  }

  return {
    name: "payment-links",

    mixins: [withDatabase(db), withRecords(linkRecords)],

    // Contracts: shared/contracts/{payment-links,payments,subscriptions}.ts
    actions: implement("payment-links", keepAnswers, {
      createLink: ({ body }, context, making) =>
        createLink(creator, context, context.meta.actor, body, making),

      links: (params) => listLinks(models, config, params),

      link: (params) => showLink(models, config, params),

      disableLink: (params) => disableLink(models, config, params),

      isLinkToken: (params) => isLinkToken(models.payment_links, params),

      checkout: ({ token }, context) => checkoutView(models, billing, context, token),

      pay: (params, { meta: { deadline } }) => pay(deps, params, deadline),

      continuePayment: ({ token, id }) =>
        continuePayment(deps, id, () => findLinkByToken(models.payment_links, token)),

      attempt: (params) => findAttempt(billing, params),

      async paymentState({ token, id }) {
        const link = await findLinkByToken(models.payment_links, token);
        return outcomeView(link, await findPayment(models.payments, { id, linkId: link._id }));
      },

      payments: (params) => listPayments(models.payments, params),

      payment: async (params) => paymentView(await findPayment(models.payments, params)),

      transactions: (params) => listTransactions(models.payments, params),

      async transaction(params) {
        return toTransaction(await findPayment(models.payments, params, "TRANSACTION_NOT_FOUND"));
      },

      async timeline(params, context) {
        const payment = await findPayment(models.payments, params, "TRANSACTION_NOT_FOUND");
        return readTimeline(context, payment);
      },

      async resolve({ id, outcome, note }, { meta: { actor } }, { isRepeat }) {
        const resolution = { outcome, by: `admin ${actor.sub}: ${note}`, isRepeat };
        return changeOne(id, {
          refund: (refund) => resolveRefund(refundDeps, refund, resolution),
          payment: (payment) => resolvePayment(deps, payment, resolution),
        });
      },

      retry: ({ id }) =>
        changeOne(id, {
          refund: (refund) => retryNow(refundDeps, refund),
          payment: (payment) => retryNow(deps, payment),
        }),

      statistics: (params) =>
        readStatistics(
          db.collection("payments"),
          db.collection("payment_refunds"),
          params,
          systemClock.now(),
        ),

      whereIs: ({ id }) =>
        findThing(id, [
          { kind: "payment", documents: db.collection("payments") },
          // A declined refund has never become one.
          {
            kind: "refund",
            documents: db.collection("payment_refunds"),
            filter: { visible: true },
          },
          { kind: "subscription", documents: db.collection("subscriptions") },
          { kind: "invoice", documents: db.collection("invoices") },
          { kind: "payment-link", documents: db.collection("payment_links") },
        ]),

      attention: (params) => listAttention(models, params, deps.clock.now()),

      partners: () => listPartners(refundDeps),

      async acquirerNotified(params) {
        await takeNotification(deps, refundDeps, params);
        return {};
      },

      async createCardToken(params) {
        // Outside the sandbox payrail never takes card numbers.
        if (!config.sandbox) fail("NOT_FOUND");
        return createCardToken(db.collection("sandbox_cards"), params, systemClock.now());
      },

      async refund({ businessId, id, ...asked }) {
        const payment = await findPayment(models.payments, { businessId, id });
        return refundPayment(refundDeps, payment, asked);
      },

      async refunds({ businessId, id, ...paging }) {
        await findPayment(models.payments, { businessId, id });
        return listRefunds(models.payment_refunds, id, paging);
      },

      setup: (params, { meta: { deadline } }) => setup(billing, params, deadline),

      subscriptions: (params) => listSubscriptions(models, billing, params),

      subscription: (params) => showSubscription(billing, params),

      invoices: (params) => listInvoices(models, billing, params),

      invoice: (params) => showInvoice(billing, params),

      previewInvoice: (params) => previewInvoice(billing, params),

      recordUsage: (params) => recordUsage(billing, params),

      usage: (params) => listUsage(models.usage_log, billing, params),

      setSeats: (params, _context, making) => setSeats(billing, params, making),

      releaseBilling: (params) => releaseBilling(billing, params),

      cancelSubscription: (params, _context, making) => cancelSubscription(billing, params, making),

      createMethodLink: (params, _context, making) => createMethodLink(billing, params, making),

      setTestClock: (params) => setTestClock(billing, params),

      testClockRun: (params) => testClockRun(billing, params),

      exportCustomer: (params, context) => exportCustomer(billing, context, params),

      eraseCustomer: (params, context) =>
        eraseCustomer(billing, context, params, db.collection("payment_refunds"), revise),

      linksOf: (params) => exportLinks(models, config, params),

      eraseLinksOf: (params) => eraseLinks(billing, params, revise),
    }),

    methods: {
      gauges: () => [
        readBacklog(db.collection("payments"), "payment"),
        readBacklog(db.collection("payment_refunds"), "refund"),
        readBacklog(db.collection("subscriptions"), "subscription"),
      ],
    },

    async started() {
      const { broker, logger } = this;
      revise = (events) => call(broker, "webhooks.reviseEvents", { events });
      const links = db.collection("payment_links");
      const subscriptions = db.collection("subscriptions");
      creator = createCreator(config, links);
      const contextOf = createContexts(db.connection.getClient(), db.connection.name, "acquirers", {
        sandbox: config.sandbox,
        clock: systemClock,
        log: logger,
      });
      const acquirers = await openAcquirers(config, contextOf);
      if (!acquirers.acquirer) logger.warn("No acquirer: payments are refused with 503");
      deps = createDeps({
        clock: systemClock,
        turns: turnsOf(broker, "payment-links", LOOK_EVERY_MS),
        newId,
        links,
        payments: db.collection("payments"),
        isMethodLink: async (hash) => (await findByMethodLink(subscriptions, hash)) !== null,
        methods: db.collection("payment_methods"),
        // Work that belongs to no request, or outlives it, calls from the broker, never from a
        // context.
        ledger: ledgerClient(broker),
        publish: (events) => call(broker, "webhooks.publish", { events }),
        ...acquirers,
        config,
        outcomeWithinMs: OUTCOME_WITHIN_MS,
        log: logger,
        metrics: metricsOf(broker),
        reached: (point, { linkId }) => crashAt(config, point, linkId),
        ...instead,
      });
      refundDeps = createRefundDeps(deps, db.collection("payment_refunds"));
      billing = createBillingDeps(deps, {
        subscriptions,
        invoices: db.collection("invoices"),
        invoiceCounts: db.collection("invoice_counts"),
        usageLog: db.collection("usage_log"),
        clocks: db.collection("billing_clocks"),
      });
      machines = [
        deps.machine,
        refundDeps.machine,
        billing.machine,
        billing.invoiceMachine,
        ...(config.sandbox ? [billing.clockMachine] : []),
      ];
      for (const machine of machines) machine.start();
    },

    async stopped() {
      await Promise.all(machines.map((machine) => machine.stop(DRAINED_WITHIN_MS)));
    },
  };
});
