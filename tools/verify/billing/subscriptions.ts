// Checks subscriptions against their links, the invoices that they collect and the saved methods
// that they charge. Links never change; an invoice is stored before its subscription names it; a
// failed attempt is on the invoice before the next attempt begins. So all of them are read after
// the subscription.

import { type Books, readAll } from "../books.ts";
import { type Invoice, readAttempts } from "../kinds/invoices.ts";
import { readDocuments, reporter } from "../kinds/kind.ts";
import { KINDS } from "../kinds/kinds.ts";
import { ownersText, type Subscription } from "../kinds/subscriptions.ts";

const LINK_FIELDS = {
  businessId: 1,
  collectionAccountId: 1,
  fee: 1,
  "terms.isOpenLink": 1,
  "terms.currency": 1,
  "terms.amount": 1,
  "terms.customerPays": 1,
  "terms.recurringCharge": 1,
};

interface Link {
  _id: string;
  businessId: string;
  collectionAccountId: string;
  fee: object;
  terms?: {
    isOpenLink?: boolean;
    currency?: string;
    amount?: number;
    customerPays?: boolean;
    recurringCharge?: { type?: string };
  };
}

export async function verifySubscriptions(books: Books, batch: Subscription[]): Promise<void> {
  const links = await readAll<Link>(
    books,
    "payment_links",
    batch.map(({ linkId }) => linkId),
    LINK_FIELDS,
  );
  const collected = batch.flatMap(({ collecting }) => collecting?.invoiceId ?? []);
  const invoices = await readDocuments(books, KINDS.invoices, collected);
  const report = reporter(books, KINDS.subscriptions);
  for (const subscription of batch) {
    report(subscription, linkProblem(subscription, links.get(subscription.linkId)));
    const { collecting } = subscription;
    if (collecting) {
      report(subscription, collectingProblem(subscription, invoices.get(collecting.invoiceId)));
    }
  }
  await verifyMethods(books, batch);
}

function linkProblem(subscription: Subscription, link: Link | undefined): string | null {
  const { plan, linkId, holds } = subscription;
  if (!link) return `is of the link ${linkId}, which is not there`;
  const { terms } = link;
  const [actual, expected] = [
    { ...subscription, currency: plan?.currency },
    { ...link, linkId: link._id, currency: terms?.currency },
  ].map(ownersText);
  if (actual !== expected) return `is for ${actual}, its link ${expected}`;
  const billed = [plan?.charge, plan?.amountMinor, plan?.customerPays, plan?.fee];
  if (JSON.stringify(billed) !== JSON.stringify(linkTerms(link))) {
    return "bills something else than its link says";
  }
  if (holds !== undefined && holds !== linkId) return `holds the link ${holds}, not its own`;
  const isUnheld = terms?.isOpenLink === false && holds === undefined;
  return isUnheld ? `does not hold its link ${linkId}, which is used once` : null;
}

/** The terms of a link that its subscriptions have to bill. */
function linkTerms({ terms, fee }: Link): unknown[] {
  const charge = terms?.recurringCharge;
  const isPriced = charge?.type === "subscription";
  const amountMinor = isPriced ? Math.round((terms?.amount ?? 0) * 100) : 0;
  return [charge, amountMinor, terms?.customerPays === true, fee];
}

/**
 * The attempts before the present one were declined; before a retry, the last one was declined too.
 */
function collectingProblem(
  { _id, step, collecting }: Subscription,
  invoice: Invoice | undefined,
): string | null {
  const { invoiceId, attempt = 0 } = collecting ?? {};
  if (invoice?.subscriptionId !== _id) return `collects ${invoiceId}, which is no invoice of it`;
  const failed = attempt - (step === "collect" ? 1 : 0);
  const tried = readAttempts(invoice).slice(0, failed);
  const isDeclined = tried.length === failed && tried.every(({ status }) => status === "FAILED");
  return isDeclined
    ? null
    : `is at attempt ${attempt} at ${invoiceId}, which has not failed before`;
}

interface SavedMethod {
  _id: string;
  subscriptionId: string;
}

/** The saved method of a subscription exists until the subscription is closed. */
async function verifyMethods(books: Books, batch: Subscription[]): Promise<void> {
  const open = batch.filter(({ step }) => step !== "closed");
  const named = open.map(({ methodId }) => methodId);
  const methods = await readAll<SavedMethod>(books, "payment_methods", named, {
    subscriptionId: 1,
  });
  const without = open.filter(({ _id, methodId }) => methods.get(methodId)?.subscriptionId !== _id);
  // The subscription may have been closed, and its methods deleted, before they were read.
  const ids = without.map(({ _id }) => _id);
  const again = await readDocuments(books, KINDS.subscriptions, ids);
  const report = reporter(books, KINDS.subscriptions);
  for (const subscription of without) {
    if (again.get(subscription._id)?.step === "closed") continue;
    report(subscription, `is to charge ${subscription.methodId}, which is no saved method of it`);
  }
}
