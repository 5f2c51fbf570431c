// Reads payments: lists, details and timelines, as payments and as transactions. A business sees
// only its own payments; a customer sees the payments of the link by its token.

import type { Model } from "mongoose";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { type ErrorType, fail } from "../../../shared/errors.ts";
import { type Caller, call } from "../../../shared/rpc/actions.ts";
import { readPage, withinBound } from "../../../shared/storage/paging.ts";
import { transactionQuery } from "../../../shared/storage/transaction-query.ts";
import { MOST_REFUNDS, type Payment } from "./payment.model.ts";
import { listStates, paymentView } from "./payment-views.ts";

/**
 * A payment of a business, or of a link.
 * @param notFound the error if there is none
 */
export async function findPayment(
  payments: Model<Payment>,
  { id, ...owner }: { id: string } & ({ businessId: string } | { linkId: string }),
  notFound: ErrorType = "PAYMENT_NOT_FOUND",
): Promise<Payment> {
  const payment = await payments
    .findOne({ _id: id, ...owner })
    .readConcern("majority")
    .lean<Payment>();
  return payment ?? fail(notFound);
}

/** Payments of a business. */
export async function listPayments(
  payments: Model<Payment>,
  params: Params<"payment-links.payments">,
): Promise<Result<"payment-links.payments">> {
  const { businessId, paymentLinkId, subscriptionId, status, from, to, ...paging } = params;
  const filter = transactionQuery<Payment>({
    businessId,
    linkId: paymentLinkId,
    "renewal.subscriptionId": subscriptionId,
    status,
    from,
    to,
  });
  const { documents, meta } = await readPage(payments, filter, paging);
  return { items: withinBound(documents.map(paymentView)), meta };
}

/** The history of a payment: its states, and the entries and deliveries of it and its refunds. */
export async function readTimeline(
  caller: Caller,
  payment: Payment,
): Promise<Result<"payment-links.timeline">> {
  const { _id: id, businessId, collectionAccountId: walletId, refunds = [], renewal } = payment;
  // Only the latest refunds, because a merchant may have tried very often.
  const moved = [id, ...refunds.slice(-MOST_REFUNDS).map((refund) => refund.id)];
  const withEvents = renewal ? [...moved, renewal.invoiceId] : moved;
  const readEntries = (transactionId: string) =>
    call(caller, "wallet-ledger.entriesOf", { walletId, transactionId });
  const [entries, deliveries] = await Promise.all([
    Promise.all(moved.map(readEntries)),
    call(caller, "webhooks.deliveriesOf", { businessId, transactionIds: withEvents }),
  ]);
  return {
    requestId: payment.origin?.requestId ?? null,
    states: listStates(payment),
    entries: entries.flat(),
    deliveries,
  };
}
