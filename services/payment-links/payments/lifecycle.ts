// The lifecycle of a payment: one switch over its step. A step does what has to be done outside and says
// what changes because of it; the machine (shared/resumable) writes the change.
//
//   charge ──► post      captured                                 (pay.ts), or found so by a void
//   charge ──► closed    declined or voided: FAILED, the link is free
//   post ────► closed    the money is in the ledger: SUCCEEDED
//
// Only the request that inserted a payment charges it, once and within its time (pay.ts). A driver
// that comes to `charge` here asks to void, because a customer is not charged after leaving; a
// charge that was captured before counts.
// A renewal has no waiting customer: its driver charges it, again with the same key for as long as
// the outcome is not known, with the token of the saved method that it names.
// An unknown outcome is never a failure: it is asked again, and the link stays held. A captured
// payment never fails: the ledger is asked until it has the money.
//
// Invariant: a payment fails only where the acquirer has said that it never charges it. The decline of a
// charge that may have been asked before says less, because the earlier one may have been captured and
// the acquirer may have declined the repeat: then a void decides.

import type { ChargeAnswer, VoidAnswer } from "../../../shared/partners/acquirer.ts";
import type { Posted } from "../../../shared/posts.ts";
import { askedAgain, type Change } from "../../../shared/resumable/document.ts";
import { unseal } from "../../../shared/seal.ts";
import {
  acquirerNamed,
  answered,
  decisive,
  keyOf,
  reasonOf,
  VOIDED_REASON,
} from "../acquirers/acquirer.ts";
import { noteCharge } from "../acquirers/late-answers.ts";
import type { Deps } from "../deps.ts";
import type { Payment, Renewal } from "./payment.model.ts";
import { methodPlaceOf } from "./saved-method.model.ts";

/** How long the acquirer may take for an answer; twice that is less than the lease. */
const ANSWERED_WITHIN_MS = 4_000;
/** What became of a renewal its subscription asks for again; the sweeper, where that does not come. */
const LEFT_TO_ITS_SUBSCRIPTION_MS = 300_000;

/** Does what the step asks for; what changes because of it. */
export async function changeFor(
  deps: Deps,
  payment: Payment,
  isFresh: boolean,
): Promise<Change<Payment>> {
  const change = await stepFor(deps, payment, isFresh);
  if (!payment.renewal || typeof change.next !== "number") return change;
  return { ...change, next: LEFT_TO_ITS_SUBSCRIPTION_MS };
}

async function stepFor(deps: Deps, payment: Payment, isFresh: boolean): Promise<Change<Payment>> {
  switch (payment.step) {
    case "charge":
      return afterAnswer(
        deps,
        payment,
        await (payment.renewal
          ? renew(deps, payment, payment.renewal, isFresh)
          : voidCharge(deps, payment)),
      );
    case "post":
      return post(deps, payment, isFresh);
    case "closed":
      throw new Error(`Payment ${payment._id} is closed: nothing is to be done`);
  }
}

/** Asks the acquirer to end the charge: it tells the outcome, or never charges it. */
export async function voidCharge(deps: Deps, payment: Payment): Promise<VoidAnswer> {
  const asking = askingOf(deps, payment, "void", ANSWERED_WITHIN_MS);
  const acquirer = acquirerNamed(deps, payment.acquirer);
  return decisive(await answered(asking, () => acquirer.void(keyOf(payment))));
}

/** How to ask about a payment; a late answer is compared with the payment stored by then. */
export function askingOf<Q extends "charge" | "void">(
  deps: Deps,
  { _id: id }: Payment,
  what: Q,
  withinMs: number,
) {
  const onLate = (late: VoidAnswer) => noteCharge(deps, id, late);
  return { ...deps, what, id, withinMs, onLate };
}

/** The outcome of a renewal's charge, as far as it is known. */
async function renew(
  deps: Deps,
  payment: Payment,
  renewal: Renewal,
  isFresh: boolean,
): Promise<VoidAnswer> {
  const answer = await chargeMethod(deps, payment, renewal);
  if (answer.kind !== "declined") return answer;
  const isFirst = isFresh && payment.unknownSince === undefined;
  if (isFirst && decisive(answer) === answer) return answer;
  const ended = await voidCharge(deps, payment);
  // The decline tells why it was not charged.
  return ended.kind === "voided" ? answer : ended;
}

