// Reads subscriptions and their invoices. Only their own business sees them; for another business
// they do not exist. All reads are of data that a majority of the replica set has, so no election
// takes it back.

import type { Model } from "mongoose";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import { isTooLong, readPage } from "../../../shared/storage/paging.ts";
import type { BillingDeps } from "./deps.ts";
import type { Invoice } from "./invoice.model.ts";
import type { Subscription } from "./subscription.model.ts";
import { type InvoiceView, invoiceView, subscriptionView } from "./subscription-views.ts";
import type { UsageEntry } from "./usage.model.ts";

export interface BillingModels {
  subscriptions: Model<Subscription>;
  invoices: Model<Invoice>;
  usage_log: Model<UsageEntry>;
}

export interface Key {
  businessId: string;
  id: string;
}

/**
 * A subscription of a business.
 * @throws SUBSCRIPTION_NOT_FOUND
 */
export async function findSubscription(
  { subscriptions }: BillingDeps,
  { businessId, id }: Key,
): Promise<Subscription> {
  const found = await subscriptions.documents.findOne({ _id: id, businessId }, MAJORITY);
  return found ?? fail("SUBSCRIPTION_NOT_FOUND");
}

/**
 * A subscription as its merchant sees it.
 * @throws SUBSCRIPTION_NOT_FOUND
 */
export async function showSubscription(
  deps: BillingDeps,
  key: Params<"payment-links.subscription">,
): Promise<Result<"payment-links.subscription">> {
  const subscription = await findSubscription(deps, key);
  return subscriptionView(subscription, await deps.businessNow(key.businessId));
}

/** The subscriptions of a business. */
export async function listSubscriptions(
  { businessNow }: BillingDeps,
  { subscriptions }: BillingModels,
  { businessId, paymentLinkId, status, ...paging }: Params<"payment-links.subscriptions">,
): Promise<Result<"payment-links.subscriptions">> {
  const filter = {
    businessId,
    ...(paymentLinkId && { linkId: paymentLinkId }),
    ...(status && { status }),
  };
  // The view leaves these fields out, and they may be long.
  const shown = { fields: 0, customData: 0 };
  const { documents, meta } = await readPage(subscriptions, filter, paging, { projection: shown });
  const now = await businessNow(businessId);
  return { items: documents.map((each) => subscriptionView(each, now)), meta };
}

/** An invoice with more lines is listed without them. */
const MAX_LINES_LISTED = 20;

/**
 * The invoices of a subscription, without their lines if the list is too long.
 * @throws SUBSCRIPTION_NOT_FOUND
 */
export async function listInvoices(
  deps: BillingDeps,
  { invoices }: BillingModels,
  { businessId, id, ...paging }: Params<"payment-links.invoices">,
): Promise<Result<"payment-links.invoices">> {
  await findSubscription(deps, { businessId, id });
  const someLines = { lines: { $slice: MAX_LINES_LISTED + 1 } };
  const filter = { subscriptionId: id };
  const { documents, meta } = await readPage(invoices, filter, paging, { projection: someLines });
  const items = documents.map(invoiceView).map((each) => {
    return each.lines.length > MAX_LINES_LISTED ? withoutLines(each) : each;
  });
  return { items: isTooLong(items) ? items.map(withoutLines) : items, meta };
}

type ListedInvoice = Result<"payment-links.invoices">["items"][number];

function withoutLines({ lines: _lines, ...rest }: ListedInvoice | InvoiceView): ListedInvoice {
  return rest;
}

/**
 * An invoice of a subscription.
 * @throws SUBSCRIPTION_NOT_FOUND, INVOICE_NOT_FOUND
 */
export async function showInvoice(
  deps: BillingDeps,
  { businessId, id, invoiceId }: Params<"payment-links.invoice">,
): Promise<Result<"payment-links.invoice">> {
  await findSubscription(deps, { businessId, id });
  const found = await deps.invoices.documents.findOne(
    { _id: invoiceId, subscriptionId: id },
    MAJORITY,
  );
  return invoiceView(found ?? fail("INVOICE_NOT_FOUND"));
}
