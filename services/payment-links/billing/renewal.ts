// The payment of an attempt at an invoice: the amounts come from the invoice, and the card from the
// saved method. The payment is stored before its card is charged, and the subscription has stored
// the id of the payment before that; so each driver makes the same payment. The machine of payments
// drives it. While its outcome is unknown, each visit of its subscription asks again.

import { creationTime, idOfName } from "../../../shared/ids.ts";
import { LEASE_MS } from "../../../shared/resumable/change.ts";
import { newResumable, nextStepAt } from "../../../shared/resumable/document.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import { copyTerms } from "../links/link.model.ts";
import type { Payment } from "../payments/payment.model.ts";
import { DECLINES_WINDOW_MS } from "../payments/payment-claims.ts";
import type { SavedMethod } from "../payments/saved-method.model.ts";
import type { BillingDeps } from "./deps.ts";
import type { CollectionAttempt, Invoice } from "./invoice.model.ts";
import type { Collecting, Subscription } from "./subscription.model.ts";

/**
 * Pays the last attempt of an invoice: charges the card, or asks again if no other driver is at
 * work.
 * @returns the payment as far as it has come
 */
export async function payAttempt(
  deps: BillingDeps,
  subscription: Subscription,
  invoice: Invoice,
): Promise<Payment> {
  const { payments, methods } = deps;
  // The method that the attempt began with: each driver makes the same charge.
  const { methodId } = invoice.attempts.at(-1) as CollectionAttempt;
  const method = await methods.find(methodId);
  const payment = newRenewal(subscription, invoice, method, deps.clock.now());
  if ((await payments.insert(payment)) === "inserted") {
    await deps.reached("renewal-inserted", subscription);
    return payments.machine.drive(payment, { isFresh: true });
  }
  const found = await payments.documents.findOne({ _id: payment._id }, MAJORITY);
  if (!found) throw new Error(`Payment ${payment._id} is neither stored nor new`);
  return isAbandoned(found, deps.clock.now())
    ? payments.machine.drive(found, { isFresh: false })
    : found;
}

/** No driver is at work: the outcome is unknown, or the lease of the driver is over. */
function isAbandoned(payment: Payment, now: number): boolean {
  const isLeft = payment.unknownSince !== undefined || (nextStepAt(payment) ?? 0) <= now;
  return payment.status === "PENDING" && isLeft;
}

/** @param now epoch ms, real: other nodes take the payment over once its lease is over */
function newRenewal(
  subscription: Subscription,
  { _id: invoiceId, occasion, chargeMinor, feesMinor, amountMinor }: Invoice,
  { _id: methodId, acquirer, card }: SavedMethod,
  now: number,
): Payment {
  const { _id: subscriptionId, collecting } = subscription;
  const { paymentId, attempt } = collecting as Collecting;
  return {
    ...newResumable(paymentId),
    key: idOfName("renewal", subscriptionId, occasion, attempt),
    step: "charge",
    status: "PENDING",
    businessId: subscription.businessId,
    nextAttemptAt: now + LEASE_MS,
    linkId: subscription.linkId,
    collectionAccountId: subscription.collectionAccountId,
    currency: subscription.plan.currency,
    totalMinor: chargeMinor,
    fee: subscription.plan.fee,
    feesMinor,
    amountMinor,
    card,
    acquirer,
    customer: subscription.customer,
    fields: subscription.fields,
    ...copyTerms(subscription),
    notifyPayee: false,
    renewal: { subscriptionId, invoiceId, attempt, methodId },
    // Declines of new subscriptions count against their address, because one customer may set up
    // many of them to test stolen cards.
    address: now - creationTime(subscriptionId) < DECLINES_WINDOW_MS ? subscription.address : "",
    // No customer waits for the payment or can repeat it.
    requestHash: "",
    deadline: 0,
    refundedMinor: 0,
    refundedFeesMinor: 0,
  };
}
