// The public views of a subscription and its invoices. Pure. They leave out the card's token, the
// requests that set the subscription up, and the fields that drive it.

import type { Result } from "../../../shared/contracts/contracts.ts";
import { isoOrNull, isoTime } from "../../../shared/iso-time.ts";
import { toDecimal } from "../../../shared/money.ts";
import { nextDue } from "./due-invoice.ts";
import type { Invoice, InvoiceLine } from "./invoice.model.ts";
import { boundaryAt, periodAt } from "./periods.ts";
import type { Subscription } from "./subscription.model.ts";

type View = Result<"payment-links.subscription">;
export type InvoiceView = Result<"payment-links.invoice">;

/**
 * The subscription as its merchant sees it.
 * @param businessNow epoch ms by the business's clock; it decides the current period
 */
export function subscriptionView(subscription: Subscription, businessNow: number): View {
  const { _id: id, plan, collecting, cancelledAt, endsAtBoundary } = subscription;
  const { charge } = plan;
  const endsAt =
    endsAtBoundary === undefined || cancelledAt !== undefined
      ? undefined
      : boundaryAt(subscription, endsAtBoundary);
  return {
    id,
    status: subscription.status,
    paymentLinkId: subscription.linkId,
    collectionAccountId: subscription.collectionAccountId,
    name: subscription.name,
    type: charge.type,
    interval: charge.interval,
    currency: plan.currency,
    productId: charge.productId ?? null,
    amount: charge.type === "subscription" ? toDecimal(plan.amountMinor) : null,
    consumptionDetails: charge.consumptionDetails ?? null,
    seatDetails: charge.seatDetails ?? null,
    startDate: isoTime(subscription.anchorAt),
    currentPeriod: currentPeriod(subscription, businessNow),
    nextInvoiceAt: isoOrNull(nextDue(subscription)?.at),
    openInvoiceId: collecting?.invoiceId ?? null,
    seats: charge.type === "seating" ? subscription.seats : null,
    customer: subscription.customer,
    card: subscription.card,
    orderId: subscription.orderId ?? null,
    externalId: subscription.externalId ?? null,
    cancelAt: isoOrNull(endsAt),
    cancelledAt: isoOrNull(cancelledAt),
    cancelReason: cancelledAt === undefined ? null : subscription.isUnpaid ? "unpaid" : "requested",
    heldSince: isoOrNull(subscription.heldSince),
    needsAttention: subscription.needsAttention,
    createdAt: isoTime(subscription.setUpAt),
  };
}

/** The period at the business's time; there is none in the trial or after the cancellation. */
function currentPeriod(subscription: Subscription, businessNow: number): View["currentPeriod"] {
  const { status } = subscription;
  if (status === "trialing" || status === "cancelled") return null;
  // An active subscription has begun its first period, although this node's clock may be a little
  // behind.
  const period = Math.max(0, periodAt(subscription, businessNow));
  return {
    periodStart: isoTime(boundaryAt(subscription, period)),
    periodEnd: isoTime(boundaryAt(subscription, period + 1)),
  };
}

/** The invoice as its merchant sees it. Its lines never change. */
export function invoiceView(invoice: Invoice): InvoiceView {
  return {
    id: invoice._id,
    number: invoice.number,
    subscriptionId: invoice.subscriptionId,
    periodStart: isoTime(invoice.periodStart),
    periodEnd: isoTime(invoice.periodEnd),
    total: toDecimal(invoice.totalMinor),
    currency: invoice.currency,
    status: invoice.status,
    lines: invoice.lines.map(lineView),
    charged: toDecimal(invoice.chargeMinor),
    attempts: invoice.attempts.map(({ paymentId, at, status, reason = null }) => {
      return { paymentId, status, at: isoTime(at), reason };
    }),
    nextAttemptAt: isoOrNull(invoice.nextTryAt),
    issuedAt: isoTime(invoice.issuedAt),
    paidAt: isoOrNull(invoice.paidAt),
  };
}

export function lineView({ description, quantity, unitAmount, amountMinor }: InvoiceLine) {
  return { description, quantity, unitAmount, amount: toDecimal(amountMinor) };
}
