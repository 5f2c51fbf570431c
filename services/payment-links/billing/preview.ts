// The preview of the next invoice, drafted by the function that drafts the invoice, from today's
// facts.

import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import { isoOrNull, isoTime } from "../../../shared/iso-time.ts";
import { toDecimal } from "../../../shared/money.ts";
import type { BillingDeps } from "./deps.ts";
import { nextDue, scopeInvoice } from "./due-invoice.ts";
import { draftInvoice } from "./invoice-draft.ts";
import { findSubscription } from "./subscription-listing.ts";
import { lineView } from "./subscription-views.ts";
import { readUsage } from "./usage-log.ts";

/**
 * The next invoice of a subscription, as it will be issued if nothing changes until then.
 * @throws SUBSCRIPTION_NOT_FOUND, NO_NEXT_INVOICE
 */
export async function previewInvoice(
  deps: BillingDeps,
  key: Params<"payment-links.previewInvoice">,
): Promise<Result<"payment-links.previewInvoice">> {
  const subscription = await findSubscription(deps, key);
  const { issuing } = subscription;
  const due = issuing ?? nextDue(subscription) ?? fail("NO_NEXT_INVOICE");
  const scope = scopeInvoice(subscription, due);
  const { usagePeriod } = scope;
  const usage =
    usagePeriod === null
      ? null
      : await readUsage(deps.usage.documents, subscription._id, usagePeriod);
  const { totalMinor, lines } = draftInvoice(subscription, scope, usage);
  return {
    periodStart: isoTime(scope.periodStart),
    periodEnd: isoTime(scope.periodEnd),
    total: toDecimal(totalMinor),
    currency: subscription.plan.currency,
    status: "open",
    lines: lines.map(lineView),
    heldSince: isoOrNull(subscription.heldSince),
  };
}