/**
 * Charges the saved method; asked again it is the same charge. What keeps it from being asked leaves it
 * unknown too: it may have been asked before.
 */
async function chargeMethod(
  deps: Deps,
  payment: Payment,
  { methodId }: Renewal,
): Promise<ChargeAnswer> {
  const { totalMinor: amountMinor, currency, name: description } = payment;
  const asking = askingOf(deps, payment, "charge", ANSWERED_WITHIN_MS);
  const answer = await answered(asking, async () => {
    const { token: sealed } = await deps.findMethod(methodId);
    const token = unseal(deps.config, methodPlaceOf(methodId), sealed);
    const acquirer = acquirerNamed(deps, payment.acquirer);
    return acquirer.charge({ id: keyOf(payment), token, amountMinor, currency, description });
  });
  await deps.at("charge-answered", payment);
  return answer;
}

/** The change that follows from an acquirer's answer. */
export function afterAnswer(
  { clock }: Pick<Deps, "clock">,
  payment: Payment,
  answer: VoidAnswer,
): Change<Payment> {
  switch (answer.kind) {
    case "captured":
      return captured();
    case "declined":
      return failure({ declined: answer.code, failureReason: reasonOf(answer.code) });
    case "voided":
      return failure({ failureReason: VOIDED_REASON });
    case "unknown":
      return askedAgain(payment, clock.now());
  }
}

/** The acquirer's answer that a change from `charge` was made of. */
export function answerIn({ step }: Payment, { set }: Change<Payment>): VoidAnswer {
  if (step !== "charge") return { kind: "unknown" };
  if (set.step === "post") return { kind: "captured" };
  return set.step === "closed" ? { kind: "voided" } : { kind: "unknown" };
}

/** The money was taken from the customer: the ledger is next. */
export function captured(): Change<Payment> {
  return { set: { step: "post", unknownSince: undefined, needsAttention: false }, next: "now" };
}

/** Nothing was or will be charged: the link is free again. */
export function failure(why: Pick<Payment, "declined" | "failureReason">): Change<Payment> {
  return {
    set: {
      ...why,
      step: "closed",
      holds: undefined,
      unknownSince: undefined,
      needsAttention: false,
    },
    enter: ["FAILED"],
    next: "never",
  };
}

/** Posts what was captured, then tells: who hears SUCCEEDED finds the money in the account. */
async function post(deps: Deps, payment: Payment, isFresh: boolean): Promise<Change<Payment>> {
  const { outcome, reason } = await postingOf(deps, payment, isFresh);
  if (outcome === "committed") {
    await deps.at("collection-posted", payment);
    const isNotified = payment.notifyPayee || payment.agent !== undefined;
    return {
      set: {
        step: "closed",
        unknownSince: undefined,
        needsAttention: payment.contradicted !== undefined,
      },
      enter: isNotified ? ["SUCCEEDED", "SUCCEEDED"] : ["SUCCEEDED"],
      next: "never",
    };
  }
  deps.log.error("A collection is posted again", { id: payment._id, reason });
  const again = askedAgain(payment, deps.clock.now());
  // The ledger's last word, and yet the money was taken: a person has to look.
  const isFinal = outcome === "declined" || (reason !== "unknown" && reason !== "overloaded");
  return isFinal ? { ...again, set: { ...again.set, needsAttention: true } } : again;
}

function postingOf(deps: Deps, payment: Payment, isFresh: boolean): Promise<Posted> {
  const { _id: id, collectionAccountId, currency, totalMinor, feesMinor } = payment;
  return deps.post({
    id,
    kind: "collection",
    walletId: collectionAccountId,
    currency,
    method: "CARD_COLLECTION",
    amountMinor: totalMinor,
    feesMinor,
    ...(!isFresh && { retry: true }),
  });
}
