// The lifecycle of a payment: one switch over its step. A step calls other systems and returns the
// change that follows; the driver (shared/resumable) writes the change.
//
//   charge ──► closed    captured, and the money is in the ledger: SUCCEEDED          (pay.ts)
//   charge ──► post      captured, and the ledger did not answer; or found captured by a void
//   charge ──► closed    declined or voided: FAILED, the link is free
//   charge ──► charge    the card's issuer asks the customer to confirm           (confirmation.ts)
//   charge ──► charge    captured, but another sum than the asked one: flagged      (other-sum.ts)
//   post ────► closed    the money is in the ledger: SUCCEEDED
//
// Only the request that inserted a payment charges it, once and within its time (pay.ts). A driver
// at `charge` asks for a void, because a customer is not charged after leaving; a charge that was
// captured before counts. A renewal has no waiting customer. Its driver charges the saved method
// that it names, with the same key until the outcome is known. An unknown outcome is never a
// failure: it is asked for again, and the link stays held. A captured payment never fails: it is
// posted until the ledger has the money (collection.ts).
//
// Invariant: a payment fails only after the acquirer has answered that it never charges it. The
// decline of a repeated charge is no such answer, because the earlier charge may have been
// captured: then a void decides.

import type { Captured, ChargeAnswer, Declined, VoidAnswer } from "../../../partners/types.ts";
import { readCharge, readVoid } from "../../../shared/partners/answers.ts";
import { ANSWERED_WITHIN_MS } from "../../../shared/partners/ask.ts";
import { askedAgain, type Change } from "../../../shared/resumable/document.ts";
import { unseal } from "../../../shared/security/seal.ts";
import { acquirerKey, askAcquirer, customerReason, decisive } from "../acquirers/acquirer.ts";
import { captured, failure, settleCollection, unlessPosted, VOIDED } from "./collection.ts";
import type { PaymentDeps } from "./deps.ts";
import { noteCharge } from "./late-answers.ts";
import { isAsked, whileOtherSum } from "./other-sum.ts";
import type { Payment, Renewal } from "./payment.model.ts";
import { methodPlace } from "./saved-method.model.ts";

/** How long the sweeper leaves a renewal to its subscription, which asks for the outcome. */
const LEFT_TO_SUBSCRIPTION_MS = 300_000;

/**
 * Runs the step of a payment; returns the change that follows.
 * @param isFresh this driver entered the step
 */
export async function changeFor(
  deps: PaymentDeps,
  payment: Payment,
  isFresh: boolean,
): Promise<Change<Payment>> {
  const change = await stepFor(deps, payment, isFresh);
  if (!payment.renewal) return change;
  const next = typeof change.next === "number" ? LEFT_TO_SUBSCRIPTION_MS : change.next;
  // Its invoice has the events.
  return { ...change, next, hasNoEvents: true };
}

async function stepFor(
  deps: PaymentDeps,
  payment: Payment,
  isFresh: boolean,
): Promise<Change<Payment>> {
  switch (payment.step) {
    case "charge": {
      const { renewal } = payment;
      if (renewal && isFresh) {
        return afterCharge(deps, payment, await renew(deps, payment, renewal, isFresh));
      }
      if (isConfirmable(payment, deps.clock.now())) return whileConfirming(deps, payment);
      const answer = renewal
        ? await renew(deps, payment, renewal, isFresh)
        : await voidCharge(deps, payment);
      const end = afterAnswer(deps, payment, answer);
      return heard(deps, payment, answer, await unlessPosted(deps, payment, end, answer.kind));
    }
    case "post":
      return settleCollection(deps, payment, isFresh);
    case "closed":
      throw new Error(`Payment ${payment._id} is closed: it has no next step`);
  }
}

/** The change that follows from an answer, which is not dropped if another driver was quicker. */
function heard(
  deps: PaymentDeps,
  { _id }: Payment,
  answer: VoidAnswer,
  change: Change<Payment>,
): Change<Payment> {
  return { ...change, onConflict: () => noteCharge(deps, _id, answer) };
}

/** Whether the customer may still confirm the charge with the card's issuer. */
export function isConfirmable(
  { step, confirmUntil = 0 }: Pick<Payment, "step" | "confirmUntil">,
  now: number,
): boolean {
  return step === "charge" && now < confirmUntil;
}

/** The change while the customer may confirm: an outcome counts, anything else is asked again. */
async function whileConfirming(deps: PaymentDeps, payment: Payment): Promise<Change<Payment>> {
  const answer = await askOutcome(deps, payment);
  if (answer.kind === "captured" || answer.kind === "declined") {
    return afterOutcome(deps, payment, answer);
  }
  const leftMs = (payment.confirmUntil as number) - deps.clock.now();
  return { set: {}, next: Math.max(0, Math.min(OUTCOME_EVERY_MS, leftMs)) };
}

