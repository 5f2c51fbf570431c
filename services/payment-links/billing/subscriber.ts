// The customer's own access to a subscription, by the link on its receipt. The token of that link is
// a keyed digest of the subscription's id, so that a repeated request to set up has the same answer.
// Only the token's digest is stored; it opens this subscription, and can cancel it, and nothing else.

import type { ConfigOf } from "../../../shared/config/config.ts";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { errorType, fail } from "../../../shared/errors.ts";
import { isoOrNull, isoTime } from "../../../shared/iso-time.ts";
import { toDecimal } from "../../../shared/money.ts";
import { type Caller, call } from "../../../shared/rpc/actions.ts";
import { fingerprint } from "../../../shared/security/seal.ts";
import { digest, matches } from "../../../shared/security/secrets.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import { showBranding } from "../links/branding.ts";
import { chargeAmounts } from "../links/charge-amounts.ts";
import { cancelSubscription, endOfPeriod } from "./cancel.ts";
import type { BillingDeps } from "./deps.ts";
import { nextDue, scopeInvoice } from "./due-invoice.ts";
import { draftInvoice } from "./invoice-draft.ts";
import { boundaryAt } from "./periods.ts";
import { isInArrears } from "./plan.ts";
import type { Subscription } from "./subscription.model.ts";
import { subscriptionView } from "./subscription-views.ts";

type Key = Params<"payment-links.subscriber">;
type View = Result<"payment-links.subscriber">;
type Keys = ConfigOf<"payment-links">;

/** The digest of the token, which a new subscription stores. */
export function subscriberHash(config: Keys, id: string): string {
  return digest(subscriberToken(config, id));
}

function subscriberToken(config: Keys, id: string): string {
  return fingerprint(config, ["subscriber", id]);
}

/**
 * The URL of the customer's page; none for a subscription of an earlier release, or if
 * FINGERPRINT_KEY has changed since.
 */
export function manageUrl(
  config: Keys,
  { _id: id, subscriberHash: stored }: Subscription,
): { manageUrl?: string } {
  const token = subscriberToken(config, id);
  if (stored === undefined || !matches(token, stored)) return {};
  return { manageUrl: `${config.publicUrl}/subscription/${id}/${token}` };
}

/** @throws SUBSCRIPTION_NOT_FOUND */
export async function showToSubscriber(deps: BillingDeps, caller: Caller, key: Key): Promise<View> {
  const subscription = await findOfSubscriber(deps, key);
  const { businessId, linkId } = subscription;
  const [business, link, now] = await Promise.all([
    call(caller, "accounts.business", { businessId }),
    deps.links.documents.findOne({ _id: linkId }, MAJORITY),
    deps.businessNow(businessId),
  ]);
  const { id, name, status, type, interval, currency, card, cancelAt, cancelledAt } =
    subscriptionView(subscription, now);
  const isCancelled = cancelAt !== null || cancelledAt !== null;
  const endsAt = isCancelled ? undefined : boundaryAt(subscription, endOfPeriod(subscription, now));
  return {
    id,
    businessName: business.name,
    name,
    status,
    type,
    interval,
    currency,
    card,
    ...nextPayment(subscription, now),
    endsAt: isoOrNull(endsAt),
    cancelAt,
    cancelledAt,
    branding: showBranding(link?.terms.brandingConfig),
  };
}

/** There is none while an invoice is unpaid and the date of the next one has passed. */
function nextPayment(
  subscription: Subscription,
  now: number,
): Pick<View, "nextPaymentAt" | "nextAmount"> {
  const { plan, status } = subscription;
  const due = nextDue(subscription);
  if (!due || (status === "past_due" && due.at < now))
    return { nextPaymentAt: null, nextAmount: null };
  if (isInArrears(plan)) return { nextPaymentAt: isoTime(due.at), nextAmount: null };
  const { totalMinor } = draftInvoice(subscription, scopeInvoice(subscription, due), null);
  return {
    nextPaymentAt: isoTime(due.at),
    nextAmount: toDecimal(chargeAmounts(plan, totalMinor).chargeMinor),
  };
}

/**
 * Cancels with the period, which is paid for: the merchant's own cancellation, at its end.
 * @throws SUBSCRIPTION_NOT_FOUND; UNAVAILABLE nothing has changed
 */
export async function cancelAsSubscriber(
  deps: BillingDeps,
  caller: Caller,
  key: Key,
): Promise<View> {
  const { _id: id, businessId } = await findOfSubscriber(deps, key);
  const asked = { businessId, id, at: "period_end" as const };
  await cancelSubscription(deps, asked, { id: deps.newId() }).catch((error: unknown) => {
    // The customer wants it to be cancelled, and it is.
    if (errorType(error) !== "SUBSCRIPTION_CANCELLED") throw error;
  });
  return showToSubscriber(deps, caller, key);
}

async function findOfSubscriber(deps: BillingDeps, { id, token }: Key): Promise<Subscription> {
  const found = await deps.subscriptions.documents.findOne({ _id: id }, MAJORITY);
  const stored = found?.subscriberHash;
  return found && stored !== undefined && matches(token, stored)
    ? found
    : fail("SUBSCRIPTION_NOT_FOUND");
}
