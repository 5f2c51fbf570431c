// Payment-method links: with such a link the customer of a subscription saves another method, once, within
// a day. A subscription has one link at a time, and stores only the digest of its token. One compare-and-set
// of the subscription uses the link and replaces the method; an unpaid invoice is then tried at once.

import type { LinkStatus } from "../../../shared/contracts/payment-links.ts";
import type { Params, Result } from "../../../shared/contracts.ts";
import { MAJORITY } from "../../../shared/database.ts";
import { fail, typeOf } from "../../../shared/errors.ts";
import type { Change } from "../../../shared/resumable/document.ts";
import { digest, newSecret } from "../../../shared/secrets.ts";
import { type Marks, marksOf } from "../checkout/payment-request.ts";
import { urlOf } from "../links/links.ts";
import type { SavedMethod } from "../payments/saved-method.model.ts";
import { dropMethod, saveMethod, unsaved } from "../payments/saved-methods.ts";
import type { BillingDeps } from "./deps.ts";
import { driveWithin } from "./drive-within.ts";
import { isGivenUp } from "./dunning.ts";
import type { MethodLink, Subscription } from "./subscription.model.ts";
import { findSubscription } from "./subscription-listing.ts";

type Request = Params<"payment-links.setup">;
type Outcome = Result<"payment-links.setup">;

/** Real time, as the expiry of every link. */
const USABLE_MS = 24 * 3_600_000;
/** Tries of a compare-and-set, with a pause in between. */
const TRIES_AT_MOST = 20;
const TRY_AGAIN_AFTER_MS = 50;

/**
 * Makes a link with which the customer saves another method; an earlier one ends.
 * @throws SUBSCRIPTION_NOT_FOUND; SUBSCRIPTION_CANCELLED no card is charged any more; UNAVAILABLE too many
 *   other writers change the subscription at the same time
 */
export async function createMethodLink(
  deps: BillingDeps,
  key: Params<"payment-links.createMethodLink">,
): Promise<Result<"payment-links.createMethodLink">> {
  const { subscriptions, links, machine, clock, config } = deps;
  const token = newSecret();
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    const subscription = await findSubscription(subscriptions, key);
    if (!canBeCharged(subscription)) fail("SUBSCRIPTION_CANCELLED");
    const link = await links.findOne({ _id: subscription.linkId }, MAJORITY);
    if (!link) throw new Error(`Subscription ${key.id} has no link`);
    const expiresAt = clock.now() + USABLE_MS;
    const methodLink: MethodLink = { tokenHash: digest(token), expiresAt };
    const next = isBusy(subscription) ? BUSY_FOR_MS : "now";
    const changed = await machine.transition(subscription, { set: { methodLink }, next });
    if (changed) {
      if (!isBusy(changed)) machine.driveOn(changed);
      const url = urlOf(config, link, token);
      return { id: key.id, url, expiredAt: new Date(expiresAt).toISOString() };
    }
    await clock.sleep(TRY_AGAIN_AFTER_MS);
  }
  return fail("UNAVAILABLE");
}

/** Whether a card may still be charged; after a cancellation only for an invoice that is owed. */
function canBeCharged(subscription: Subscription): boolean {
  const { status, collecting } = subscription;
  return status !== "cancelled" || (collecting !== undefined && !isGivenUp(subscription));
}

/** The subscription of a payment-method link. */
export function findByMethodLink(
  subscriptions: BillingDeps["subscriptions"],
  tokenHash: string,
): Promise<Subscription | null> {
  return subscriptions.findOne({ "methodLink.tokenHash": tokenHash }, MAJORITY);
}

/** @param now epoch ms, real */
export function methodLinkStatus(subscription: Subscription, now: number): LinkStatus {
  const { methodId, expiresAt } = subscription.methodLink as MethodLink;
  if (methodId !== undefined) return "USED";
  if (!canBeCharged(subscription)) return "DISABLED";
  return expiresAt <= now ? "EXPIRED" : "ACTIVE";
}

/**
 * Saves another method for a subscription, with its link. The caller also waits for the attempt at an unpaid
 * invoice, which goes on when the caller waits no longer.
 * @param until epoch ms until which the caller waits
 * @throws KEY_REUSED, RATE_LIMITED, LINK_NOT_PAYABLE, LINK_BUSY; the errors of saveMethod
 */
export async function changeMethod(
  deps: BillingDeps,
  subscription: Subscription,
  request: Request,
  until: number,
): Promise<Outcome> {
  const marks = marksOf(deps.config, subscription, request);
  if (isRepeated(subscription, marks)) return outcome(subscription);
  const leave = deps.concurrency.enter(marks.address);
  try {
    checkUsable(deps, subscription);
    const { token } = request.paymentMethod;
    const { _id: subscriptionId, businessId } = subscription;
    const owner = { subscriptionId, businessId };
    const method = await unsaved(deps, () => saveMethod(deps, owner, token));
    const changed = await replaceMethod(deps, subscription, { method, marks });
    if (isBusy(changed)) return outcome(changed);
    return outcome(await driveWithin(deps, changed, until - deps.clock.now()));
  } finally {
    leave();
  }
}

function outcome({ _id: subscriptionId, status }: Subscription): Outcome {
  return { subscriptionId, status };
}

/** @throws KEY_REUSED where a different request used the link under the same key */
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

/** @returns the subscription with the method of this request, or of an equal one under the same key */
async function replaceMethod(
  deps: BillingDeps,
  first: Subscription,
  { method, marks }: New,
): Promise<Subscription> {
  const { _id, methodLink } = first;
  let found: Subscription | null = first;
  try {
    for (let i = 0; i < TRIES_AT_MOST; i++) {
      // The change was made although its answer was lost; a newer link may have replaced this one since.
      if (found?.methodId === method._id) return found;
      if (found?.methodLink?.tokenHash !== methodLink?.tokenHash) fail("PAYMENT_LINK_NOT_FOUND");
      const current = found as Subscription;
      if (isRepeated(current, marks)) {
        await dropMethod(deps, method);
        return current;
      }
      checkUsable(deps, current);
      const change = await methodChange(deps, current, { method, marks });
      const changed = await deps.machine.transition(current, change);
      if (changed) return changed;
      await deps.clock.sleep(TRY_AGAIN_AFTER_MS);
      found = await deps.subscriptions.findOne({ _id }, MAJORITY);
    }
  } catch (error) {
    // After an error without a type, the subscription may name the method.
    if (typeOf(error)) await dropMethod(deps, method);
    throw error;
  }
  return fail("LINK_BUSY");
}

/** A driver is at work. */
function isBusy({ step }: Subscription): boolean {
  return step === "issue" || step === "collect";
}

/** A driver at work stops once it finds the change; then another one goes on. */
const BUSY_FOR_MS = 500;

/** An open invoice that waits for its next attempt becomes due now. */
async function methodChange(
  deps: BillingDeps,
  subscription: Subscription,
  { method, marks: { idempotencyKey, requestHash } }: New,
): Promise<Change<Subscription>> {
  const { step, businessId, methodLink } = subscription;
  const dueAt = step === "retry" ? await deps.businessNow(businessId) : undefined;
  return {
    set: {
      methodId: method._id,
      card: method.card,
      methodLink: {
        ...(methodLink as MethodLink),
        methodId: method._id,
        requestHash,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
      ...(dueAt !== undefined && { dueAt }),
    },
    next: isBusy(subscription) ? BUSY_FOR_MS : "now",
    isAlone: true,
  };
}
