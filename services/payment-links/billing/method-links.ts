// Payment-method links: with such a link the customer of a subscription saves another method, once,
// within a day. A subscription has one link at a time, and stores only the digest of its token. One
// compare-and-set of the subscription uses the link and replaces the method; an unpaid invoice is
// then tried immediately.

import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import type { LinkStatus } from "../../../shared/contracts/payment-links.ts";
import { errorType, fail } from "../../../shared/errors.ts";
import type { Change } from "../../../shared/resumable/document.ts";
import type { Creation } from "../../../shared/rpc/actions.ts";
import { digest } from "../../../shared/security/secrets.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import { checkoutUrl } from "../links/links.ts";
import { refusePaused } from "../payments/pay.ts";
import { type Marks, makeMarks } from "../payments/payment-request.ts";
import type { SavedMethod } from "../payments/saved-method.model.ts";
import { beforeSaving, dropMethod, saveMethod } from "../payments/saved-methods.ts";
import type { BillingDeps } from "./deps.ts";
import { isGivenUp } from "./dunning.ts";
import type { MethodLink, Subscription } from "./subscription.model.ts";
import { changeSubscription, driveWithin } from "./subscription-changes.ts";
import { findSubscription } from "./subscription-listing.ts";

type Request = Params<"payment-links.setup">;
type Outcome = Result<"payment-links.setup">;

/** Real time, as the expiry of every link. */
const USABLE_MS = 24 * 3_600_000;
/**
 * Makes a link with which the customer saves another method; an earlier one ends.
 * @throws SUBSCRIPTION_NOT_FOUND; SUBSCRIPTION_CANCELLED no card is charged any more; UNAVAILABLE
 *   too many other writers change the subscription at the same time
 */
export async function createMethodLink(
  deps: BillingDeps,
  key: Params<"payment-links.createMethodLink">,
  { secret: token }: Pick<Creation, "secret">,
): Promise<Result<"payment-links.createMethodLink">> {
  const { linkId } = await findSubscription(deps, key);
  const link = await deps.links.documents.findOne({ _id: linkId }, MAJORITY);
  if (!link) throw new Error(`Subscription ${key.id} has no link`);
  const methodLink = { tokenHash: digest(token), expiresAt: deps.clock.now() + USABLE_MS };
  const changed = await changeSubscription(deps, key, (found) => {
    // An earlier run of the request has made the link, and the customer may have used it since.
    if (found.methodLink?.tokenHash === methodLink.tokenHash) return null;
    if (!canBeCharged(found)) fail("SUBSCRIPTION_CANCELLED");
    return { set: { methodLink }, next: isBusy(found) ? BUSY_FOR_MS : "now" };
  });
  const { subscription, isChanged } = changed ?? fail("UNAVAILABLE");
  if (isChanged && !isBusy(subscription)) {
    void deps.subscriptions.machine.driveInBackground(subscription, { isFresh: false });
  }
  const url = checkoutUrl(deps.config, link, token);
  const { expiresAt } = subscription.methodLink as MethodLink;
  return { id: key.id, url, expiredAt: new Date(expiresAt).toISOString() };
}

/** Whether a card may still be charged; after a cancellation only for an invoice that is owed. */
function canBeCharged(subscription: Subscription): boolean {
  const { status, collecting } = subscription;
  return status !== "cancelled" || (collecting !== undefined && !isGivenUp(subscription));
}

/** The subscription of a payment-method link. */
export function findByMethodLink(
  { subscriptions }: Pick<BillingDeps, "subscriptions">,
  tokenHash: string,
): Promise<Subscription | null> {
  return subscriptions.documents.findOne({ "methodLink.tokenHash": tokenHash }, MAJORITY);
}

/** @param now epoch ms, real */
export function methodLinkStatus(subscription: Subscription, now: number): LinkStatus {
  const { methodId, expiresAt } = subscription.methodLink as MethodLink;
  if (methodId !== undefined) return "USED";
  if (!canBeCharged(subscription)) return "DISABLED";
  return expiresAt <= now ? "EXPIRED" : "ACTIVE";
}

