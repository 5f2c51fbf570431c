// Setting up a subscription (docs/integrate/rest-api.md, Checkout): its rules in the order of their
// answers, then the payment method, then the subscription in one insert. The insert takes the
// Idempotency-Key, and a link that is used once. So one of several requests inserts, and the others
// get its answer. Nothing is charged here: the subscription's own driver bills a charge that is due
// immediately, after the answer.

import { WAY_BACK_MS } from "../../../shared/contracts/contract.ts";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { fail, failField } from "../../../shared/errors.ts";
import { creationTime } from "../../../shared/ids.ts";
import { digest } from "../../../shared/security/secrets.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import type { PaymentLink } from "../links/link.model.ts";
import { linkStatus } from "../links/links.ts";
import { supportedOptions } from "../links/payment-options.ts";
import { refusePaused } from "../payments/pay.ts";
import { checkDeclines, KEY_KEPT_MS, REMEMBERED_MS } from "../payments/payment-claims.ts";
import { type Marks, marksAtLink, setupKeyMark } from "../payments/payment-request.ts";
import { beforeSaving, dropMethod, saveMethod } from "../payments/saved-methods.ts";
import type { BillingDeps } from "./deps.ts";
import { changeMethod, findByMethodLink } from "./method-links.ts";
import { manageUrl, subscriberHash } from "./subscriber.ts";
import type { Subscription } from "./subscription.model.ts";
import { firstStatus, newSubscription } from "./subscription-request.ts";

type Request = Params<"payment-links.setup">;
type Outcome = Result<"payment-links.setup">;

/** Tries of an insert that finds the key or the link taken, while its holder disappears. */
const TRIES_AT_MOST = 3;

/**
 * Saves a payment method. With a recurring link it creates the subscription; with a payment-method
 * link it changes the method of the link's subscription.
 * @param waitsUntil epoch ms until which the caller waits
 * @throws PAYMENT_LINK_NOT_FOUND, KEY_REUSED, RATE_LIMITED, LINK_NOT_PAYABLE, STILL_RUNNING,
 *   LINK_BUSY, USED_RECENTLY; VALIDATION for a token that the vault does not have; UNAVAILABLE if
 *   nothing was saved; after any other error the caller does not know whether the method was saved
 */
export async function setup(
  deps: BillingDeps,
  request: Request,
  waitsUntil = Number.POSITIVE_INFINITY,
): Promise<Outcome> {
  const until = waitsUntil - WAY_BACK_MS;
  const hash = digest(request.token);
  const link = await beforeSaving(deps, () => deps.links.findByToken(hash));
  if (link) return firstOutcome(deps, await subscribe(deps, link, request, until));
  const subscription = await beforeSaving(deps, () => findByMethodLink(deps, hash));
  return changeMethod(deps, subscription ?? fail("PAYMENT_LINK_NOT_FOUND"), request, until);
}

/** The answer to the request that created the subscription, which later changes do not alter. */
export function firstOutcome(
  { config }: Pick<BillingDeps, "config">,
  subscription: Subscription,
): Outcome {
  const { _id: subscriptionId } = subscription;
  const status = firstStatus(subscription);
  return { subscriptionId, status, ...manageUrl(config, subscription) };
}

async function subscribe(
  deps: BillingDeps,
  link: PaymentLink,
  request: Request,
  until: number,
): Promise<Subscription> {
  const { customer } = request;
  if (!customer) return failField("customer", "must be an object");
  const marks = setupMarks(deps, link, request);
  const taken = await beforeSaving(deps, () => findClaims(deps, marks));
  if (taken.earlier) return taken.earlier;
  await refusePaused(deps, link);
  const { address } = marks;
  checkDeclines(await beforeSaving(deps, () => deps.claims({ address })), deps.clock.now());
  const leave = deps.enterCheckout(address);
  try {
    if (!isOpen(link, deps.clock.now())) return fail("LINK_NOT_PAYABLE");
    if (taken.holder) return refuseHeld(taken.holder);
    return await create(deps, link, { ...request, customer }, { marks, until });
  } finally {
    leave();
  }
}

interface Asked {
  marks: Marks;
  until: number;
}

/**
 * Saves the method and inserts the subscription, or finds the one of an equal request that came
 * first.
 */
