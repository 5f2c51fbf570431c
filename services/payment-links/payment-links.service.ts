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
import { createDeps, type Deps, listWorkers } from "./assembly.ts";
import { listAttention } from "./attention.ts";
import { cancelSubscription } from "./billing/cancel.ts";
import { releaseBilling } from "./billing/hold.ts";
import { createMethodLink } from "./billing/method-links.ts";
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
import { createLink } from "./links/link-creation.ts";
import { disableLink, findLinkByToken, isLinkToken, listLinks, showLink } from "./links/links.ts";
import { takeNotification } from "./notifications.ts";
import { listPartners } from "./partners.ts";
import { continuePayment } from "./payments/confirmation.ts";
import type { Environment } from "./payments/deps.ts";
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
import type { Refund } from "./refunds/refund.model.ts";
import { toRefundTransaction } from "./refunds/refund-views.ts";
import { findRefund, listRefunds, refundPayment } from "./refunds/refunds.ts";
import { resolveRefund } from "./refunds/resolve.ts";
import { schemas } from "./schemas.ts";
import { readStatistics } from "./statistics.ts";

const DRAINED_WITHIN_MS = 4_000;

/** @param overrides replacements of dependencies, for tests */
export default defineService(function paymentLinks(
  config: ConfigOf<"payment-links">,
  overrides: Partial<
    Pick<Environment, "clock" | "turns" | keyof Acquirers | "reached" | "outcomeWithinMs">
  > = {},
): ServiceSchema {
  const db = database(config, "payment-links", schemas);
  const linkRecords = new Records(db.models.payment_links);
  const models = { ...db.models, payment_links: linkRecords };
  const keys = () => db.collection("link_idempotency_keys");
  const keepAnswers = createKeepAnswers(config, keys, config);
  let deps: Deps;
  let workers: ReturnType<typeof listWorkers> = [];

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
    const refund = await findRefund(deps, id);
    if (refund) return toRefundTransaction(await change.refund(refund));
    const payment = await deps.payments.documents.findOne({ _id: id }, MAJORITY);
    return toTransaction(await change.payment(payment ?? fail("TRANSACTION_NOT_FOUND")));
  }

  return {
    name: "payment-links",

    mixins: [withDatabase(db), withRecords(linkRecords)],

    // Contracts: shared/contracts/{payment-links,payments,subscriptions}.ts
    actions: implement("payment-links", keepAnswers, {
      createLink: ({ body }, context, making) =>
        createLink(deps, context, context.meta.actor, body, making),

      links: (params) => listLinks(deps, models, params),

      link: (params) => showLink(deps, models, params),

      disableLink: (params) => disableLink(deps, models, params),

      isLinkToken: (params) => isLinkToken(models.payment_links, params),

      checkout: ({ token }, context) => checkoutView(deps, models, context, token),

      pay: (params, { meta: { deadline } }) => pay(deps, params, deadline),

      continuePayment: ({ token, id }) =>
        continuePayment(deps, id, () => findLinkByToken(models.payment_links, token)),

      attempt: (params) => findAttempt(deps, params),

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
          refund: (refund) => resolveRefund(deps, refund, resolution),
          payment: (payment) => resolvePayment(deps, payment, resolution),
        });
      },

      retry: ({ id }) =>
        changeOne(id, {
          refund: (refund) => retryNow({ ...deps.refunds, clock: deps.clock }, refund),
          payment: (payment) => retryNow({ ...deps.payments, clock: deps.clock }, payment),
        }),

      statistics: (params) =>
        readStatistics(
          db.collection("payments"),
          db.collection("payment_refunds"),
          params,
          deps.clock.now(),
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

      partners: () => listPartners(deps),

      async acquirerNotified(params) {
        await takeNotification(deps, params);
        return {};
      },

      async createCardToken(params) {
        // Outside the sandbox payrail never takes card numbers.
        if (!config.sandbox) fail("NOT_FOUND");
        return createCardToken(db.collection("sandbox_cards"), params, deps.clock.now());
      },

      async refund({ businessId, id, ...asked }) {
        const payment = await findPayment(models.payments, { businessId, id });
        return refundPayment(deps, payment, asked);
      },

      async refunds({ businessId, id, ...paging }) {
        await findPayment(models.payments, { businessId, id });
        return listRefunds(models.payment_refunds, id, paging);
      },

      setup: (params, { meta: { deadline } }) => setup(deps, params, deadline),

      subscriptions: (params) => listSubscriptions(deps, models, params),

      subscription: (params) => showSubscription(deps, params),

      invoices: (params) => listInvoices(deps, models, params),

      invoice: (params) => showInvoice(deps, params),

      previewInvoice: (params) => previewInvoice(deps, params),

      recordUsage: (params) => recordUsage(deps, params),

      usage: (params) => listUsage(deps, models.usage_log, params),

      setSeats: (params, _context, making) => setSeats(deps, params, making),

      releaseBilling: (params) => releaseBilling(deps, params),

      cancelSubscription: (params, _context, making) => cancelSubscription(deps, params, making),

      createMethodLink: (params, _context, making) => createMethodLink(deps, params, making),

      setTestClock: (params) => setTestClock(deps, params),

      testClockRun: (params) => testClockRun(deps, params),

      exportCustomer: (params, context) => exportCustomer(deps, context, params),

      eraseCustomer: (params, context) => eraseCustomer(deps, context, params),

      linksOf: (params) => exportLinks(deps, models, params),

      eraseLinksOf: (params) => eraseLinks(deps, params),
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
      const contextOf = createContexts(db.connection.getClient(), db.connection.name, "acquirers", {
        sandbox: config.sandbox,
        clock: systemClock,
        log: logger,
      });
      const acquirers = await openAcquirers(config, contextOf);
      if (!acquirers.acquirer) logger.warn("No acquirer: payments are refused with 503");
      const environment: Environment = {
        clock: systemClock,
        turns: turnsOf(broker, "payment-links", LOOK_EVERY_MS),
        newId,
        // Work that belongs to no request, or outlives it, calls from the broker, never from a
        // context.
        ledger: ledgerClient(broker),
        publish: (events) => call(broker, "webhooks.publish", { events }),
        revise: (events) => call(broker, "webhooks.reviseEvents", { events }),
        ...acquirers,
        config,
        outcomeWithinMs: OUTCOME_WITHIN_MS,
        log: logger,
        metrics: metricsOf(broker),
        reached: (point, { linkId }) => crashAt(config, point, linkId),
        ...overrides,
      };
      deps = createDeps(environment, db);
      workers = listWorkers(deps);
      for (const worker of workers) worker.start();
    },

    async stopped() {
      await Promise.all(workers.map((worker) => worker.stop(DRAINED_WITHIN_MS)));
    },
  };
});
