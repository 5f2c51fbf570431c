// payment-links: links, checkout, payments, refunds, subscriptions and billing.

import type { ServiceSchema } from "moleculer";
import { call, implement, nodesServing } from "../../shared/actions.ts";
import { systemClock } from "../../shared/clock.ts";
import { OUTCOME_WITHIN_MS } from "../../shared/contracts/payment-links.ts";
import { crashAt } from "../../shared/crash.ts";
import { database, MAJORITY } from "../../shared/database.ts";
import type { Config } from "../../shared/env.ts";
import { fail } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import type { Machine } from "../../shared/resumable/machine.ts";
import type { Event } from "../../shared/resumable/relay.ts";
import { type Acquirers, openAcquirers } from "./acquirers/load.ts";
import { type SandboxCharge, sandboxChargeSchema } from "./acquirers/sandbox.ts";
import { type SandboxCard, sandboxCardSchema, saveCard } from "./acquirers/vault.ts";
import { listAttention } from "./attention.ts";
import { createBillingDeps } from "./billing/billing-deps.ts";
import { cancelSubscription } from "./billing/cancel.ts";
import { type BillingClock, billingClockSchema } from "./billing/clock.model.ts";
import {
  type Invoice,
  type InvoiceCount,
  invoiceCountSchema,
  invoiceSchema,
} from "./billing/invoice.model.ts";
import { createMethodLink } from "./billing/method-links.ts";
import { previewInvoice } from "./billing/preview.ts";
import { setSeats } from "./billing/seats.ts";
import { setup } from "./billing/setup.ts";
import { type Subscription, subscriptionSchema } from "./billing/subscription.model.ts";
import {
  listInvoices,
  listSubscriptions,
  showInvoice,
  showSubscription,
} from "./billing/subscription-listing.ts";
import { setTestClock } from "./billing/test-clock.ts";
import { type UsageEntry, usageSchema } from "./billing/usage.model.ts";
import { listUsage, recordUsage } from "./billing/usage.ts";
import type { BillingDeps, BillingWorld } from "./billing/world.ts";
import { checkoutView } from "./checkout/checkout-view.ts";
import { createDeps, type Deps, type World } from "./deps.ts";
import { linkSchema, type PaymentLink } from "./links/link.model.ts";
import { type Creator, createCreator, createLink } from "./links/link-creation.ts";
import { disableLink, findLinkByToken, isLinkToken, listLinks, showLink } from "./links/links.ts";
import { pay } from "./payments/pay.ts";
import { type Payment, paymentSchema } from "./payments/payment.model.ts";
import {
  findPayment,
  listPayments,
  listTransactions,
  timelineOf,
} from "./payments/payment-listing.ts";
import { outcomeView, paymentView, transactionOf } from "./payments/payment-views.ts";
import { resolvePayment, resolveRefund } from "./payments/resolve.ts";
import { methodSchema, type SavedMethod } from "./payments/saved-method.model.ts";
import { type Refund, refundSchema } from "./refunds/refund.model.ts";
import { refundTransactionOf } from "./refunds/refund-views.ts";
import {
  createRefundDeps,
  findRefund,
  listRefunds,
  type RefundDeps,
  refundPayment,
} from "./refunds/refunds.ts";

const DRAINED_WITHIN_MS = 4_000;
/** Of calls behind which all payments wait: what a dead node does not answer is asked anew. */
const SOON = { timeoutMs: 1_500 };

