// Issuing an invoice: what is billed was decided by the step before (`issuing`), so whoever comes here
// computes the same, and the unique index on the occasion lets one of them in. Its number is taken right
// before it is stored (invoice-numbers.ts).

import { MAJORITY } from "../../../shared/database.ts";
import { type Change, newResumable } from "../../../shared/resumable/document.ts";
import type { BillingDeps } from "./billing-deps.ts";
import { CLOSED, type Moment } from "./due-dates.ts";
import type { Invoice } from "./invoice.model.ts";
import {
  boundaryAfter,
  chargeOf,
  type Draft,
  draftOf,
  isInArrears,
  usagePeriodOf,
} from "./invoice-draft.ts";
import type { Issuing, Subscription } from "./subscription.model.ts";
import { closePeriod } from "./usage.ts";

/** The invoice is there; the first attempt at it is next. */
export async function issue(
  deps: BillingDeps,
  subscription: Subscription,
  { now }: Moment,
  isFresh: boolean,
): Promise<Change<Subscription>> {
  const issuing = subscription.issuing as Issuing;
  const draft = await drafted(deps, subscription, issuing);
  if (isNothing(issuing, draft)) return { ...CLOSED, set: { ...CLOSED.set, issuing: undefined } };
  const { _id: invoiceId, attempts } =
    (isFresh ? null : await stored(deps, subscription, issuing)) ??
    (await insert(deps, subscription, issuing, draft, now));
  const billed = new Set(draft.billed);
  return {
    set: {
      step: "collect",
      issuing: undefined,
      boundary: boundaryAfter(subscription, issuing),
      changes: subscription.changes.filter(({ id }) => !billed.has(id)),
      creditMinor: draft.creditMinor,
      collecting: {
        invoiceId,
        occasion: issuing.occasion,
        attempt: 1,
        retries: 0,
        // The first attempt is the invoice's own: whoever issues goes on with the same.
        paymentId: attempts[0]?.paymentId ?? invoiceId,
      },
    },
    next: "now",
  };
}

/** Of what ended at the moment at which its last period began, without being used. */
function isNothing(
  { occasion }: Issuing,
  { periodStart, periodEnd, totalMinor, creditMinor }: Draft,
): boolean {
  return occasion === "end" && periodStart === periodEnd && totalMinor === 0 && creditMinor === 0;
}

/** Where usage is billed its period is closed first: from then on nothing enters it. */
async function drafted(
  deps: BillingDeps,
  subscription: Subscription,
  issuing: Issuing,
): Promise<Draft> {
  if (!isInArrears(subscription.plan)) return draftOf(subscription, issuing, null);
  const { period, isLast } = usagePeriodOf(subscription, issuing);
  return draftOf(subscription, issuing, await closePeriod(deps, subscription, period, isLast));
}

function stored(
  { invoices }: BillingDeps,
  { _id: subscriptionId }: Subscription,
  { occasion }: Issuing,
): Promise<Invoice | null> {
  return invoices.findOne({ subscriptionId, occasion }, MAJORITY);
}

/** Inserts the invoice, or finds the one that somebody else inserted. */
async function insert(
  deps: BillingDeps,
  subscription: Subscription,
  issuing: Issuing,
  draft: Draft,
  now: number,
): Promise<Invoice> {
  const number = await deps.nextNumber(subscription.businessId);
  await deps.at("invoice-numbered", subscription);
  const invoice = invoiceOf(deps, subscription, issuing, draft, { number, now });
  const inserted = await deps.insertInvoice(invoice);
  await deps.at("invoice-inserted", subscription);
  if (inserted === "inserted") return invoice;
  const found = await stored(deps, subscription, issuing);
  if (!found) throw new Error(`Number ${number} of ${subscription.businessId} is taken`);
  return found;
}

function invoiceOf(
  { newId }: BillingDeps,
  subscription: Subscription,
  { occasion }: Issuing,
  { periodStart, periodEnd, lines, totalMinor }: Draft,
  { number, now }: { number: number; now: number },
): Invoice {
  const { _id: subscriptionId, businessId, linkId, collectionAccountId, plan } = subscription;
  const { methodId } = subscription;
  const charge = chargeOf(plan, totalMinor);
  const isCharged = charge.chargeMinor > 0;
  return {
    ...newResumable(newId()),
    step: "open",
    status: "open",
    businessId,
    subscriptionId,
    linkId,
    collectionAccountId,
    occasion,
    number,
    currency: plan.currency,
    issuedAt: now,
    periodStart,
    periodEnd,
    lines,
    totalMinor,
    ...charge,
    attempts: isCharged ? [{ paymentId: newId(), methodId, at: now, status: "PENDING" }] : [],
  };
}