/**
 * Saves another method for a subscription, with its link. The caller also waits for the attempt at
 * an unpaid invoice, which goes on when the caller waits no longer.
 * @param until epoch ms until which the caller waits
 * @throws KEY_REUSED, RATE_LIMITED, LINK_NOT_PAYABLE, LINK_BUSY; the errors of saveMethod
 */
export async function changeMethod(
  deps: BillingDeps,
  subscription: Subscription,
  request: Request,
  until: number,
): Promise<Outcome> {
  const marks = makeMarks(deps.config, subscription, request);
  if (isRepeated(subscription, marks)) return outcome(subscription);
  await refusePaused(deps, subscription);
  const leave = deps.enterCheckout(marks.address);
  try {
    checkUsable(deps, subscription);
    const { token } = request.paymentMethod;
    const { _id: subscriptionId, businessId } = subscription;
    const owner = { subscriptionId, businessId };
    const method = await beforeSaving(deps, () => saveMethod(deps, owner, token));
    const changed = await replaceMethod(deps, subscription, { method, marks });
    if (isBusy(changed)) return outcome(changed);
    return outcome(await driveWithin(deps, changed, until - deps.clock.now()));
  } finally {
    leave();
  }
}

export function outcome({ _id: subscriptionId, status }: Subscription): Outcome {
  return { subscriptionId, status };
}

/** @throws KEY_REUSED if a different request used the link under the same key */
function isRepeated({ methodLink }: Subscription, { idempotencyKey, requestHash }: Marks): boolean {
  if (idempotencyKey === undefined || methodLink?.idempotencyKey !== idempotencyKey) return false;
  return methodLink.requestHash === requestHash || fail("KEY_REUSED");
}

function checkUsable({ clock }: BillingDeps, subscription: Subscription): void {
  if (methodLinkStatus(subscription, clock.now()) !== "ACTIVE") fail("LINK_NOT_PAYABLE");
}

interface New {
  method: SavedMethod;
  marks: Marks;
}

/**
 * @returns the subscription with the method of this request, or of an equal one under the same key
 */
async function replaceMethod(
  deps: BillingDeps,
  { _id: id, businessId, methodLink }: Subscription,
  { method, marks }: New,
): Promise<Subscription> {
  try {
    const changed = await changeSubscription(deps, { businessId, id }, (found, now) => {
      // The change was made although its answer was lost; a newer link may have replaced this one
      // since.
      if (found.methodId === method._id) return null;
      if (found.methodLink?.tokenHash !== methodLink?.tokenHash) fail("PAYMENT_LINK_NOT_FOUND");
      if (isRepeated(found, marks)) return null;
      checkUsable(deps, found);
      return methodChange(found, { method, marks }, now);
    });
    if (changed) {
      const { subscription } = changed;
      if (subscription.methodId !== method._id) await dropMethod(deps, method);
      return subscription;
    }
  } catch (error) {
    // After an error without a type, the subscription may name the method.
    if (errorType(error)) await dropMethod(deps, method);
    throw error;
  }
  // The subscription may name the method here too, if the answer to a write was lost.
  return fail("LINK_BUSY");
}

/** A driver is at work. */
function isBusy({ step }: Subscription): boolean {
  return step === "issue" || step === "collect";
}

/** A driver at work stops once it finds the change; then another one goes on. */
const BUSY_FOR_MS = 500;

/**
 * An open invoice that waits for its next attempt becomes due now.
 * @param now epoch ms by the business's clock
 */
function methodChange(
  subscription: Subscription,
  { method, marks: { idempotencyKey, requestHash } }: New,
  now: number,
): Change<Subscription> {
  return {
    set: {
      methodId: method._id,
      card: method.card,
      methodLink: {
        ...(subscription.methodLink as MethodLink),
        methodId: method._id,
        requestHash,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
      ...(subscription.step === "retry" && { dueAt: now }),
    },
    next: isBusy(subscription) ? BUSY_FOR_MS : "now",
  };
}
