// Issues an invoice and makes the first attempt at it. The step before has stored which invoice
// (`issuing`), so each driver drafts the same one, and the unique index on the occasion lets one of
// them store it. Its number is taken right before it is stored (invoice-numbers.ts). The
// subscription stores both with one update: a driver that resumes in between finds the invoice, and
// the attempt that the invoice names.

import { type Change, newResumable } from "../../../shared/resumable/document.ts";
import { workForOrigin } from "../../../shared/rpc/origin.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import { chargeAmounts } from "../links/charge-amounts.ts";
import { collect } from "./collect.ts";
import type { BillingDeps } from "./deps.ts";
import { type BillingTime, close } from "./due-dates.ts";
import { type InvoiceScope, scopeInvoice } from "./due-invoice.ts";
import { untilReleased } from "./hold.ts";
import type { Invoice } from "./invoice.model.ts";
import { draftInvoice, type InvoiceDraft } from "./invoice-draft.ts";
import type { Issuing, Subscription } from "./subscription.model.ts";
import { closePeriod } from "./usage.ts";

/** The step `issue`: stores the invoice, and collects it. */
export async function issue(
  deps: BillingDeps,
  subscription: Subscription,
  time: BillingTime,
  isFresh: boolean,
): Promise<Change<Subscription>> {
  const issuing = subscription.issuing as Issuing;
  const stored = isFresh ? null : await findIssued(deps, subscription);
  // Its period stays open for reports.
  if (!stored && subscription.heldSince !== undefined) return untilReleased();
  const scope = scopeInvoice(subscription, issuing);
  const draft = draftInvoice(subscription, scope, await closeUsage(deps, subscription, scope));
  if (isNothing(scope, draft)) return close({ issuing: undefined });
  const invoice =
    stored ?? (await insertInvoice(deps, subscription, { scope, draft, now: time.now }));
  const settled = new Set(scope.changes.map(({ id }) => id));
  const issued = {
    step: "collect" as const,
    issuing: undefined,
    // Its payment works for the same origin, also if an earlier driver stored the invoice.
    origin: subscription.origin ?? invoice.origin,
    boundary: scope.nextBoundary,
    changes: subscription.changes.filter(({ id }) => !settled.has(id)),
    creditMinor: draft.creditMinor,
    collecting: {
      invoiceId: invoice._id,
      occasion: issuing.occasion,
      attempt: 1,
      retries: 0,
      // The invoice holds its first attempt, so each driver goes on with the same payment.
      paymentId: invoice.attempts[0]?.paymentId ?? invoice._id,
    },
  };
  const { set, ...change } = await workForOrigin(issued.origin, () =>
    collect(deps, { ...subscription, ...issued }, time, invoice),
  );
  return { ...change, set: { ...issued, ...set } };
}

/** Closes the period of usage first: from then on no usage enters it. */
function closeUsage(deps: BillingDeps, subscription: Subscription, scope: InvoiceScope) {
  const { usagePeriod, isLastUsage } = scope;
  if (usagePeriod === null) return null;
  return closePeriod(deps, { subscription, period: usagePeriod, isLast: isLastUsage });
}

/** The subscription ended as its last period began, and there was no usage. */
function isNothing(
  { occasion, periodStart, periodEnd }: InvoiceScope,
  { totalMinor, creditMinor }: InvoiceDraft,
): boolean {
  const isEmpty = periodStart === periodEnd && totalMinor === 0 && creditMinor === 0;
  return occasion.kind === "end" && isEmpty;
}

function findIssued(
  { invoices }: BillingDeps,
  { _id: subscriptionId, issuing }: Subscription,
): Promise<Invoice | null> {
  const { occasion } = issuing as Issuing;
  return invoices.documents.findOne({ subscriptionId, occasion }, MAJORITY);
}

interface Drafted {
  scope: InvoiceScope;
  draft: InvoiceDraft;
  /** Epoch ms by the business's clock. */
  now: number;
}

/** Inserts the invoice, or finds the one that another driver inserted. */
async function insertInvoice(
  deps: BillingDeps,
  subscription: Subscription,
  drafted: Drafted,
): Promise<Invoice> {
  const number = await deps.invoices.nextNumber(subscription.businessId);
  await deps.reached("invoice-numbered", subscription);
  const invoice = newInvoice(deps, subscription, drafted, number);
  const inserted = await deps.invoices.insert(invoice);
  await deps.reached("invoice-inserted", subscription);
  if (inserted === "inserted") return invoice;
  const found = await findIssued(deps, subscription);
  if (!found) throw new Error(`Number ${number} of ${subscription.businessId} is taken`);
  return found;
}

function newInvoice(
  { newId }: BillingDeps,
  subscription: Subscription,
  { scope: { periodStart, periodEnd }, draft: { lines, totalMinor }, now }: Drafted,
  number: number,
): Invoice {
  const { _id: subscriptionId, businessId, linkId, collectionAccountId, plan } = subscription;
  const { methodId, issuing } = subscription;
  const charge = chargeAmounts(plan, totalMinor);
  const isCharged = charge.chargeMinor > 0;
  return {
    ...newResumable(newId()),
    step: "open",
    status: "open",
    businessId,
    subscriptionId,
    linkId,
    collectionAccountId,
    occasion: (issuing as Issuing).occasion,
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
