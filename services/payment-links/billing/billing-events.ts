// What the merchant hears of subscriptions and invoices. Pure. `timestamp` is real, as in every event;
// all other moments are the business's clock's, which a test clock may have set.

import type { InvoiceStatus, SubscriptionStatus } from "../../../shared/contracts/subscriptions.ts";
import { toDecimal, toNumber } from "../../../shared/money.ts";
import type { Event } from "../../../shared/resumable/relay.ts";
import type { Invoice } from "./invoice.model.ts";
import type { Subscription } from "./subscription.model.ts";
import { isoOf } from "./subscription-views.ts";

type BillingEvent = Pick<Event, "body" | "paymentLinkId">;

/** Of one event, estimated from above: texts of a subscription are its link's, up to 256 characters. */
const SUBSCRIPTION_BYTES = 6_000;
const INVOICE_BYTES = 2_000;

/**
 * What the merchant hears of a subscription: that it was created, became past_due, was cancelled. That
 * it is active, its invoices tell.
 * @param at epoch ms of the event
 * @param seq its place among the subscription's states, from 1
 */
export function subscriptionEventOf(
  subscription: Subscription,
  status: SubscriptionStatus,
  at: number,
  seq: number,
): BillingEvent | null {
  const told = seq === 1 ? "created" : status;
  if (told === "trialing" || told === "active") return null;
  const { _id: id, linkId: paymentLinkId, plan, anchorAt, cancelledAt } = subscription;
  const payload = {
    subscriptionId: id,
    transactionId: id,
    paymentLinkId,
    collectionAccountId: subscription.collectionAccountId,
    type: plan.charge.type,
    amount: toNumber(plan.amountMinor),
    currency: plan.currency,
    timestamp: at,
    startDate: isoOf(anchorAt),
    cancelledAt: told === "cancelled" && cancelledAt !== undefined ? isoOf(cancelledAt) : null,
    orderId: subscription.orderId ?? null,
    externalId: subscription.externalId ?? null,
    reason: reasonOf(subscription, told),
  };
  return { body: { eventType: "SUBSCRIPTION", status: told, payload }, paymentLinkId };
}

function reasonOf({ isUnpaid }: Subscription, told: string): string {
  if (told === "past_due") return "The payment of an invoice failed.";
  return told === "cancelled" && isUnpaid ? "An invoice was not paid." : "";
}

export function subscriptionBytesOf({ states }: Subscription): number {
  return states.length * SUBSCRIPTION_BYTES;
}

/**
 * What the merchant hears of an invoice: each attempt that failed, and that it is paid. Its end without
 * being paid, its subscription tells.
 * @param at epoch ms of the event
 * @param seq its place among the invoice's states, from 1; each but `void` is of the attempt there
 */
export function invoiceEventOf(
  invoice: Invoice,
  status: InvoiceStatus,
  at: number,
  seq: number,
): BillingEvent | null {
  if (status !== "paid" && status !== "failed") return null;
  const { _id: id, linkId: paymentLinkId, attempts } = invoice;
  const attempt = attempts[seq - 1];
  const nextAt = attempts[seq]?.at ?? invoice.nextTryAt;
  const payload = {
    invoiceId: id,
    transactionId: id,
    paymentId: attempt?.paymentId ?? null,
    subscriptionId: invoice.subscriptionId,
    paymentLinkId,
    number: invoice.number,
    periodStart: isoOf(invoice.periodStart),
    periodEnd: isoOf(invoice.periodEnd),
    amount: toNumber(invoice.totalMinor),
    charged: toDecimal(invoice.chargeMinor),
    currency: invoice.currency,
    timestamp: at,
    reason: attempt?.reason ?? "",
    nextAttemptAt: status === "failed" && nextAt !== undefined ? isoOf(nextAt) : null,
  };
  return { body: { eventType: "INVOICE", status, payload }, paymentLinkId };
}

export function invoiceBytesOf({ states }: Invoice): number {
  return states.length * INVOICE_BYTES;
}
