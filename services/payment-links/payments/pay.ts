// Paying a link (docs/integrate/rest-api.md, Checkout): its rules in the order of their answers,
// the charge, the answer. A payment is stored before its card is charged, and that insert takes the
// link and the Idempotency-Key: only one of several requests inserts, and only that one charges,
// once, within its time. From then on there are no errors: an outcome that is not known in time is
// PENDING, and a void decides it later.
//
// The card's token is never stored, so that only this request can charge it.

import type { ChargeAnswer } from "../../../partners/types.ts";
import { LATE } from "../../../shared/clock.ts";
import { WAY_BACK_MS } from "../../../shared/contracts/contract.ts";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import { digest } from "../../../shared/security/secrets.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import { decisive, lookUpCard } from "../acquirers/acquirer.ts";
import { orUnavailable } from "../acquirers/or-unavailable.ts";
import type { PaymentLink } from "../links/link.model.ts";
import { linkStatus } from "../links/links.ts";
import { supportedOptions } from "../links/payment-options.ts";
import { awaitConfirmation, type PaymentOutcome } from "./confirmation.ts";
import type { PaymentDeps } from "./deps.ts";
import { afterCharge, charge } from "./lifecycle.ts";
import type { Payment } from "./payment.model.ts";
import {
  type Claims,
  checkDeclines,
  checkRepeat,
  isHoldOver,
  isKeyOver,
  refuseHeld,
} from "./payment-claims.ts";
import { type Marks, marksAtLink, newPayment } from "./payment-request.ts";
import { outcomeView } from "./payment-views.ts";

type Request = Params<"payment-links.pay">;

/** How often an insert is repeated if the payment that refused it is gone when it is read. */
const TRIES_AT_MOST = 3;
const LOOK_AGAIN_AFTER_MS = 100;

/**
 * Charges a customer once.
 * @param waitsUntil epoch ms until which the caller waits
 * @throws PAYMENT_LINK_NOT_FOUND, COLLECTIONS_PAUSED, RATE_LIMITED, KEY_REUSED, STILL_RUNNING,
 *   LINK_NOT_PAYABLE, LINK_BUSY, USED_RECENTLY; VALIDATION for a token that the vault does not
 *   have; UNAVAILABLE if nothing was or will be charged
 */
export async function pay(
  deps: PaymentDeps,
  request: Request,
  waitsUntil = Number.POSITIVE_INFINITY,
): Promise<Result<"payment-links.pay">> {
  const deadline = Math.min(deps.clock.now() + deps.outcomeWithinMs, waitsUntil - WAY_BACK_MS);
  const { link, marks, claims, earlier, holder } = await beforeCharging(deps, () =>
    lookUp(deps, request),
  );
  // A repeated request gets its outcome even if the address was declined too often since.
  if (earlier) return outcomeView(link, earlier);
  await refusePaused(deps, link);
  checkDeclines(claims, deps.clock.now());
  const leave = deps.enterCheckout(marks.address);
  try {
    if (!isPayable(link, deps.clock.now())) return fail("LINK_NOT_PAYABLE");
    if (holder) return refuseHeld(holder, marks.address);
    const asked = { marks, deadline };
    const begun = await beforeCharging(deps, () => begin(deps, link, request, asked));
    const { payment, isNew } = begun;
    const { token } = request.paymentMethod;
    if (!isNew) return outcomeView(link, payment);
    const outcome = await awaitOutcome(deps, payment, token);
    return outcomeView(link, outcome.payment, outcome.action);
  } finally {
    leave();
  }
}

/** @throws COLLECTIONS_PAUSED */
export function refusePaused(
  { controls }: Pick<PaymentDeps, "controls">,
  { businessId }: Pick<PaymentLink, "businessId">,
): Promise<void> {
  return controls.refuse("collection", { businessId });
}

interface Begun {
  payment: Payment;
  /** This request inserted the payment, and charges it. */
  isNew: boolean;
}

interface Asked {
  marks: Marks;
  deadline: number;
}

/**
 * @throws UNAVAILABLE for any failure, even of the insert: a stored payment is voided, not charged
 */
function beforeCharging<T>(deps: PaymentDeps, work: () => Promise<T>): Promise<T> {
  return orUnavailable(deps, "A payment was not begun", work);
}

/** The link, the claims of earlier payments, and the payment that the request repeats. */
async function lookUp(deps: PaymentDeps, request: Request) {
  const hash = digest(request.token);
  const link = (await deps.links.findByToken(hash)) ?? (await failWithout(deps, hash));
  const marks = marksAtLink(deps.config, link, request);
  const claims = await deps.claims(marks);
  const earlier = await findEarlier(deps, claims, marks);
  return { link, marks, claims, earlier, holder: await findHolder(deps, claims) };
}

