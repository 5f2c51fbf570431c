// The preview of the next invoice: drafted by the function that drafts the invoice, of what is known now.

import type { Params, Result } from "../../../shared/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import { toDecimal } from "../../../shared/money.ts";
import type { BillingDeps } from "./billing-deps.ts";
import { draftOf, isInArrears, nextIssuing, usagePeriodOf } from "./invoice-draft.ts";
import type { Issuing, Subscription } from "./subscription.model.ts";
import { findSubscription } from "./subscription-listing.ts";
import { isoOf, lineView } from "./subscription-views.ts";
import type { PeriodUsage } from "./usage.model.ts";
import { usageOf } from "./usage-log.ts";

/**
 * The next invoice of a subscription, as it would be issued if nothing happened until then.
 * @throws SUBSCRIPTION_NOT_FOUND, NO_NEXT_INVOICE
 */
export async function previewInvoice(
  deps: BillingDeps,
  key: Params<"payment-links.previewInvoice">,
): Promise<Result<"payment-links.previewInvoice">> {
  const subscription = await findSubscription(deps.subscriptions, key);
  const issuing = subscription.issuing ?? nextIssuing(subscription) ?? fail("NO_NEXT_INVOICE");
  const draft = draftOf(subscription, issuing, await usageFor(deps, subscription, issuing));
  return {
    periodStart: isoOf(draft.periodStart),
    periodEnd: isoOf(draft.periodEnd),
    total: toDecimal(draft.totalMinor),
    currency: subscription.plan.currency,
    status: "open",
    lines: draft.lines.map(lineView),
  };
}

async function usageFor(
  deps: BillingDeps,
  subscription: Subscription,
  issuing: Issuing,
): Promise<PeriodUsage | null> {
  if (!isInArrears(subscription.plan)) return null;
  return usageOf(deps.usageLog, subscription._id, usagePeriodOf(subscription, issuing).period);
}
