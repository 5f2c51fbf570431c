// The payment of an attempt at an invoice: the amounts are the invoice's, the card is the saved method's.
// It is stored before its card is charged, under the id that the subscription has stored before that; so
// it is one payment, whoever makes it. The payments' own machine drives it; while nobody knows what became
// of it, that is each time its subscription comes by to ask.

import { MAJORITY } from "../../../shared/database.ts";
import { idOfName, timeOf } from "../../../shared/ids.ts";
import { newResumable } from "../../../shared/resumable/document.ts";
import { LEASE_MS } from "../../../shared/resumable/transitions.ts";
import type { Payment } from "../payments/payment.model.ts";
import { DECLINES_WINDOW_MS } from "../payments/payment-claims.ts";
import type { SavedMethod } from "../payments/saved-method.model.ts";
import type { BillingDeps } from "./billing-deps.ts";
import type { Attempt, Invoice } from "./invoice.model.ts";
import type { Collecting, Subscription } from "./subscription.model.ts";

/** The payment as far as it comes: it charges the card, or asks again, unless somebody else is at it. */
export async function renew(
  deps: BillingDeps,
  subscription: Subscription,
  invoice: Invoice,
): Promise<Payment> {
  const { insert, machine, findMethod, payments } = deps.payments;
  // As whoever began the attempt had it: it is the same charge, whoever makes it.
  const { methodId } = invoice.attempts.at(-1) as Attempt;
  const method = await findMethod(methodId);
  const payment = renewalOf(subscription, invoice, method, deps.clock.now());
  if ((await insert(payment)) === "inserted") {
    await deps.at("renewal-inserted", subscription);
    return machine.drive(payment);
  }
  const found = await payments.findOne({ _id: payment._id }, MAJORITY);
  if (!found) throw new Error(`Payment ${payment._id} is neither there nor new`);
  return isLeft(found, deps.clock.now()) ? machine.drive(found, false) : found;
}

/** Nobody is at it now: it is not known what became of it, or its driver died. */
function isLeft({ status, unknownSince, nextAttemptAt = 0 }: Payment, now: number): boolean {
  return status === "PENDING" && (unknownSince !== undefined || nextAttemptAt <= now);
}

/** @param now epoch ms, real: others look after it once its lease is over */
function renewalOf(
  subscription: Subscription,
  { _id: invoiceId, occasion, chargeMinor, feesMinor, amountMinor }: Invoice,
  { _id: methodId, acquirer, card }: SavedMethod,
  now: number,
): Payment {
  const { _id: subscriptionId, orderId, externalId, collecting } = subscription;
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
    feesMinor,
    amountMinor,
    card,
    acquirer,
    customer: subscription.customer,
    fields: subscription.fields,
    name: subscription.name,
    itemDeliveryAddress: subscription.itemDeliveryAddress,
    customData: subscription.customData,
    ...(orderId !== undefined && { orderId }),
    ...(externalId !== undefined && { externalId }),
    notifyPayee: false,
    renewal: { subscriptionId, invoiceId, attempt, methodId },
    // Who sets up one subscription after the other to try cards out is held back by what is declined.
    address: now - timeOf(subscriptionId) < DECLINES_WINDOW_MS ? subscription.address : "",
    // No customer waits for it, and none can repeat it.
    requestHash: "",
    deadline: 0,
    refundedMinor: 0,
    refundedFeesMinor: 0,
  };
}
