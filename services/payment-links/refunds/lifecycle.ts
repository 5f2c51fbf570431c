// The lifecycle of a refund: one switch over its step. A step does what has to be done outside and says
// what changes because of it; the machine (shared/resumable) writes the change.
//
//   allocate ──► post       its part of the payment is reserved
//   allocate ──► declined   more than what is left
//   post ──────► ask        the collection account is debited: others see it
//   post ──────► declined   the ledger declined: the part is given back
//   ask ───────► closed     refunded: SUCCEEDED
//   ask ───────► reverse    refused
//   reverse ───► closed     the money is back, and the part is given back: FAILED
//
// The account is debited before the acquirer is asked, so that nothing is refunded that the merchant
// does not have. What is unknown is asked again with the same id, and is never a failure. A refund that
// is stored goes on even if its merchant does not wait: its reference has the same result.

import { MAJORITY } from "../../../shared/database.ts";
import type { RefundAnswer } from "../../../shared/partners/acquirer.ts";
import type { Posted } from "../../../shared/posts.ts";
import { askedAgain, type Change } from "../../../shared/resumable/document.ts";
import { acquirerNamed, answered, decisive, keyOf } from "../acquirers/acquirer.ts";
import { noteRefund } from "../acquirers/late-answers.ts";
import type { Refund, RefundDecline } from "./refund.model.ts";
import { allocate, giveBack } from "./refund-allocation.ts";
import type { RefundDeps } from "./refunds.ts";

/** How long the acquirer may take for an answer; less than the lease. */
const ANSWERS_WITHIN_MS = 4_000;

/** Does what the step asks for; what changes because of it. */
export async function refundChangeFor(
  deps: RefundDeps,
  refund: Refund,
  isFresh: boolean,
): Promise<Change<Refund>> {
  switch (refund.step) {
    case "allocate":
      return reserve(deps, refund);
    case "post":
      return debit(deps, refund, isFresh);
    case "ask":
      return refund.reverseAt === undefined
        ? afterAnswer(deps, refund, await askAcquirer(deps, refund))
        : untilReversed(deps, refund, refund.reverseAt);
    case "reverse":
      return reverse(deps, refund, isFresh);
    case "closed":
    case "declined":
      throw new Error(`Refund ${refund._id} is ${refund.step}: nothing is to be done`);
  }
}

async function reserve(deps: RefundDeps, refund: Refund): Promise<Change<Refund>> {
  const share = await allocate(deps, refund);
  await deps.at("refund-allocated", refund);
  if (!share) return declined("exceeds");
  const { amountMinor, feesMinor } = share;
  return { set: { step: "post", amountMinor, feesMinor }, next: "now" };
}

async function debit(deps: RefundDeps, refund: Refund, isFresh: boolean): Promise<Change<Refund>> {
  const posted = await postFor(deps, refund, "refund", isFresh);
  await deps.at("refund-posted", refund);
  if (posted.outcome === "committed") {
    return { set: { step: "ask", visible: true, unknownSince: undefined }, next: "now" };
  }
  const reason = declineOf(posted);
  if (!reason) {
    deps.log.warn("A refund is posted again", { id: refund._id, reason: posted.reason });
    return askedAgain(refund, deps.clock.now());
  }
  await giveBack(deps, refund);
  return declined(reason);
}

function declined(reason: RefundDecline): Change<Refund> {
  return { set: { step: "declined", declined: reason, unknownSince: undefined }, next: "never" };
}

/** Why the ledger declined, or failed for good; null where it has to be asked again. */
function declineOf({ outcome, reason }: Posted): RefundDecline | null {
  if (outcome === "declined") {
    return reason === "funds" || reason === "disabled" || reason === "bound" ? reason : "other";
  }
  // A posting that can never be stored: nothing was taken, and nothing will be.
  return reason === "rejected" ? "other" : null;
}