async function create(
  deps: BillingDeps,
  link: PaymentLink,
  {
    customer,
    fields = {},
    paymentMethod,
  }: Request & { customer: NonNullable<Request["customer"]> },
  { marks, until }: Asked,
): Promise<Subscription> {
  const { businessId } = link;
  const id = deps.newId();
  const method = await beforeSaving(deps, () =>
    saveMethod(deps, { subscriptionId: id, businessId }, paymentMethod.token),
  );
  const setUpAt = await beforeSaving(deps, () => deps.businessNow(businessId));
  const now = deps.clock.now();
  const asked = { id, setUpAt, now, customer, fields, method, marks };
  const subscription = {
    ...newSubscription(link, asked),
    subscriberHash: subscriberHash(deps.config, id),
  };
  let isTaken = false;
  for (let i = 0; i < TRIES_AT_MOST && deps.clock.now() < until; i++) {
    if ((await deps.subscriptions.insert(subscription)) === "inserted") {
      // The event of its creation leaves before the events of an invoice that is due immediately.
      if (subscription.status === "active") void deps.subscriptions.machine.relay(subscription);
      void deps.subscriptions.machine.driveInBackground(subscription, { isFresh: false });
      return subscription;
    }
    isTaken = true;
    const taken = await beforeSaving(deps, () => findClaims(deps, marks));
    const { earlier, holder } = taken;
    if (!earlier && !holder) continue;
    await dropMethod(deps, method);
    return earlier ?? refuseHeld(holder as Subscription);
  }
  await dropMethod(deps, method);
  if (!isTaken) return fail("UNAVAILABLE");
  return fail(marks.idempotencyKey === undefined ? "LINK_BUSY" : "STILL_RUNNING");
}

function setupMarks({ config }: BillingDeps, link: PaymentLink, request: Request): Marks {
  const { idempotencyKey: key } = request;
  const marks = marksAtLink(config, link, request);
  return { ...marks, ...(key !== undefined && { idempotencyKey: setupKeyMark(link, key) }) };
}

interface Claims {
  /** The subscription that the request repeats. */
  earlier: Subscription | null;
  /** The subscription that holds the link, or its customer at an open link. */
  holder: Subscription | null;
}

/** @throws USED_RECENTLY at an open link, otherwise LINK_NOT_PAYABLE */
function refuseHeld({ holds, linkId }: Subscription): never {
  return fail(holds === linkId ? "LINK_NOT_PAYABLE" : "USED_RECENTLY");
}

/** @throws KEY_REUSED if a different request came under the same key */
async function findClaims(
  deps: BillingDeps,
  { idempotencyKey, requestHash, holds }: Marks,
): Promise<Claims> {
  const { documents } = deps.subscriptions;
  const [byKey, byHold] = await Promise.all([
    idempotencyKey === undefined ? null : documents.findOne({ idempotencyKey }, MAJORITY),
    holds === undefined ? null : documents.findOne({ holds }, MAJORITY),
  ]);
  const isForGood = byHold !== null && holds === byHold.linkId;
  const holder = isForGood ? byHold : await freeIfOver(deps, byHold, "holds", REMEMBERED_MS);
  const earlier = await freeIfOver(deps, byKey, "idempotencyKey", KEY_KEPT_MS);
  if (earlier && earlier.requestHash !== requestHash) return fail("KEY_REUSED");
  return { earlier, holder };
}

/** The subscription that has the claim; a claim that is older than its time is freed. */
async function freeIfOver(
  { subscriptions, clock }: BillingDeps,
  subscription: Subscription | null,
  claim: "idempotencyKey" | "holds",
  keptMs: number,
): Promise<Subscription | null> {
  if (!subscription || clock.now() - creationTime(subscription._id) < keptMs) return subscription;
  const { _id, [claim]: claimed } = subscription;
  await subscriptions.documents.updateOne({ _id, [claim]: claimed }, { $unset: { [claim]: "" } });
  return null;
}

/** Leaves out whether the link is used already, which only its subscriptions show. */
function isOpen(link: PaymentLink, now: number): boolean {
  const isActive = linkStatus(link, false, now) === "ACTIVE";
  return isActive && link.terms.checkoutType === "recurring" && supportedOptions(link).length > 0;
}
