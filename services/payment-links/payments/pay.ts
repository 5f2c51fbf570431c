// Paying a link (docs/rest-api.md, Checkout): its rules in the order of their answers, the
// charge, the answer. A payment is stored before its card is charged, and that insert takes the link and
// the Idempotency-Key: of several requests one is in, and only that one charges, once, within its time.
// From then on nothing is an error: what is not known in time is PENDING, and decided later by a void.
//
// The card's token is never stored: nobody else charges it, and nobody charges it again.

import { LATE } from "../../../shared/clock.ts";
import type { Params, Result } from "../../../shared/contracts.ts";
import { MAJORITY } from "../../../shared/database.ts";
import { fail } from "../../../shared/errors.ts";
import type { Acquirer, ChargeAnswer } from "../../../shared/partners/acquirer.ts";
import { digest } from "../../../shared/secrets.ts";
import { answered, cardOf, decisive, keyOf } from "../acquirers/acquirer.ts";
import { noteCharge } from "../acquirers/late-answers.ts";
import { orUnavailable } from "../acquirers/or-unavailable.ts";
import { type Marks, marksOf, paymentOf } from "../checkout/payment-request.ts";
import type { Deps } from "../deps.ts";
import type { PaymentLink } from "../links/link.model.ts";
import { statusOf } from "../links/links.ts";
import { afterAnswer, askingOf } from "./lifecycle.ts";
import type { Payment } from "./payment.model.ts";
import { type Claims, checkDeclines, isKeyOver, refuseHeld, repeated } from "./payment-claims.ts";
import { outcomeView } from "./payment-views.ts";

type Request = Params<"payment-links.pay">;

/** What is kept of the caller's time for the way back. */
const WAY_BACK_MS = 500;
/** How often an insert is tried again whose holder was gone when it was looked for. */
const TRIES_AT_MOST = 3;
const LOOK_AGAIN_AFTER_MS = 100;

/**
 * Charges a customer once.
 * @param waitsUntil epoch ms until which the caller waits
 * @throws PAYMENT_LINK_NOT_FOUND, RATE_LIMITED, KEY_REUSED, STILL_RUNNING, LINK_NOT_PAYABLE, LINK_BUSY;
 *   VALIDATION for a token that the vault does not have; UNAVAILABLE where nothing was or will be charged
 */
export async function pay(
  deps: Deps,
  request: Request,
  waitsUntil = Number.POSITIVE_INFINITY,
): Promise<Result<"payment-links.pay">> {
  const deadline = Math.min(deps.clock.now() + deps.outcomeWithinMs, waitsUntil - WAY_BACK_MS);
  const { link, marks, claims, earlier } = await uncharged(deps, () => lookUp(deps, request));
  // Who repeats a request learns what became of it, whatever was declined since.
  if (earlier) return outcomeView(link, earlier);
  checkDeclines(claims, deps.clock.now());
  const leave = deps.crowd.enter(marks.address);
  try {
    if (!isPayable(link, deps.clock.now())) return fail("LINK_NOT_PAYABLE");
    if (claims.holder) return refuseHeld(claims.holder);
    const asked = { marks, deadline };
    const begun = await uncharged(deps, () => begin(deps, link, request, asked));
    const { payment, isNew } = begun;
    const { token } = request.paymentMethod;
    return outcomeView(link, isNew ? await outcomeOf(deps, payment, token) : payment);
  } finally {
    leave();
  }
}

interface Begun {
  payment: Payment;
  /** Inserted by this very request, which charges it. */
  isNew: boolean;
}

interface Asked {
  marks: Marks;
  deadline: number;
}

/** @throws UNAVAILABLE whatever failed, even the insert: what is there is voided, never charged */
function uncharged<T>(deps: Deps, work: () => Promise<T>): Promise<T> {
  return orUnavailable(deps, "A payment was not begun", work);
}

/** The link, and what is taken of what the payment wants; the payment that the request repeats. */
async function lookUp(deps: Deps, request: Request) {
  const hash = digest(request.token);
  const link = (await deps.findLink(hash)) ?? (await failWithout(deps, hash));
  const marks = marksOf(deps.config, link, request);
  const claims = await claimsOf(deps, link, marks);
  return { link, marks, claims, earlier: await earlierOf(deps, claims, marks) };
}

/** A link with which a payment method is saved is one of another kind. */
async function failWithout({ subscriptions }: Deps, hash: string): Promise<never> {
  const other = await subscriptions.findOne({ "methodLink.tokenHash": hash }, MAJORITY);
  return fail(other ? "LINK_NOT_PAYABLE" : "PAYMENT_LINK_NOT_FOUND");
}

