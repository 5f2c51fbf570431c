// The export of a customer at checkout: the payments and subscriptions of its email.

import { LARGE_EXPORTED_AT_MOST } from "../../../shared/contracts/personal-data.ts";
import type { Params, Result } from "../../../shared/contracts.ts";
import { MAJORITY } from "../../../shared/database.ts";
import type { BillingDeps } from "../billing/deps.ts";
import { subscriptionView } from "../billing/subscription-views.ts";
import { paymentView, toMetadata } from "../payments/payment-views.ts";
import { IN_ANY_CASE, ofCustomer } from "./by-email.ts";

/** Exports the payments and subscriptions of an email, newest first. */
export async function exportCustomer(
  { payments, subscriptions, businessNow }: BillingDeps,
  key: Params<"payment-links.exportCustomer">,
): Promise<Result<"payment-links.exportCustomer">> {
  const options = {
    ...MAJORITY,
    ...IN_ANY_CASE,
    sort: { _id: -1 as const },
    limit: LARGE_EXPORTED_AT_MOST + 1,
  };
  const [paid, subscribed, now] = await Promise.all([
    payments.find(ofCustomer(key), options).toArray(),
    subscriptions.find(ofCustomer(key), options).toArray(),
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