/** There is no link of that token; the token of a payment-method link has an answer of its own. */
async function failWithout(deps: PaymentDeps, hash: string): Promise<never> {
  const isMethodLink = await deps.isMethodLink(hash);
  return fail(isMethodLink ? "LINK_NOT_PAYABLE" : "PAYMENT_LINK_NOT_FOUND");
}

/** Inserts a payment, or finds a quicker one that the request repeats. */
async function begin(
  deps: PaymentDeps,
  link: PaymentLink,
  request: Request,
  { marks, deadline }: Asked,
): Promise<Begun> {
  const acquirer = deps.acquirer ?? fail("UNAVAILABLE");
  const card = await lookUpCard(deps.clock, acquirer, request.paymentMethod.token);

  const payment = newPayment(link, request, {
    id: deps.newId(),
    card,
    acquirer: acquirer.name,
    marks,
    deadline,
  });
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    if ((await insertInTime(deps, payment)) === "inserted") return { payment, isNew: true };
    const taken = await deps.claims(marks);
    const first = await findEarlier(deps, taken, marks);
    if (first) return { payment: first, isNew: false };
    const holder = await findHolder(deps, taken);
    if (holder) return refuseHeld(holder, marks.address);
  }
  return fail("LINK_BUSY");
}

/** The payment that has the key; an expired key is freed. */
async function findEarlier(
  { payments, clock }: PaymentDeps,
  { byKey }: Claims,
  { requestHash }: Marks,
): Promise<Payment | null> {
  if (!byKey) return null;
  const { _id, idempotencyKey } = byKey;
  if (!isKeyOver(byKey, clock.now())) return checkRepeat(byKey, requestHash, clock.now());
  await payments.documents.updateOne({ _id, idempotencyKey }, { $unset: { idempotencyKey: "" } });
  return null;
}

/** The payment that holds the link or its customer; a hold that is over is freed. */
async function findHolder(
  { payments, clock }: PaymentDeps,
  { holder }: Claims,
): Promise<Payment | null> {
  if (!holder || !isHoldOver(holder, clock.now())) return holder;
  const { _id, holds } = holder;
  await payments.documents.updateOne({ _id, holds }, { $unset: { holds: "" } });
  return null;
}

/** Whether the link takes payments; the insert decides whether it is paid already. */
function isPayable(link: PaymentLink, now: number): boolean {
  const isActive = linkStatus(link, false, now) === "ACTIVE";
  return isActive && link.terms.checkoutType !== "recurring" && supportedOptions(link).length > 0;
}

/** Inserts only before the deadline, because the sweeper voids a payment after it. */
function insertInTime(deps: PaymentDeps, payment: Payment): Promise<"inserted" | "taken"> {
  return deps.clock.now() < payment.deadline ? deps.payments.insert(payment) : fail("UNAVAILABLE");
}

/** The payment once its outcome is known, or as it is at the deadline. */
async function awaitOutcome(
  deps: PaymentDeps,
  payment: Payment,
  token: string,
): Promise<PaymentOutcome> {
  const work = chargeAndPost(deps, payment, token).catch((error: unknown) => {
    // The payment is stored and due, so the sweeper decides it.
    deps.log.error("A payment is decided later", { id: payment._id, error });
    return { payment };
  });
  const outcome = await deps.clock.within(work, payment.deadline - deps.clock.now());
  return outcome === LATE ? { payment } : outcome;
}

async function chargeAndPost(
  deps: PaymentDeps,
  payment: Payment,
  token: string,
): Promise<PaymentOutcome> {
  await deps.reached("payment-inserted", payment);
  // Not after the deadline, because the sweeper may be voiding.
  const leftMs = payment.deadline - deps.clock.now();
  const answer: ChargeAnswer =
    leftMs > 0
      ? decisive(await charge(deps, payment, leftMs, async () => token))
      : { kind: "unknown" };
  if (answer.kind === "action") return awaitConfirmation(deps, payment, answer);
  const from =
    answer.kind === "unknown"
      ? { isFresh: false }
      : { change: await afterCharge(deps, payment, answer) };
  const driven = await deps.payments.machine.drive(payment, from);
  return { payment: await awaitEnd(deps, driven) };
}

/**
 * Waits until any process has decided the payment, at most until its deadline; not for a person,
 * who decides about another captured sum.
 */
async function awaitEnd(deps: PaymentDeps, payment: Payment): Promise<Payment> {
  let found = payment;
  const isUndecided = () => found.status === "PENDING" && found.contradicted === undefined;
  while (isUndecided() && deps.clock.now() < payment.deadline) {
    await deps.clock.sleep(LOOK_AGAIN_AFTER_MS);
    found = (await deps.payments.documents.findOne({ _id: payment._id }, MAJORITY)) ?? found;
  }
  return found;
}
