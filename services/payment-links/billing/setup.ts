// Setting up a subscription (docs/rest-api.md, Checkout): its rules in the order of their answers,
// then the payment method, then the subscription in one insert. The insert takes the
// Idempotency-Key, and a link that is used once. So one of several requests inserts, and the others
// get its answer. Nothing is charged here: the subscription's own driver bills a charge that is due
// at once, after the answer.

import { WAY_BACK_MS } from "../../../shared/contracts/contract.ts";
import type { Params, Result } from "../../../shared/contracts.ts";
import { MAJORITY } from "../../../shared/database.ts";
import { fail, failField } from "../../../shared/errors.ts";
import { creationTime } from "../../../shared/ids.ts";
import { digest } from "../../../shared/secrets.ts";
import { type Marks, makeMarks } from "../checkout/payment-request.ts";
import type { PaymentLink } from "../links/link.model.ts";
import { linkStatus } from "../links/links.ts";
import { supportedOptions } from "../links/payment-options.ts";
import { checkDeclines, KEY_KEPT_MS } from "../payments/payment-claims.ts";
import { beforeSaving, dropMethod, saveMethod } from "../payments/saved-methods.ts";
import type { BillingDeps } from "./deps.ts";
import { changeMethod, findByMethodLink } from "./method-links.ts";
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
 *   LINK_BUSY; VALIDATION for a token that the vault does not have; UNAVAILABLE if nothing was
 *   saved; after any other error the caller does not know whether the method was saved
 */
export async function setup(
  deps: BillingDeps,
  request: Request,
  waitsUntil = Number.POSITIVE_INFINITY,
): Promise<Outcome> {
  const until = waitsUntil - WAY_BACK_MS;
  const hash = digest(request.token);
  const link = await beforeSaving(deps, () => deps.findLink(hash));
  if (link) return firstOutcome(await subscribe(deps, link, request, until));
  const subscription = await beforeSaving(deps, () => findByMethodLink(deps.subscriptions, hash));
  return changeMethod(deps, subscription ?? fail("PAYMENT_LINK_NOT_FOUND"), request, until);
}

/** The answer to the request that created the subscription, which later changes do not alter. */
function firstOutcome(subscription: Subscription): Outcome {
  return { subscriptionId: subscription._id, status: firstStatus(subscription) };
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
  const taken = await beforeSaving(deps, () => findClaims(deps, link, marks));
  if (taken.earlier) return taken.earlier;
  const { address } = marks;
  checkDeclines(await beforeSaving(deps, () => deps.claims({ address })), deps.clock.now());
  const leave = deps.enterCheckout(address);
  try {
    if (taken.isHeld || !isOpen(link, deps.clock.now())) return fail("LINK_NOT_PAYABLE");
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
  const subscription = newSubscription(link, asked);
  let isTaken = false;
  for (let i = 0; i < TRIES_AT_MOST && deps.clock.now() < until; i++) {
    if ((await deps.insertSubscription(subscription)) === "inserted") {
      // The event of its creation leaves before the events of an invoice that is due at once.
      if (subscription.status === "active") deps.machine.relay(subscription);
      deps.machine.driveOn(subscription);
      return subscription;
    }
    isTaken = true;
    const taken = await beforeSaving(deps, () => findClaims(deps, link, marks));
    if (!taken.earlier && !taken.isHeld) continue;
    await dropMethod(deps, method);
    return taken.earlier ?? fail("LINK_NOT_PAYABLE");
  }
  await dropMethod(deps, method);
  if (!isTaken) return fail("UNAVAILABLE");
  return fail(marks.idempotencyKey === undefined ? "LINK_BUSY" : "STILL_RUNNING");
}

function setupMarks({ config }: BillingDeps, link: PaymentLink, request: Request): Marks {
  const { idempotencyKey: key, ...marks } = makeMarks(config, link, request);
  return { ...marks, ...(key !== undefined && { idempotencyKey: `setup:${key}` }) };
}

interface Claims {
  /** The subscription that the request repeats. */
  earlier: Subscription | null;
  /** Whether the link can be used once, and a subscription has used it. */
  isHeld: boolean;
}

/** @throws KEY_REUSED if a different request came under the same key */
async function findClaims(
  deps: BillingDeps,
  { _id: linkId, terms }: PaymentLink,
  { idempotencyKey, requestHash }: Marks,
): Promise<Claims> {
  const { subscriptions, clock } = deps;
  const [byKey, holder] = await Promise.all([
    idempotencyKey === undefined ? null : subscriptions.findOne({ idempotencyKey }, MAJORITY),
    terms.isOpenLink ? null : subscriptions.findOne({ holds: linkId }, MAJORITY),
  ]);
  const isHeld = holder !== null;
  if (!byKey) return { earlier: null, isHeld };
  const { _id } = byKey;
  if (clock.now() - creationTime(_id) >= KEY_KEPT_MS) {
    await subscriptions.updateOne({ _id, idempotencyKey }, { $unset: { idempotencyKey: "" } });
    return { earlier: null, isHeld };
  }
  return { earlier: byKey.requestHash === requestHash ? byKey : fail("KEY_REUSED"), isHeld };
}

/** Leaves out whether the link is used already, which only its subscriptions show. */
function isOpen(link: PaymentLink, now: number): boolean {
  const isActive = linkStatus(link, false, now) === "ACTIVE";
  return isActive && link.terms.checkoutType === "recurring" && supportedOptions(link).length > 0;
}
