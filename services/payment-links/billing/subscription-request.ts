// The subscription that a customer's request to set one up makes. Its prices come from the link:
// nothing that a customer sends decides an amount. Pure.

import type { RecurringCharge } from "../../../shared/contracts/payment-link-data.ts";
import type { SubscriptionStatus } from "../../../shared/contracts/subscriptions.ts";
import { toMinor } from "../../../shared/money.ts";
import { LEASE_MS } from "../../../shared/resumable/change.ts";
import { newResumable } from "../../../shared/resumable/document.ts";
import { chargeAmounts } from "../links/charge-amounts.ts";
import { copyTerms, type PaymentLink } from "../links/link.model.ts";
import type { Customer } from "../payments/payment.model.ts";
import { askedFor, type Marks } from "../payments/payment-request.ts";
import type { SavedMethod } from "../payments/saved-method.model.ts";
import { nextDue, scopeInvoice } from "./due-invoice.ts";
import { draftInvoice } from "./invoice-draft.ts";
import { boundaryAt } from "./periods.ts";
import { isInArrears, type Plan } from "./plan.ts";
import type { Issuing, Subscription } from "./subscription.model.ts";
import type { PeriodUsage } from "./usage.model.ts";

const UNUSED: PeriodUsage = { units: "0", late: "0" };
/** The state of a subscription of which nothing is billed yet. */
const UNBILLED = { step: "wait" as const, boundary: 0, seats: 1, changes: [], creditMinor: 0 };

/** The first status of a subscription: it is in its trial until its first period begins. */
export function firstStatus({
  anchorAt,
  setUpAt,
}: Pick<Subscription, "anchorAt" | "setUpAt">): SubscriptionStatus {
  return anchorAt > setUpAt ? "trialing" : "active";
}

/** The first charge of a subscription. */
export interface FirstCharge {
  /** The sum that the card is charged, in minor units; without any usage. */
  chargeMinor: number;
  /** The fee in it that comes on top, in minor units. */
  feesMinor: number;
  /** Epoch ms by the business's clock: when it is due, and when the next charge follows. */
  at: number;
  nextAt: number;
}

/**
 * When a subscription that is set up now is first charged, and how much. It is drafted by the
 * function that drafts its invoice.
 * @param now epoch ms by the business's clock
 */
export function firstCharge(link: PaymentLink, now: number): FirstCharge {
  const plan = linkPlan(link);
  const account = { ...UNBILLED, name: link.terms.name, plan, anchorAt: firstAnchor(plan, now) };
  const due = nextDue(account) as Issuing;
  const scope = scopeInvoice(account, due);
  const { totalMinor } = draftInvoice(account, scope, isInArrears(plan) ? UNUSED : null);
  const { chargeMinor } = chargeAmounts(plan, totalMinor);
  return {
    chargeMinor,
    feesMinor: chargeMinor - totalMinor,
    at: due.at,
    nextAt: boundaryAt(account, scope.nextBoundary),
  };
}

interface SetUp {
  id: string;
  /** Epoch ms by the business's clock. */
  setUpAt: number;
  /** Epoch ms, real. */
  now: number;
  customer: Customer;
  fields: Record<string, string>;
  method: Pick<SavedMethod, "_id" | "card">;
  marks: Marks;
}

/** The document of a new subscription, which is driven next. */
export function newSubscription(
  link: PaymentLink,
  { id, setUpAt, now, customer, fields, method, marks }: SetUp,
): Subscription {
  const { _id: linkId, businessId, collectionAccountId, terms } = link;
  const plan = linkPlan(link);
  const anchorAt = firstAnchor(plan, setUpAt);
  const status = firstStatus({ anchorAt, setUpAt });
  return {
    ...newResumable(id),
    ...UNBILLED,
    status,
    states: [{ status, at: now }],
    businessId,
    nextAttemptAt: now + LEASE_MS,
    linkId,
    collectionAccountId,
    plan,
    anchorAt,
    setUpAt,
    customer,
    methodId: method._id,
    card: method.card,
    ...copyTerms(terms),
    fields: askedFor(terms, fields),
    ...marks,
    dueAt: anchorAt,
  };
}

function linkPlan({ terms, fee }: Pick<PaymentLink, "terms" | "fee">): Plan {
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
 * The beginning of the first period; the time before a late sign-up is not billed.
 * @param setUpAt epoch ms by the business's clock
 */
function firstAnchor({ charge }: Plan, setUpAt: number): number {
  return Math.max(Date.parse(charge.startDate), setUpAt);
}
