// The lifecycle of a payment: one switch over its step. A step does what has to be done outside and says
// what changes because of it; the machine (shared/resumable) writes the change.
//
//   charge ──► post      captured                                 (pay.ts), or found so by a void
//   charge ──► closed    declined or voided: FAILED, the link is free
//   post ────► closed    the money is in the ledger: SUCCEEDED
//
// Only the request that inserted a payment charges it, once and within its time (pay.ts). Whoever comes
// to `charge` here asks to void: a customer who has left is not charged, and what was charged counts.
// Nobody waits for a renewal: it is charged here, and again with the same id for as long as its outcome
// is not known, with the token of the saved method that it names. It is never voided.
// An unknown outcome is never a failure: it is asked again, and the link stays held. What is captured is
// never failed: the ledger is asked until it has it.

import type { Posted } from "../../shared/posts.ts";
import { askedAgain, type Change } from "../../shared/resumable/document.ts";
import { unseal } from "../../shared/seal.ts";
import {
  acquirerNamed,
  answered,
  type Captured,
  type Declined,
  reasonOf,
  type Unknown,
  VOIDED_REASON,
  type Voided,
} from "./acquirer.ts";
import { methodPlaceOf } from "./billing/method.model.ts";
import type { Deps } from "./deps.ts";
import type { Payment, Renewal } from "./payment.model.ts";

/** How long the acquirer may take; less than the lease. */
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
      return afterWord(
        deps,
        payment,
        await (payment.renewal ? renew(deps, payment, payment.renewal) : voidCharge(deps, payment)),
      );
    case "post":
      return post(deps, payment, isFresh);
    case "closed":
      throw new Error(`Payment ${payment._id} is closed: nothing is to be done`);
  }
}

function voidCharge(deps: Deps, { _id: id, acquirer: name }: Payment) {
  const asking = { ...deps, what: "void" as const, id, withinMs: ANSWERED_WITHIN_MS };
  return answered(asking, () => acquirerNamed(deps.acquirer, name).void(id));
}

/**
 * Charges the saved method; asked again it is the same charge. What keeps it from being asked leaves it
 * unknown too: it may have been asked before.
 */
async function renew(deps: Deps, payment: Payment, { methodId }: Renewal) {
  const { _id: id, acquirer: name, totalMinor: amountMinor, currency } = payment;
  const asking = { ...deps, what: "charge" as const, id, withinMs: ANSWERED_WITHIN_MS };
  const word = await answered(asking, async () => {
    const { token: sealed } = await deps.findMethod(methodId);
    const token = unseal(deps.config, methodPlaceOf(methodId), sealed);
    const charge = { id, token, amountMinor, currency, description: payment.name };
    return acquirerNamed(deps.acquirer, name).charge(charge);
  });
  await deps.at("charge-answered", payment);
  return word;
}

/** What follows from the acquirer's word. */
export function afterWord(
  { clock }: Pick<Deps, "clock">,
  payment: Payment,
  word: Captured | Declined | Voided | Unknown,
): Change<Payment> {
  switch (word.kind) {
    case "captured":
      return {
        set: { step: "post", unknownSince: undefined, needsAttention: false },
        next: "now",
      };
    case "declined":
      return failure({ declined: word.code, failureReason: reasonOf(word.code) });
    case "voided":
      return failure({ failureReason: VOIDED_REASON });
    case "unknown":
      return askedAgain(payment, clock.now());
  }
}

/** Nothing was or will be charged: the link is free again. */
function failure(why: Pick<Payment, "declined" | "failureReason">): Change<Payment> {
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
      set: { step: "closed", unknownSince: undefined, needsAttention: false },
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
