// What others get to see of a payment: its events, the merchant's view, the customer's, and the
// transaction of lists and details. Pure; the acquirer's own code is in none of them.

import type { EventBody } from "../../../shared/contracts/events.ts";
import type { PaymentStatus } from "../../../shared/contracts/payment-links.ts";
import type { Status } from "../../../shared/contracts/transactions.ts";
import type { Result } from "../../../shared/contracts.ts";
import { timeOf } from "../../../shared/ids.ts";
import { toDecimal, toNumber } from "../../../shared/money.ts";
import type { Event } from "../../../shared/resumable/relay.ts";
import type { PaymentLink } from "../links/link.model.ts";
import type { Payment } from "./payment.model.ts";

type PaymentEvent = Pick<Event, "body" | "paymentLinkId">;

/**
 * What the merchant hears of a payment: COLLECTION of its end, and after a success NOTIFICATION where
 * the link asks for one. Of a renewal its invoice tells.
 * @param at epoch ms of the event
 * @param seq its place among the payment's events, from 1
 */
export function eventOf(
  payment: Payment,
  status: EventBody<"COLLECTION">["status"],
  at: number,
  seq: number,
): PaymentEvent | null {
  const { linkId: paymentLinkId } = payment;
  if (payment.renewal) return null;
  const body: PaymentEvent["body"] =
    seq === 1
      ? { eventType: "COLLECTION", status, payload: collectionOf(payment, at) }
      : { eventType: "NOTIFICATION", status: "SUCCEEDED", payload: notificationOf(payment, at) };
  return { body, paymentLinkId };
}

function collectionOf(payment: Payment, at: number): EventBody<"COLLECTION">["payload"] {
  const { _id: id, linkId, collectionAccountId, totalMinor } = payment;
  return {
    paymentId: id,
    transactionId: id,
    paymentLinkId: linkId,
    collectionAccountId,
    amount: toNumber(totalMinor),
    ...creditedOf(payment),
    currency: payment.currency,
    timestamp: at,
    customer: payment.customer,
    metadata: metadataOf(payment),
    orderId: payment.orderId ?? null,
    externalId: payment.externalId ?? null,
    reason: payment.failureReason ?? "",
  };
}

function notificationOf(payment: Payment, at: number): EventBody<"NOTIFICATION">["payload"] {
  const { _id: id, linkId, customer, notifyPayee, agent, totalMinor, currency } = payment;
  const { email, firstName, lastName } = customer;
  const payee = { type: "payee", email, name: `${firstName} ${lastName}` };
  return {
    paymentId: id,
    transactionId: id,
    paymentLinkId: linkId,
    recipients: [...(notifyPayee ? [payee] : []), ...(agent ? [agent] : [])],
    amount: toNumber(totalMinor),
    currency,
    timestamp: at,
    reason: "",
  };
}

/** How long its events are in JSON, in bytes; estimated from above. */
export function bytesOf({ states, customer, fields, customData, agent, ...payment }: Payment) {
  const texts = [customer, fields, customData, agent, payment.itemDeliveryAddress];
  return states.length * (1_500 + Buffer.byteLength(JSON.stringify(texts)));
}

function metadataOf({ itemDeliveryAddress, customData, fields }: Payment) {
  return { itemDeliveryAddress, customData, fields };
}

/** The fee, and what the collection account gets; nothing of either where the card was not charged. */
function creditedOf({ status, feesMinor, amountMinor }: Payment): { fees: string; net: string } {
  const isFailed = status === "FAILED";
  return {
    fees: toDecimal(isFailed ? 0 : feesMinor),
    net: toDecimal(isFailed ? 0 : amountMinor),
  };
}

/** The payment as its merchant sees it. */
export function paymentView(payment: Payment): Result<"payment-links.payment"> {
  const { _id: id, states } = payment;
  const createdAt = timeOf(id);
  return {
    id,
    paymentLinkId: payment.linkId,
    subscriptionId: payment.renewal?.subscriptionId ?? null,
    invoiceId: payment.renewal?.invoiceId ?? null,
    collectionAccountId: payment.collectionAccountId,
    status: payment.status,
    amount: toDecimal(payment.totalMinor),
    ...creditedOf(payment),
    refunded: toDecimal(payment.refundedMinor),
    currency: payment.currency,
    card: payment.card,
    customer: payment.customer,
    metadata: metadataOf(payment),
    orderId: payment.orderId ?? null,
    externalId: payment.externalId ?? null,
    reason: payment.failureReason ?? null,
    needsAttention: payment.needsAttention,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(states.at(-1)?.at ?? createdAt).toISOString(),
  };
}

/** The payment as its customer sees it. */
export function outcomeView(
  { terms }: Pick<PaymentLink, "terms">,
  { _id: id, status, failureReason }: Payment,
): Result<"payment-links.pay"> {
  return {
    id,
    status,
    ...(failureReason !== undefined && { reason: failureReason }),
    redirectTo: terms.redirectTo ?? null,
  };
}

/** The names of the states of payments and refunds in the list of transactions. */
export const TRANSACTION_STATUS: Record<PaymentStatus, Status> = {
  PENDING: "PENDING",
  SUCCEEDED: "SUCCESS",
  FAILED: "FAILED",
};

/** The states of payments that such a filter of transactions means; none of a state of payouts alone. */
export function paymentStatusOf(status: string): PaymentStatus | null {
  const found = Object.entries(TRANSACTION_STATUS).find(([, name]) => name === status);
  return found ? (found[0] as PaymentStatus) : null;
}

/** The payment as a transaction; `amount` is what was charged, the fee included. */
export function transactionOf(payment: Payment): Result<"payment-links.transaction"> {
  const { id, amount, fees, currency, needsAttention, createdAt, updatedAt, ...rest } =
    paymentView(payment);
  return {
    id,
    flow: "COLLECTION",
    status: TRANSACTION_STATUS[payment.status],
    amount,
    fees,
    currency,
    method: "CARD",
    entityId: payment.businessId,
    walletId: rest.collectionAccountId,
    linkedAccountId: null,
    reason: payment.name,
    failureReason: rest.reason,
    needsAttention,
    createdAt,
    updatedAt,
  };
}

/** Its states, the first from its id; one that stands for a notification is none. */
export function statesOf({ _id, states }: Payment): Result<"payment-links.timeline">["states"] {
  const begun = { status: "PENDING" as Status, at: new Date(timeOf(_id)).toISOString() };
  const ended = states.slice(0, 1).map(({ status, at, by }) => ({
    status: TRANSACTION_STATUS[status],
    at: new Date(at).toISOString(),
    ...(by && { by }),
  }));
  return [begun, ...ended];
}
