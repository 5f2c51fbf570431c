// The actions of payments and refunds, for customers, merchants and operators. Contracts:
// shared/contracts/{payment-links,payments}.ts.

import type { Model } from "mongoose";
import type { Result } from "../../../shared/contracts/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import { retryNow } from "../../../shared/resumable/retry.ts";
import type { Handlers } from "../../../shared/rpc/actions.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import { findThing, findThings } from "../../../shared/storage/find.ts";
import type { Records } from "../../../shared/storage/records.ts";
import { createCardToken } from "../acquirers/card-tokens.ts";
import type { Deps } from "../assembly.ts";
import { listAttention } from "../attention.ts";
import type { Subscription } from "../billing/subscription.model.ts";
import type { PaymentLink } from "../links/link.model.ts";
import { findLinkByToken } from "../links/links.ts";
import { takeNotification } from "../notifications.ts";
import { listPartners } from "../partners.ts";
import { continuePayment } from "../payments/confirmation.ts";
import { pay } from "../payments/pay.ts";
import type { Payment } from "../payments/payment.model.ts";
import { findPayment, listPayments, readTimeline } from "../payments/payment-listing.ts";
import { outcomeView, paymentView, toTransaction } from "../payments/payment-views.ts";
import { resolvePayment } from "../payments/resolve.ts";
import { readReferences } from "../references.ts";
import type { Refund } from "../refunds/refund.model.ts";
import { toRefundTransaction } from "../refunds/refund-views.ts";
import { findRefund, listRefunds, refundPayment } from "../refunds/refunds.ts";
import { resolveRefund } from "../refunds/resolve.ts";
import { readStatistics } from "../statistics.ts";
import { listTransactions } from "../transaction-list.ts";

interface Models {
  payment_links: Records<PaymentLink>;
  payments: Model<Payment>;
  payment_refunds: Model<Refund>;
  subscriptions: Model<Subscription>;
}

/** @param deps the dependencies of the started service */
export function paymentActions(deps: () => Deps, models: Models) {
  return {
    pay: (params, { meta: { deadline } }) => pay(deps(), params, deadline),

    continuePayment: ({ token, id }) =>
      continuePayment(deps(), id, () => findLinkByToken(models.payment_links, token)),

    async paymentState({ token, id }) {
      const link = await findLinkByToken(models.payment_links, token);
      return outcomeView(link, await findPayment(models.payments, { id, linkId: link._id }));
    },

    payments: (params) => listPayments(models.payments, params),

    payment: async (params) => paymentView(await findPayment(models.payments, params)),

    async refund({ businessId, id, ...asked }) {
      const payment = await findPayment(models.payments, { businessId, id });
      return refundPayment(deps(), payment, asked);
    },

    async refunds({ businessId, id, ...paging }) {
      await findPayment(models.payments, { businessId, id });
      return listRefunds(models.payment_refunds, id, paging);
    },

    transactions: (params) => listTransactions(models, params),

    async transaction({ id, businessId }) {
      const refund = await findRefund(deps(), id, businessId);
      if (refund) return toRefundTransaction(refund);
      const key = { id, businessId };
      return toTransaction(await findPayment(models.payments, key, "TRANSACTION_NOT_FOUND"));
    },

    async timeline(params, context) {
      const payment = await findPayment(models.payments, params, "TRANSACTION_NOT_FOUND");
      return readTimeline(context, payment);
    },

    async resolve({ id, outcome, note }, { meta: { actor } }, { isRepeat }) {
      const resolution = { outcome, by: `admin ${actor.sub}: ${note}`, isRepeat };
      return changeOne(deps(), id, {
        refund: (refund) => resolveRefund(deps(), refund, resolution),
        payment: (payment) => resolvePayment(deps(), payment, resolution),
      });
    },

    retry({ id }) {
      const { clock, payments, refunds } = deps();
      return changeOne(deps(), id, {
        refund: (refund) => retryNow({ clock, machine: refunds.machine }, refund),
        payment: (payment) => retryNow({ clock, machine: payments.machine }, payment),
      });
    },

    references: (params) => readReferences(deps(), params),

    statistics: (params) => readStatistics(deps(), params),

    whereIs({ id }) {
      const { payments, refunds, subscriptions, invoices, links } = deps();
      return findThing(id, [
        { kind: "payment", documents: payments.documents },
        // A declined refund has never become one.
        { kind: "refund", documents: refunds.documents, filter: { visible: true } },
        { kind: "subscription", documents: subscriptions.documents },
        { kind: "invoice", documents: invoices.documents },
        { kind: "payment-link", documents: links.documents },
      ]);
    },

    whereAre({ text }) {
      const { payments, refunds } = deps();
      return findThings([
        { kind: "payment", documents: payments.documents, filter: { orderId: text } },
        {
          kind: "refund",
          documents: refunds.documents,
          filter: { reference: text, visible: true },
        },
      ]);
    },

    attention: (params) => listAttention(deps(), models, params),

    partners: () => listPartners(deps()),

    async acquirerNotified(params) {
      await takeNotification(deps(), params);
      return {};
    },

    createCardToken: (params) => createCardToken(deps(), params),
  } satisfies Partial<Handlers<"payment-links">>;
}

/**
 * Changes the refund or the payment of that id, of any business, for an operator.
 * @throws TRANSACTION_NOT_FOUND
 */
async function changeOne(
  deps: Deps,
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