async function askAcquirer(deps: RefundDeps, refund: Refund): Promise<RefundAnswer> {
  const { _id, paymentId, chargeKey: chargeId = paymentId, amountMinor, currency } = refund;
  const onLate = (late: RefundAnswer) => noteRefund(deps, _id, late);
  const what = "refund" as const;
  const asking = { ...deps, what, id: _id, withinMs: ANSWERS_WITHIN_MS, onLate };
  const acquirer = acquirerNamed(deps, refund.acquirer);
  const answer = await answered(asking, () =>
    acquirer.refund({ id: keyOf(refund), chargeId, amountMinor, currency }),
  );
  await deps.at("refund-answered", refund);
  return decisive(answer);
}

function afterAnswer({ clock }: RefundDeps, refund: Refund, answer: RefundAnswer): Change<Refund> {
  switch (answer.kind) {
    case "refunded":
      return refundEnd(refund, "SUCCEEDED");
    case "refused":
      return reversal({ refused: answer.code });
    case "unknown":
      return askedAgain(refund, clock.now());
  }
}

/**
 * Another driver has the refund. This driver compares an answer that it has heard with the stored
 * refund, and gives back a part that it has reserved if the refund was declined meanwhile.
 */
export async function noteLost(
  deps: RefundDeps,
  refund: Refund,
  { set }: Change<Refund>,
): Promise<void> {
  if (refund.step === "allocate" && set.step === "post") {
    const reserved = { ...refund, ...set };
    await giveBackIfOver(deps, reserved).catch((error: unknown) => {
      deps.log.error("A refund's part may stay reserved", { id: refund._id, error });
    });
  }
  if (refund.step !== "ask") return;
  if (set.step === "closed") await noteRefund(deps, refund._id, { kind: "refunded" });
  if (set.refused) await noteRefund(deps, refund._id, { kind: "refused", code: set.refused });
}

async function giveBackIfOver(deps: RefundDeps, reserved: Refund): Promise<void> {
  const stored = await deps.refunds.findOne({ _id: reserved._id }, MAJORITY);
  const isOver = stored?.step === "declined" || stored?.status === "FAILED";
  if (isOver) await giveBack(deps, reserved);
}

/** The money goes back to the account, and the refund fails once it is there. */
export function reversal(why: Pick<Refund, "refused" | "decidedBy">): Change<Refund> {
  return { set: { ...why, step: "reverse", unknownSince: undefined }, next: "now" };
}

/** An admin's word counts once no question to the acquirer can be under way any more. */
function untilReversed({ clock }: RefundDeps, refund: Refund, reverseAt: number): Change<Refund> {
  const leftMs = reverseAt - clock.now();
  return leftMs > 0 ? { set: {}, next: leftMs } : reversal({ decidedBy: refund.decidedBy });
}

/** Posts the reversal and gives the part back, then tells: who hears FAILED can refund again. */
async function reverse(
  deps: RefundDeps,
  refund: Refund,
  isFresh: boolean,
): Promise<Change<Refund>> {
  const posted = await postFor(deps, refund, "refund-reversal", isFresh);
  if (posted.outcome !== "committed") {
    deps.log.error("A reversal is asked for again", { id: refund._id, reason: posted.reason });
    return askedAgain(refund, deps.clock.now());
  }
  await deps.at("refund-reversed", refund);
  await giveBack(deps, refund);
  return refundEnd(refund, "FAILED");
}

export function refundEnd(
  { contradicted }: Refund,
  status: "SUCCEEDED" | "FAILED",
): Change<Refund> {
  return {
    set: {
      step: "closed",
      unknownSince: undefined,
      reverseAt: undefined,
      needsAttention: contradicted !== undefined,
    },
    enter: [status],
    next: "never",
  };
}

/** Asks the ledger for a refund's debit or reversal. */
function postFor(
  { post }: RefundDeps,
  { _id, collectionAccountId: walletId, currency, amountMinor, feesMinor }: Refund,
  kind: "refund" | "refund-reversal",
  isFresh: boolean,
): Promise<Posted> {
  const id = kind === "refund" ? _id : `${_id}:reversal`;
  const money = { currency, method: "CARD_COLLECTION" as const, amountMinor, feesMinor };
  return post({ id, kind, walletId, ...money, ...(!isFresh && { retry: true }) });
}
