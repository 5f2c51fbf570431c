// The erasure of customers at checkout. The email of the checkout identifies a customer. Ids,
// amounts, prices and states stay, and so do the merchant's own order numbers and references. A
// payment that begins during the erasure of its customer is a new payment, and stays.

import type { mongo } from "mongoose";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { sharedEmailReason } from "../../../shared/contracts/personal-data.ts";
import { fail } from "../../../shared/errors.ts";
import { type Erasing, erase } from "../../../shared/resumable/erasure.ts";
import type { Caller } from "../../../shared/rpc/actions.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import {
  ERASED,
  ERASED_DIGITS,
  ERASED_EMAIL,
  ERASED_PHONE,
  KEPT_OF_CUSTOMERS,
} from "../../../shared/storage/erased.ts";
import type { BillingDeps } from "../billing/deps.ts";
import type { Subscription } from "../billing/subscription.model.ts";
import type { PaymentLink } from "../links/link.model.ts";
import type { Customer, Payment } from "../payments/payment.model.ts";
import { toPaymentEvent } from "../payments/payment-views.ts";
import type { RefundDeps } from "../refunds/deps.ts";
import { findOfCustomer } from "./find-customer.ts";
import { requireNothingOpen } from "./open.ts";
import { findSharers } from "./sharers.ts";

type Key = Params<"payment-links.eraseCustomer">;

const ERASED_CUSTOMER: Customer = {
  email: ERASED_EMAIL,
  firstName: ERASED,
  lastName: ERASED,
  phone: ERASED_PHONE,
};

/** The values of the fields that payments and subscriptions have in common. */
const ERASED_FIELDS = {
  customer: ERASED_CUSTOMER,
  fields: {},
  itemDeliveryAddress: ERASED,
  customData: {},
  // The Idempotency-Key stays, so that a repeat of the request is refused and charges nothing.
  address: ERASED,
  requestHash: ERASED,
};

/** The personal data in the terms of a link for one customer. */
export const ERASED_TERMS = {
  $set: { "terms.itemDeliveryAddress": ERASED },
  $unset: { "terms.customData": "" as const },
};

/**
 * Erases the personal data in the payments and subscriptions of an email.
 * @throws ERASURE_REFUSED if money of the customer is under way, or if the email is shared and the
 *   request does not say that all is meant, and nothing has changed;
 *   UNAVAILABLE if the erasure is incomplete, and a repeat continues it
 */
export async function eraseCustomer(
  deps: BillingDeps & RefundDeps,
  caller: Caller,
  key: Key,
): Promise<Result<"payment-links.eraseCustomer">> {
  const sharers = await findSharers(caller, key);
  if (sharers.length > 0) fail("ERASURE_REFUSED", sharedEmailReason(sharers.length));
  const theirs = await findOfCustomer(deps, key);
  await requireNothingOpen(deps, theirs);
  const { clock, revise, payments, subscriptions, links } = deps;
  const erased = { payments: 0, subscriptions: 0 };

  const ofPayments = paymentErasing(deps);
  for await (const payment of payments.documents.find(
    { ...theirs.payments, step: "closed" },
    MAJORITY,
  )) {
    await eraseTerms(links.documents, payment);
    const card = { ...payment.card, last4: ERASED_DIGITS };
    await erase(ofPayments, payment, { ...ERASED_FIELDS, ...heldAfter(payment), card });
    erased.payments += 1;
  }

  const ofSubscriptions: Erasing<Subscription> = {
    clock,
    documents: subscriptions.documents,
    transitionAlone: subscriptions.machine.transitionAlone,
    // The events of a subscription have no personal data.
    outlet: { toEvent: () => null },
    revise,
  };
  const ended = { ...theirs.subscriptions, step: "closed" as const };
  for await (const subscription of subscriptions.documents.find(ended, MAJORITY)) {
    await eraseTerms(links.documents, subscription);
    const card = { ...subscription.card, last4: ERASED_DIGITS };
    const access = { methodLink: undefined, subscriberHash: undefined };
    const set = { ...ERASED_FIELDS, ...heldAfter(subscription), card, ...access };
    await erase(ofSubscriptions, subscription, set);
    erased.subscriptions += 1;
  }

  const erasedAt = new Date(clock.now()).toISOString();
  return { erasedAt, erased, kept: KEPT_OF_CUSTOMERS };
}

/** The means to erase data in payments and in their events. */
export function paymentErasing({ clock, payments, revise }: BillingDeps): Erasing<Payment> {
  return {
    clock,
    documents: payments.documents,
    transitionAlone: payments.machine.transitionAlone,
    outlet: { toEvent: toPaymentEvent },
    revise,
  };
}

/** A link that is used once stays held; a hold of the customer has a fingerprint of its email. */
function heldAfter({ holds, linkId }: Pick<Payment, "holds" | "linkId">) {
  return { holds: holds === linkId ? holds : undefined };
}

/** Erases the terms of a link that only this customer used, because they have its address. */
async function eraseTerms(
  links: mongo.Collection<PaymentLink>,
  { holds }: { holds?: string },
): Promise<void> {
  if (holds !== undefined) await links.updateOne({ _id: holds }, ERASED_TERMS);
}
