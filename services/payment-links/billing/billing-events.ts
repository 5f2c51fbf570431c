// The webhook events of subscriptions and invoices. Pure. `timestamp` is real time, as in every
// event; all other times are by the business's clock, which may be a test clock.

import type { InvoiceStatus, SubscriptionStatus } from "../../../shared/contracts/subscriptions.ts";
import { isoTime } from "../../../shared/iso-time.ts";
import { toDecimal, toNumber } from "../../../shared/money.ts";
import type { RelayedEvent } from "../../../shared/resumable/relay.ts";
import type { Invoice } from "./invoice.model.ts";
import type { Subscription } from "./subscription.model.ts";

type BillingEvent = Pick<RelayedEvent, "body" | "paymentLinkId">;

/**
 * Upper bounds of one event; texts of a subscription come from its link and have up to 256
 * characters.
 */
const SUBSCRIPTION_BYTES = 6_000;
const INVOICE_BYTES = 2_000;

/** Whether a subscription that enters the status after its creation has an event of it. */
export function hasEvent(status: SubscriptionStatus): status is "past_due" | "cancelled" {
  return status === "past_due" || status === "cancelled";
}

/**
 * The event of a subscription that is created, becomes past_due or is cancelled. The events of its
 * invoices show that it is active.
 * @param at epoch ms of the event
 * @param seq its place among the subscription's states, from 1
 * @returns null for a state without an event
 */
export function subscriptionEvent(
  subscription: Subscription,
  status: SubscriptionStatus,
  at: number,
  seq: number,
): BillingEvent | null {
  const name = seq === 1 ? "created" : status;
  if (name !== "created" && !hasEvent(name)) return null;
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
    startDate: isoTime(anchorAt),
    cancelledAt: name === "cancelled" && cancelledAt !== undefined ? isoTime(cancelledAt) : null,
    orderId: subscription.orderId ?? null,
    externalId: subscription.externalId ?? null,
    reason: eventReason(subscription, name),
  };
  return { body: { eventType: "SUBSCRIPTION", status: name, payload }, paymentLinkId };
}

function eventReason({ isUnpaid }: Subscription, name: string): string {
  if (name === "past_due") return "The payment of an invoice failed.";
  return name === "cancelled" && isUnpaid ? "An invoice was not paid." : "";
}

export function subscriptionEventBytes({ states }: Subscription): number {
  return states.length * SUBSCRIPTION_BYTES;
}

/**
 * The event of an invoice that is paid or of which an attempt failed. If it ends unpaid, the event
 * of its subscription follows.
 * @param at epoch ms of the event
 * @param seq its place among the invoice's states, from 1; each state but `void` belongs to the
 *   attempt with that number
 * @returns null for a state without an event
 */
export function invoiceEvent(
  invoice: Invoice,
  status: InvoiceStatus,
  at: number,
  seq: number,
): BillingEvent | null {
  if (status !== "paid" && status !== "failed") return null;
  const { _id: id, linkId: paymentLinkId, attempts } = invoice;
  const { askedMinor = invoice.chargeMinor } = invoice;
  const attempt = attempts[seq - 1];
  const nextAt = attempts[seq]?.at ?? invoice.nextTryAt;
  const payload = {
    invoiceId: id,
    transactionId: id,
    paymentId: attempt?.paymentId ?? null,
    subscriptionId: invoice.subscriptionId,
    paymentLinkId,
    number: invoice.number,
    periodStart: isoTime(invoice.periodStart),
    periodEnd: isoTime(invoice.periodEnd),
    amount: toNumber(invoice.totalMinor),
    charged: toDecimal(status === "paid" ? invoice.chargeMinor : askedMinor),
    currency: invoice.currency,
    timestamp: at,
    reason: attempt?.reason ?? "",
    nextAttemptAt: status === "failed" && nextAt !== undefined ? isoTime(nextAt) : null,
  };
  return { body: { eventType: "INVOICE", status, payload }, paymentLinkId };
}

export function invoiceEventBytes({ states }: Invoice): number {
  return states.length * INVOICE_BYTES;
}
