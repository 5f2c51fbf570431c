// What a customer sends to set up a subscription, and the subscription that it makes of it. What is
// billed is the link's: nothing that a customer sends says how much. Pure.

import type { RecurringCharge } from "../../../shared/contracts/payment-link-data.ts";
import type { SubscriptionStatus } from "../../../shared/contracts/subscriptions.ts";
import { toMinor } from "../../../shared/money.ts";
import { newResumable } from "../../../shared/resumable/document.ts";
import { LEASE_MS, RELAY_LEASE_MS } from "../../../shared/resumable/transitions.ts";
import { askedFor, type Marks } from "../checkout/payment-request.ts";
import type { PaymentLink } from "../links/link.model.ts";
import type { Customer } from "../payments/payment.model.ts";
import type { SavedMethod } from "../payments/saved-method.model.ts";
import { chargeOf, draftOf, nextIssuing } from "./invoice-draft.ts";
import type { Plan } from "./plan.ts";
import type { Issuing, Subscription } from "./subscription.model.ts";

/** The plan of a recurring link. */
export function planOf({ terms, fee }: Pick<PaymentLink, "terms" | "fee">): Plan {
  const charge = terms.recurringCharge as RecurringCharge;
  const isPriced = charge.type === "subscription";
  return {
    charge,
    amountMinor: isPriced ? (toMinor(terms.amount as number) as number) : 0,
    currency: terms.currency,
    customerPays: terms.customerPays,
    fee,
  };
}

/**
 * Where the first period begins; nothing is billed for the time before a late sign-up.
 * @param setUpAt epoch ms by the business's clock
 */
export function anchorOf({ charge }: Plan, setUpAt: number): number {
  return Math.max(Date.parse(charge.startDate), setUpAt);
}

/** The status with which it began: a trial until its first period begins. */
export function firstStatusOf({
  anchorAt,
  setUpAt,
}: Pick<Subscription, "anchorAt" | "setUpAt">): SubscriptionStatus {
  return anchorAt > setUpAt ? "trialing" : "active";
}

interface SetUp {
  id: string;
  /** Epoch ms; the business's clock, and the real one. */
  setUpAt: number;
  now: number;
  customer: Customer;
  fields: Record<string, string>;
  method: Pick<SavedMethod, "_id" | "card">;
  marks: Marks;
}

/**
 * When a subscription that is set up now is first charged, and what.
 * @param now epoch ms by the business's clock
 * @returns what is due at once, in minor units; else the moment at which something may be
 */
export function firstChargeOf(
  link: PaymentLink,
  now: number,
): { dueNowMinor: number; firstChargeAt: number | null } {
  const subscription = subscriptionOf(link, { ...NOBODYS, setUpAt: now, now });
  const { plan } = subscription;
  const issuing = nextIssuing(subscription) as Issuing;
  if (issuing.at > now) return { dueNowMinor: 0, firstChargeAt: issuing.at };
  const { totalMinor } = draftOf(subscription, issuing, null);
  return { dueNowMinor: chargeOf(plan, totalMinor).chargeMinor, firstChargeAt: null };
}

/** A set-up that is only looked at. */
const NOBODYS: Omit<SetUp, "setUpAt" | "now"> = {
  id: "",
  customer: { email: "", firstName: "", lastName: "", phone: "" },
  fields: {},
  method: { _id: "", card: { brand: "", last4: "" } },
  marks: { address: "", requestHash: "" },
};

/** The document of a subscription that is to be driven next. */
export function subscriptionOf(
  link: PaymentLink,
  { id, setUpAt, now, customer, fields, method, marks }: SetUp,
): Subscription {
  const { _id: linkId, businessId, collectionAccountId, terms } = link;
  const { name, itemDeliveryAddress, customData = {}, orderId, externalId } = terms;
  const { idempotencyKey, requestHash, address } = marks;
  const plan = planOf(link);
  const anchorAt = anchorOf(plan, setUpAt);
  const status = firstStatusOf({ anchorAt, setUpAt });
  return {
    ...newResumable(id),
    step: "wait",
    status,
    states: [{ status, at: now }],
    businessId,
    nextAttemptAt: now + LEASE_MS,
    relayAt: now + RELAY_LEASE_MS,
    linkId,
    collectionAccountId,
    plan,
    anchorAt,
    setUpAt,
    customer,
    methodId: method._id,
    card: method.card,
    name,
    itemDeliveryAddress,
    customData,
    fields: askedFor(terms, fields),
    ...(orderId !== undefined && { orderId }),
    ...(externalId !== undefined && { externalId }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    requestHash,
    address,
    ...(!terms.isOpenLink && { holds: linkId }),
    boundary: 0,
    dueAt: anchorAt,
    seats: 1,
    changes: [],
    creditMinor: 0,
  };
}