/** @param instead what a test puts in the place of a part of the service's world */
export default function paymentLinks(
  config: Config,
  instead: Partial<Pick<World, "clock" | keyof Acquirers | "at" | "outcomeWithinMs">> & {
    billingAt?: BillingWorld["reached"];
  } = {},
): ServiceSchema {
  const db = database(config, "payment-links", {
    payment_links: linkSchema,
    payments: paymentSchema,
    payment_refunds: refundSchema,
    sandbox_cards: sandboxCardSchema,
    sandbox_charges: sandboxChargeSchema,
    subscriptions: subscriptionSchema,
    invoices: invoiceSchema,
    invoice_counts: invoiceCountSchema,
    usage_log: usageSchema,
    payment_methods: methodSchema,
    billing_clocks: billingClockSchema,
  });
  const { models } = db;
  let creator: Creator;
  let deps: Deps;
  let refundDeps: RefundDeps;
  let billing: BillingDeps;
  let machines: Pick<Machine<Payment>, "start" | "stop">[] = [];

  return {
    name: "payment-links",

    actions: implement("payment-links", {
      async ready() {
        await db.ping();
        return {};
      },

      createLink: ({ body }, context) =>
        createLink(creator, context, context.meta.actor ?? fail("UNAUTHORIZED"), body),

      links: (params) => listLinks(models, config, params),

      link: (params) => showLink(models, config, params),

      disableLink: (params) => disableLink(models, config, params),

      isLinkToken: (params) => isLinkToken(models.payment_links, params),

      checkout: ({ token }, context) => checkoutView(models, billing, context, token),

      pay: (params, { meta: { deadline } }) => pay(deps, params, deadline),

      async paymentState({ token, id }) {
        const link = await findLinkByToken(models.payment_links, token);
        return outcomeView(link, await findPayment(models.payments, { id, linkId: link._id }));
      },

      payments: (params) => listPayments(models.payments, params),

      payment: async (params) => paymentView(await findPayment(models.payments, params)),

      transactions: (params) => listTransactions(models.payments, params),

      async transaction(params) {
        return transactionOf(await findPayment(models.payments, params, "TRANSACTION_NOT_FOUND"));
      },

      async timeline(params, context) {
        const payment = await findPayment(models.payments, params, "TRANSACTION_NOT_FOUND");
        return timelineOf(context, payment);
      },

      async resolve({ id, outcome, note }, { meta: { actor } }) {
        const by = `admin ${(actor ?? fail("UNAUTHORIZED")).sub}: ${note}`;
        const refund = await findRefund(refundDeps, id);
        if (refund) {
          return refundTransactionOf(await resolveRefund(refundDeps, refund, { outcome, by }));
        }
        const payment = await deps.payments.findOne({ _id: id }, MAJORITY);
        if (!payment) return fail("TRANSACTION_NOT_FOUND");
        return transactionOf(await resolvePayment(deps, payment, { outcome, by }));
      },

      attention: (params) => listAttention(models, params),

      async createCardToken(params) {
        // Outside the sandbox card numbers never come here.
        if (!config.sandbox) fail("NOT_FOUND");
        return saveCard(models.sandbox_cards, params, systemClock.now());
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

      setSeats: (params) => setSeats(billing, params),

      cancelSubscription: (params) => cancelSubscription(billing, params),

      createMethodLink: (params) => createMethodLink(billing, params),

      setTestClock: (params) => setTestClock(billing, params),
    }),

    async started() {
      await db.open();
      const { broker, logger } = this;
      const ledgers = () => nodesServing(broker, "wallet-ledger.post");
      const collections = db.connection.getClient().db(db.connection.name);
      const links = collections.collection<PaymentLink>("payment_links");
      creator = createCreator(config, links);
      const cards = collections.collection<SandboxCard>("sandbox_cards");
      const books = collections.collection<SandboxCharge>("sandbox_charges");
      const acquirers = await openAcquirers(config, cards, books, systemClock);
      if (!acquirers.acquirer) logger.warn("No acquirer: payments are refused with 503");
      const publish = (events: Event[]) => call(broker, "webhooks.publish", { events });
      deps = createDeps({
        clock: systemClock,
        newId,
        links,
        payments: collections.collection<Payment>("payments"),
        subscriptions: collections.collection<Subscription>("subscriptions"),
        methods: collections.collection<SavedMethod>("payment_methods"),
        // What outlives or is not one request leaves from the broker, never from a context.
        services: {
          // Who posts asks again with the same id.
          post(postings, ledger) {
            const nodeID = ledger === undefined ? undefined : ledgers()[ledger];
            return call(broker, "wallet-ledger.post", { postings }, { ...SOON, nodeID });
          },
          ledgers: () => ledgers().length,
          publish,
        },
        ...acquirers,
        config,
        outcomeWithinMs: OUTCOME_WITHIN_MS,
        log: {
          warn: (message, details) => logger.warn(message, details),
          error: (message, details) => logger.error(message, details),
        },
        at: (point, { linkId }) => crashAt(config, point, linkId),
        ...instead,
      });
      refundDeps = createRefundDeps({
        ...deps,
        refunds: collections.collection<Refund>("payment_refunds"),
        publish,
        at: (point, { linkId }) => crashAt(config, point, linkId),
      });
      billing = createBillingDeps({
        ...deps,
        invoices: collections.collection<Invoice>("invoices"),
        invoiceCounts: collections.collection<InvoiceCount>("invoice_counts"),
        usageLog: collections.collection<UsageEntry>("usage_log"),
        clocks: collections.collection<BillingClock>("billing_clocks"),
        payments: deps,
        publish,
        config,
        reached: instead.billingAt ?? ((point, { linkId }) => crashAt(config, point, linkId)),
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
      await db.close();
    },
  };
}
