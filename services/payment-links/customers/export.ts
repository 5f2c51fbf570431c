// The export of a customer at checkout: the payments and subscriptions of its email.

import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { LARGE_EXPORTED_AT_MOST } from "../../../shared/contracts/personal-data.ts";
import type { Caller } from "../../../shared/rpc/actions.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import type { BillingDeps } from "../billing/deps.ts";
import { subscriptionView } from "../billing/subscription-views.ts";
import { paymentView, toMetadata } from "../payments/payment-views.ts";
import { findOfCustomer } from "./find-customer.ts";
import { findSharers } from "./sharers.ts";

/**
 * Exports the payments and subscriptions of an email, newest first; none of them if end users share
 * the email and the request does not say that all is meant.
 */
export async function exportCustomer(
  { payments, subscriptions, businessNow }: BillingDeps,
  caller: Caller,
  key: Params<"payment-links.exportCustomer">,
): Promise<Result<"payment-links.exportCustomer">> {
  const emailSharedBy = await findSharers(caller, key);
  if (emailSharedBy.length > 0) {
    return { payments: [], subscriptions: [], emailSharedBy, complete: false };
  }
  const theirs = await findOfCustomer({ payments, subscriptions }, key);
  const options = { ...MAJORITY, sort: { _id: -1 as const }, limit: LARGE_EXPORTED_AT_MOST + 1 };
  const [paid, subscribed, now] = await Promise.all([
    payments.documents.find(theirs.payments, options).toArray(),
    subscriptions.documents.find(theirs.subscriptions, options).toArray(),
    businessNow(key.businessId),
  ]);
  return {
    payments: paid.slice(0, LARGE_EXPORTED_AT_MOST).map(paymentView),
    subscriptions: subscribed.slice(0, LARGE_EXPORTED_AT_MOST).map((subscription) => ({
      ...subscriptionView(subscription, now),
      metadata: toMetadata(subscription),
    })),
    complete: Math.max(paid.length, subscribed.length) <= LARGE_EXPORTED_AT_MOST,
  };
}
