// What others get to see of a subscription and its invoices. Pure; the card's token, the requests that
// set it up and what drives it are in none of them.

import type { Result } from "../../../shared/contracts.ts";
import { toDecimal } from "../../../shared/money.ts";
import type { Invoice, InvoiceLine } from "./invoice.model.ts";
import { nextIssuing } from "./invoice-draft.ts";
import { boundaryAt, periodOf } from "./periods.ts";
import type { Subscription } from "./subscription.model.ts";

type View = Result<"payment-links.subscription">;
export type InvoiceView = Result<"payment-links.invoice">;

/**
 * The subscription as its merchant sees it.
 * @param businessNow epoch ms by the business's clock: it says which period is the current one
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
    startDate: isoOf(subscription.anchorAt),
    currentPeriod: currentPeriodOf(subscription, businessNow),
    nextInvoiceAt: isoOrNull(nextIssuing(subscription)?.at),
    openInvoiceId: collecting?.invoiceId ?? null,
    seats: charge.type === "seating" ? subscription.seats : null,
    customer: subscription.customer,
    card: subscription.card,
    orderId: subscription.orderId ?? null,
    externalId: subscription.externalId ?? null,
    cancelAt: isoOrNull(endsAt),
    cancelledAt: isoOrNull(cancelledAt),
    cancelReason: cancelledAt === undefined ? null : subscription.isUnpaid ? "unpaid" : "requested",
    needsAttention: subscription.needsAttention,
    createdAt: isoOf(subscription.setUpAt),
  };
}

/** The period that the business's clock is in; none in the trial, and none once it is cancelled. */
function currentPeriodOf(subscription: Subscription, businessNow: number): View["currentPeriod"] {
  const { status } = subscription;
  if (status === "trialing" || status === "cancelled") return null;
  // Clocks of nodes differ a little: it is active, so its first period has begun.
  const period = Math.max(0, periodOf(subscription, businessNow));
  return {
    periodStart: isoOf(boundaryAt(subscription, period)),
    periodEnd: isoOf(boundaryAt(subscription, period + 1)),
  };
}

/** The invoice as its merchant sees it; it was issued once, and its lines never change. */
export function invoiceView(invoice: Invoice): InvoiceView {
  return {
    id: invoice._id,
    number: invoice.number,
    subscriptionId: invoice.subscriptionId,
    periodStart: isoOf(invoice.periodStart),
    periodEnd: isoOf(invoice.periodEnd),
    total: toDecimal(invoice.totalMinor),
    currency: invoice.currency,
    status: invoice.status,
    lines: invoice.lines.map(lineView),
    charged: toDecimal(invoice.chargeMinor),
    attempts: invoice.attempts.map(({ paymentId, at, status, reason = null }) => {
      return { paymentId, status, at: isoOf(at), reason };
    }),
    nextAttemptAt: isoOrNull(invoice.nextTryAt),
    issuedAt: isoOf(invoice.issuedAt),
    paidAt: isoOrNull(invoice.paidAt),
  };
}

export function lineView({ description, quantity, unitAmount, amountMinor }: InvoiceLine) {
  return { description, quantity, unitAmount, amount: toDecimal(amountMinor) };
}

/** @param moment epoch ms */
export function isoOf(moment: number): string {
  return new Date(moment).toISOString();
}

function isoOrNull(moment: number | undefined): string | null {
  return moment === undefined ? null : isoOf(moment);
}
