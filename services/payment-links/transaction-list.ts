// The lists of a business's payments and of its refunds as transactions, newest first, by any
// combination of filters.

import type { FilterQuery, Model } from "mongoose";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { orTooBroad } from "../../shared/storage/database.ts";
import { withinBound } from "../../shared/storage/paging.ts";
import { planByAmount } from "../../shared/storage/search.ts";
import { amountsWithin, transactionQuery } from "../../shared/storage/transaction-query.ts";
import * as ofPayments from "./payments/payment.model.ts";
import { paymentStatusFor, toTransaction } from "./payments/payment-views.ts";
import * as ofRefunds from "./refunds/refund.model.ts";
import { toRefundTransaction } from "./refunds/refund-views.ts";

type Asked = Params<"payment-links.transactions">;
type Page = Result<"payment-links.transactions">;

interface Models {
  payments: Model<ofPayments.Payment>;
  payment_refunds: Model<ofRefunds.Refund>;
}

/**
 * Payments or refunds of a business; `from` is inclusive, `to` exclusive.
 * @throws TOO_BROAD
 */
export async function listTransactions(models: Models, asked: Asked): Promise<Page> {
  const { businessId, entityId, status, flow } = asked;
  const isForeign = entityId !== undefined && entityId !== businessId;
  if (isForeign || (status !== undefined && paymentStatusFor(status) === null)) {
    return { items: [], meta: { nextCursor: null } };
  }
  return orTooBroad(() =>
    flow === "REFUND"
      ? listRefunds(models.payment_refunds, asked)
      : listPayments(models.payments, asked),
  );
}

async function listPayments(payments: Models["payments"], asked: Asked): Promise<Page> {
  const { businessId, reference: orderId, cursor, limit } = asked;
  const within = amountsWithin(asked);
  const list = {
    filter: { ...equalIn<ofPayments.Payment>(asked), ...(orderId !== undefined && { orderId }) },
    hint: orderId === undefined ? indexFor(ofPayments, asked) : ofPayments.BY_ORDER,
  };
  const amounts = { filter: { businessId, totalMinor: within }, hint: ofPayments.BY_AMOUNT };
  const read = await planByAmount(payments, list, within && amounts);
  const { documents, nextCursor } = await read({ cursor, limit });
  return { items: withinBound(documents.map(toTransaction)), meta: { nextCursor } };
}

async function listRefunds(refunds: Models["payment_refunds"], asked: Asked): Promise<Page> {
  const { businessId, reference, cursor, limit } = asked;
  const within = amountsWithin(asked);
  const visible = true;
  const list = {
    filter: { ...equalIn<ofRefunds.Refund>(asked), visible, ...(reference && { reference }) },
    hint: reference === undefined ? indexFor(ofRefunds, asked) : ofRefunds.BY_REFERENCE,
  };
  const filter = { businessId, visible, amountMinor: within };
  const read = await planByAmount(refunds, list, within && { filter, hint: ofRefunds.BY_AMOUNT });
  const { documents, nextCursor } = await read({ cursor, limit });
  return { items: documents.map(toRefundTransaction), meta: { nextCursor } };
}

/** The filters that both lists have in fields of the same name. */
function equalIn<T>({ businessId, status, needsAttention, from, to }: Asked): FilterQuery<T> {
  const inState = status === undefined ? undefined : paymentStatusFor(status);
  return transactionQuery<T>({ businessId, status: inState, needsAttention, from, to });
}

type Indexes = Record<"OF_BUSINESS" | "BY_STATUS" | "FLAGGED_OF_BUSINESS", Record<string, 1>>;

/** The index of a list with these filters. */
function indexFor(
  { OF_BUSINESS, BY_STATUS, FLAGGED_OF_BUSINESS }: Indexes,
  { status, needsAttention }: Asked,
) {
  if (needsAttention) return FLAGGED_OF_BUSINESS;
  return status === undefined ? OF_BUSINESS : BY_STATUS;
}