/** Inserts a payment, or finds one that the request repeats and that was quicker. */
async function begin(
  deps: Deps,
  link: PaymentLink,
  request: Request,
  { marks, deadline }: Asked,
): Promise<Begun> {
  const acquirer = deps.acquirer ?? fail("UNAVAILABLE");
  const card = await cardOf(deps.clock, acquirer, request.paymentMethod.token);

  const payment = paymentOf(link, request, {
    id: deps.newId(),
    card,
    acquirer: acquirer.name,
    marks,
    deadline,
  });
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    if ((await insertInTime(deps, payment)) === "inserted") return { payment, isNew: true };
    const taken = await claimsOf(deps, link, marks);
    const first = await earlierOf(deps, taken, marks);
    if (first) return { payment: first, isNew: false };
    if (taken.holder) return refuseHeld(taken.holder);
  }
  return fail("LINK_BUSY");
}

function claimsOf(deps: Deps, { _id, terms }: PaymentLink, marks: Marks): Promise<Claims> {
  const { address, idempotencyKey } = marks;
  return deps.claims({
    address,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(!terms.isOpenLink && { holds: _id }),
  });
}

/** The payment that has the key, unless that is over: then the key is free again. */
async function earlierOf(
  { payments, clock }: Deps,
  { byKey }: Claims,
  { requestHash }: Marks,
): Promise<Payment | null> {
  if (!byKey) return null;
  const { _id, idempotencyKey } = byKey;
  if (!isKeyOver(byKey, clock.now())) return repeated(byKey, requestHash, clock.now());
  await payments.updateOne({ _id, idempotencyKey }, { $unset: { idempotencyKey: "" } });
  return null;
}

/** Whether it is paid already, only its payments know: that is for the insert. */
function isPayable(link: PaymentLink, now: number): boolean {
  return link.terms.checkoutType !== "recurring" && statusOf(link, false, now) === "ACTIVE";
}

/** Who comes late must not charge what others may be voiding already. */
function insertInTime(deps: Deps, payment: Payment): Promise<"inserted" | "taken"> {
  return deps.clock.now() < payment.deadline ? deps.insert(payment) : fail("UNAVAILABLE");
}

/** The payment once its outcome is known, or as it stands when nobody waits any more. */
async function outcomeOf(deps: Deps, payment: Payment, token: string): Promise<Payment> {
  const work = chargeAndPost(deps, payment, token).catch((error: unknown) => {
    // It is stored, and due: whoever comes next decides it.
    deps.log.error("A payment is decided later", { id: payment._id, error });
    return payment;
  });
  const outcome = await deps.clock.within(work, payment.deadline - deps.clock.now());
  return outcome === LATE ? payment : outcome;
}

async function chargeAndPost(deps: Deps, payment: Payment, token: string): Promise<Payment> {
  await deps.at("payment-inserted", payment);
  const answer = decisive(await charge(deps, payment, token));
  await deps.at("charge-answered", payment);
  if (answer.kind === "unknown") return ended(deps, await deps.machine.drive(payment, false));
  const changed = await deps.machine.transition(payment, afterAnswer(deps, payment, answer));
  if (changed?.step === "post") return ended(deps, await deps.machine.drive(changed));
  if (changed) deps.machine.tell(changed);
  else await noteCharge(deps, payment._id, answer);
  return ended(deps, changed ?? payment);
}

/** Charges the card, once. Past the deadline the payment may be being voided: it is not charged. */
async function charge(deps: Deps, payment: Payment, token: string): Promise<ChargeAnswer> {
  const { totalMinor: amountMinor, currency, name: description, deadline } = payment;
  const id = keyOf(payment);
  const leftMs = deadline - deps.clock.now();
  if (leftMs <= 0) return { kind: "unknown" };
  const asking = askingOf(deps, payment, "charge", leftMs);
  const acquirer = deps.acquirer as Acquirer;
  return answered(asking, () => acquirer.charge({ id, token, amountMinor, currency, description }));
}

/** Waits until somebody, be it this process, has decided it; no longer than its customer waits. */
async function ended(deps: Deps, payment: Payment): Promise<Payment> {
  let found = payment;
  while (found.status === "PENDING" && deps.clock.now() < payment.deadline) {
    await deps.clock.sleep(LOOK_AGAIN_AFTER_MS);
    found = (await deps.payments.findOne({ _id: payment._id }, MAJORITY)) ?? found;
  }
  return found;
}
