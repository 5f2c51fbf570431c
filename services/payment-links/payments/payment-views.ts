// The public views of a payment: its events, the merchant's view, the customer's view, and the
// transaction of lists and details. Pure. None of them contains the acquirer's own code.

import type { Result } from "../../../shared/contracts/contracts.ts";
import type { EventBody } from "../../../shared/contracts/events.ts";
import type { PaymentStatus } from "../../../shared/contracts/payments.ts";
import type { FailureCode, Status } from "../../../shared/contracts/transactions.ts";
import { creationTime } from "../../../shared/ids.ts";
import { isoTime } from "../../../shared/iso-time.ts";
import { toDecimal, toNumber } from "../../../shared/money.ts";
import type { RelayedEvent } from "../../../shared/resumable/relay.ts";
import type { PaymentLink } from "../links/link.model.ts";
import type { Payment } from "./payment.model.ts";

type PaymentEvent = Pick<RelayedEvent, "body" | "paymentLinkId">;

/**
 * The event of a payment's state: COLLECTION for its end, and after a success NOTIFICATION if the
 * link asks for one. A renewal has no events, because its invoice has them.
 * @param at epoch ms of the event
 * @param seq its place among the payment's events, from 1
 */
export function toPaymentEvent(
  payment: Payment,
  status: EventBody<"COLLECTION">["status"],
  at: number,
  seq: number,
): PaymentEvent | null {
  const { linkId: paymentLinkId } = payment;
  if (payment.renewal) return null;
  const body: PaymentEvent["body"] =
    seq === 1
      ? { eventType: "COLLECTION", status, payload: collectionPayload(payment, at) }
      : {
          eventType: "NOTIFICATION",
          status: "SUCCEEDED",
          payload: notificationPayload(payment, at),
        };
  return { body, paymentLinkId };
}

function collectionPayload(payment: Payment, at: number): EventBody<"COLLECTION">["payload"] {
  const { _id: id, linkId, collectionAccountId, totalMinor } = payment;
  return {
    paymentId: id,
    transactionId: id,
    paymentLinkId: linkId,
    collectionAccountId,
    amount: toNumber(totalMinor),
    ...splitAmount(payment),
    currency: payment.currency,
    timestamp: at,
    customer: payment.customer,
    metadata: toMetadata(payment),
    orderId: payment.orderId ?? null,
    externalId: payment.externalId ?? null,
    reason: payment.failureReason ?? "",
  };
}

function notificationPayload(payment: Payment, at: number): EventBody<"NOTIFICATION">["payload"] {
  const { _id: id, linkId, notifyPayee, agent, totalMinor, currency } = payment;
  const payee = { type: "payee", ...payment.payee };
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

/** The size of its events in JSON, in bytes; estimated from above. */
export function estimatePaymentBytes({
  states,
  customer,
  fields,
  customData,
  ...payment
}: Payment) {
  const { payee, agent, itemDeliveryAddress, orderId, externalId } = payment;
  const people = [customer, payee, agent];
  const texts = [fields, customData, itemDeliveryAddress, orderId, externalId];
  return states.length * (1_500 + Buffer.byteLength(JSON.stringify([people, texts])));
}

export function toMetadata({
  itemDeliveryAddress,
  customData,
  fields,
}: Pick<Payment, "itemDeliveryAddress" | "customData" | "fields">) {
  return { itemDeliveryAddress, customData, fields };
}

/**
 * The fee, and the sum that the collection account gets; both are 0 if the card was not charged.
 */
function splitAmount({ status, feesMinor, amountMinor }: Payment): { fees: string; net: string } {
  const isFailed = status === "FAILED";
  return {
    fees: toDecimal(isFailed ? 0 : feesMinor),
    net: toDecimal(isFailed ? 0 : amountMinor),
  };
}

/** The merchant's view of the payment. */
export function paymentView(payment: Payment): Result<"payment-links.payment"> {
  const { _id: id, states } = payment;
  const createdAt = creationTime(id);
  return {
    id,
    paymentLinkId: payment.linkId,
    subscriptionId: payment.renewal?.subscriptionId ?? null,
    invoiceId: payment.renewal?.invoiceId ?? null,
    collectionAccountId: payment.collectionAccountId,
    status: payment.status,
    amount: toDecimal(payment.totalMinor),
    ...splitAmount(payment),
    refunded: toDecimal(payment.refundedMinor),
    currency: payment.currency,
    card: payment.card,
    customer: payment.customer,
    metadata: toMetadata(payment),
    orderId: payment.orderId ?? null,
    externalId: payment.externalId ?? null,
    reason: payment.failureReason ?? null,
    needsAttention: payment.needsAttention,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(states.at(-1)?.at ?? createdAt).toISOString(),
  };
}

/**
 * The customer's view of the payment.
 * @param action what the vault's field has to carry out, if the customer has to confirm the charge
 */
export function outcomeView(
  { terms }: Pick<PaymentLink, "terms">,
  payment: Payment,
  action?: string,
): Result<"payment-links.pay"> {
  const { _id: id, status, failureReason, confirmUntil } = payment;
  const isPending = status === "PENDING";
  return {
    id,
    status,
    ...(isPending && confirmUntil !== undefined && { confirmUntil: isoTime(confirmUntil) }),
    ...(isPending && action !== undefined && { action }),
    ...(failureReason !== undefined && { reason: failureReason }),
    ...(status === "SUCCEEDED" && { receipt: receiptOf(payment) }),
    redirectTo: terms.redirectTo ?? null,
  };
}

function receiptOf({ totalMinor, refundedMinor, card, states, _id }: Payment) {
  return {
    amount: toDecimal(totalMinor),
    refunded: toDecimal(refundedMinor),
    card: { brand: card.brand, last4: card.last4 },
    paidAt: new Date(states[0]?.at ?? creationTime(_id)).toISOString(),
  };
}

/** The names of the states of payments and refunds in the list of transactions. */
export const TRANSACTION_STATUS: Record<PaymentStatus, Status> = {
  PENDING: "PENDING",
  SUCCEEDED: "SUCCESS",
  FAILED: "FAILED",
};

/**
 * The status of payments for a filter of transactions; null for a status that only payouts have.
 */
export function paymentStatusFor(status: string): PaymentStatus | null {
  const found = Object.entries(TRANSACTION_STATUS).find(([, name]) => name === status);
  return found ? (found[0] as PaymentStatus) : null;
}

/** The payment as a transaction; `amount` is the charged sum, the fee included. */
export function toTransaction(payment: Payment): Result<"payment-links.transaction"> {
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
    failureCode: failureCodeOf(payment),
    needsAttention,
    reference: rest.orderId,
    metadata: rest.metadata,
    createdAt,
    updatedAt,
  };
}

/** A payment without the acquirer's decline ended before it was charged. */
function failureCodeOf({ status, declined }: Payment): FailureCode | null {
  if (status !== "FAILED") return null;
  return declined === undefined ? "processing_failed" : "card_declined";
}

/** Its states, the first from its id; an entry that stands for a notification is left out. */
export function listStates({ _id, states }: Payment): Result<"payment-links.timeline">["states"] {
  const begun = { status: "PENDING" as Status, at: new Date(creationTime(_id)).toISOString() };
  const ended = states.slice(0, 1).map(({ status, at, by }) => ({
    status: TRANSACTION_STATUS[status],
    at: new Date(at).toISOString(),
    ...(by && { by }),
  }));
  return [begun, ...ended];
}