/** The page asks immediately when its customer has confirmed; this is for customers who left it. */
const OUTCOME_EVERY_MS = 60_000;

/** Asks the acquirer what became of a charge that its customer had to confirm. */
export async function askOutcome(deps: PaymentDeps, payment: Payment): Promise<ChargeAnswer> {
  const answer = await askAcquirer<ChargeAnswer>(deps, payment, {
    question: "outcome",
    read: readCharge,
    withinMs: ANSWERED_WITHIN_MS,
    onLate: (late) => noteCharge(deps, payment._id, late),
    ask: async (acquirer) => acquirer.outcome?.(acquirerKey(payment)) ?? { kind: "unknown" },
  });
  return decisive(answer);
}

/** Asks the acquirer to end the charge: it answers the outcome, or never charges the payment. */
export async function voidCharge(deps: PaymentDeps, payment: Payment): Promise<VoidAnswer> {
  const answer = await askAcquirer<VoidAnswer>(deps, payment, {
    question: "void",
    read: readVoid,
    withinMs: ANSWERED_WITHIN_MS,
    onLate: (late) => noteCharge(deps, payment._id, late),
    ask: (acquirer) => acquirer.void(acquirerKey(payment)),
  });
  return decisive(answer);
}

/**
 * Charges a card; a repeat is the same charge.
 * @param readToken if it fails, the outcome is unknown too, because an earlier driver may have
 *   asked
 */
export async function charge(
  deps: PaymentDeps,
  payment: Payment,
  withinMs: number,
  readToken: () => Promise<string>,
): Promise<ChargeAnswer> {
  const { totalMinor: amountMinor, currency, name: description } = payment;
  const answer = await askAcquirer<ChargeAnswer>(deps, payment, {
    question: "charge",
    read: readCharge,
    withinMs,
    onLate: (late) => noteCharge(deps, payment._id, late),
    async ask(acquirer) {
      const id = acquirerKey(payment);
      const token = await readToken();
      const isCustomerPresent = payment.renewal === undefined;
      return acquirer.charge({ id, token, amountMinor, currency, description, isCustomerPresent });
    },
  });
  await deps.reached("charge-answered", payment);
  return answer;
}

/** Charges the saved method of a renewal; returns the outcome, or unknown. */
async function renew(
  deps: PaymentDeps,
  payment: Payment,
  { methodId }: Renewal,
  isFresh: boolean,
): Promise<VoidAnswer> {
  const answer = await charge(deps, payment, ANSWERED_WITHIN_MS, async () => {
    const { token } = await deps.methods.find(methodId);
    return unseal(deps.config, methodPlace(methodId), token);
  });
  // Nobody can confirm the charge of a renewal.
  if (answer.kind === "action") return declineUnlessCaptured(deps, payment, CONFIRMATION_NEEDED);
  if (answer.kind !== "declined") return answer;
  const isFirst = isFresh && payment.unknownSince === undefined;
  if (isFirst && decisive(answer) === answer) return answer;
  return declineUnlessCaptured(deps, payment, answer);
}

const CONFIRMATION_NEEDED: Declined = { kind: "declined", code: "authentication_required" };

/** Ends the charge. The answer is the decline, not the void, because the decline has the reason. */
async function declineUnlessCaptured(
  deps: PaymentDeps,
  payment: Payment,
  declined: Declined,
): Promise<VoidAnswer> {
  const ended = await voidCharge(deps, payment);
  return ended.kind === "voided" ? declined : ended;
}

/** The change that follows from the answer to the driver that inserted the payment. */
export async function afterCharge(
  deps: PaymentDeps,
  payment: Payment,
  answer: VoidAnswer,
): Promise<Change<Payment>> {
  const change =
    answer.kind === "captured" && isAsked(payment, answer)
      ? await settleCollection(deps, payment, true)
      : afterAnswer(deps, payment, answer);
  return heard(deps, payment, answer, change);
}

/**
 * The change that follows from the outcome of a charge that its customer had to confirm. Several
 * drivers may ask at the same time, so the ledger decides between a decline and a capture.
 */
export async function afterOutcome(
  deps: PaymentDeps,
  payment: Payment,
  answer: Captured | Declined,
): Promise<Change<Payment>> {
  const end = afterAnswer(deps, payment, answer);
  return heard(deps, payment, answer, await unlessPosted(deps, payment, end, answer.kind));
}

/** The change that follows from an acquirer's answer. */
export function afterAnswer(
  { clock }: Pick<PaymentDeps, "clock">,
  payment: Payment,
  answer: VoidAnswer,
): Change<Payment> {
  const otherSum = whileOtherSum(payment, answer, clock.now());
  if (otherSum) return otherSum;
  switch (answer.kind) {
    case "captured":
      return captured();
    case "declined":
      return failure({ declined: answer.code, failureReason: customerReason(answer.code) });
    case "voided":
      return failure(VOIDED);
    case "unknown":
      return askedAgain(payment, clock.now());
  }
}
