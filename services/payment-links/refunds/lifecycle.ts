// The lifecycle of a refund: one switch over its step. A step calls other systems and returns the
// change that follows; the driver (shared/resumable) writes the change.
//
//   allocate ──► post       its part of the payment is reserved
//   allocate ──► declined   the payment has too little left
//   post ──────► ask        the collection account is debited: the refund is visible
//   post ──────► declined   the ledger declined: the part is given back
//   ask ───────► closed     refunded: SUCCEEDED
//   ask ───────► ask        refunded, but another sum than the asked one: flagged
//   ask ───────► reverse    refused
//   reverse ───► closed     the money is back, and the part is given back: FAILED
//
// The account is debited before the acquirer is asked, so that a merchant refunds only money that
// it has. An unknown outcome is asked for again with the same id, and is never a failure. A stored
// refund goes on even if its merchant does not wait: its reference has the same result.
//
// If the acquirer says that it has paid another sum back, the refund neither succeeds nor goes back
// to the account, because either would post a sum that did not move: it stays PENDING until the
// acquirer says the asked sum or an admin decides.

import type { RefundAnswer } from "../../../partners/types.ts";
import { feeKindOf } from "../../../shared/config/fee-table.ts";
import { readRefund } from "../../../shared/partners/answers.ts";
import { ANSWERED_WITHIN_MS } from "../../../shared/partners/ask.ts";
import { askedAgain, type Change } from "../../../shared/resumable/document.ts";
import { declineReason, type Posted } from "../../../shared/rpc/posts.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import { acquirerKey, askAcquirer, decisive, inWords, isOfSum } from "../acquirers/acquirer.ts";
import type { RefundDeps } from "./deps.ts";
import { noteRefund } from "./late-answers.ts";
import type { Refund, RefundDecline } from "./refund.model.ts";
import { allocate, giveBack } from "./refund-allocation.ts";

/**
 * Runs the step of a refund; returns the change that follows.
 * @param isFresh this driver entered the step
 */
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
        ? askAndNote(deps, refund)
        : untilReversed(deps, refund, refund.reverseAt);
    case "reverse":
      return reverse(deps, refund, isFresh);
    case "closed":
    case "declined":
      throw new Error(`Refund ${refund._id} is ${refund.step}: it has no next step`);
  }
}

async function reserve(deps: RefundDeps, refund: Refund): Promise<Change<Refund>> {
  const share = await allocate(deps, refund);
  await deps.reached("refund-allocated", refund);
  if (!share) return declined("exceeds");
  const { amountMinor, feesMinor } = share;
  const reserved = { ...refund, amountMinor, feesMinor };
  return {
    set: { step: "post", amountMinor, feesMinor },
    next: "now",
    onConflict: () =>
      giveBackIfOver(deps, reserved).catch((error: unknown) => {
        deps.log.error("A refund's part may stay reserved", { id: refund._id, error });
      }),
  };
}

/** If another driver declined the refund first, the part that this one reserved is given back. */
async function giveBackIfOver(deps: RefundDeps, reserved: Refund): Promise<void> {
  const stored = await deps.refunds.documents.findOne({ _id: reserved._id }, MAJORITY);
  const isOver = stored?.step === "declined" || stored?.status === "FAILED";
  if (isOver) await giveBack(deps, reserved);
}

async function debit(deps: RefundDeps, refund: Refund, isFresh: boolean): Promise<Change<Refund>> {
  const posted = await postRefund(deps, refund, "refund", isFresh);
  await deps.reached("refund-posted", refund);
  if (posted.outcome === "committed") {
    return { set: { step: "ask", visible: true }, next: "now" };
  }
  const reason = declineReason(posted, ["funds", "disabled", "bound"]);
  if (!reason) {
    deps.log.warn("A refund is posted again", { id: refund._id, reason: posted.reason });
    return askedAgain(refund, deps.clock.now());
  }
  await giveBack(deps, refund);
  return declined(reason);
}

function declined(reason: RefundDecline): Change<Refund> {
  return { set: { step: "declined", declined: reason }, next: "never" };
}

async function askAndNote(deps: RefundDeps, refund: Refund): Promise<Change<Refund>> {
  const answer = await ask(deps, refund);
  const change = afterAnswer(deps, refund, answer);
  return { ...change, onConflict: () => noteRefund(deps, refund._id, answer) };
}

async function ask(deps: RefundDeps, refund: Refund): Promise<RefundAnswer> {
  const { _id, paymentId, chargeKey: chargeId = paymentId, amountMinor, currency } = refund;
  const answer = await askAcquirer<RefundAnswer>(deps, refund, {
    question: "refund",
    read: readRefund,
    withinMs: ANSWERED_WITHIN_MS,
    onLate: (late) => noteRefund(deps, _id, late),
    ask: (acquirer) =>
      acquirer.refund({ id: acquirerKey(refund), chargeId, amountMinor, currency }),
  });
  await deps.reached("refund-answered", refund);
  return decisive(answer);
}

function afterAnswer({ clock }: RefundDeps, refund: Refund, answer: RefundAnswer): Change<Refund> {
  const again = askedAgain(refund, clock.now());
  switch (answer.kind) {
    case "refunded":
      if (isOfSum(answer, refund)) return refundEnd(refund, "SUCCEEDED");
      return {
        ...again,
        set: { ...again.set, contradicted: inWords(answer), needsAttention: true },
      };
    case "refused":
      // It contradicts an answer that another sum was paid back.
      return refund.contradicted === undefined ? reversal({ refused: answer.code }) : again;
    case "unknown":
      return again;
  }
}

/** The money goes back to the account, and the refund fails once it is there. */
function reversal(why: Pick<Refund, "refused" | "decidedBy" | "contradicted">): Change<Refund> {
  return { set: { ...why, step: "reverse", unknownSince: undefined }, next: "now" };
}

/** The reversal that an admin has decided, who has seen the acquirer's answers. */
export function decidedReversal(decidedBy: Refund["decidedBy"]): Change<Refund> {
  return reversal({ decidedBy, contradicted: undefined });
}

/** An admin's FAILED counts once no question to the acquirer can be under way any more. */
function untilReversed({ clock }: RefundDeps, refund: Refund, reverseAt: number): Change<Refund> {
  const leftMs = reverseAt - clock.now();
  return leftMs > 0 ? { set: {}, next: leftMs } : decidedReversal(refund.decidedBy);
}

/**
 * Posts the reversal and gives the part back before FAILED, so that a new refund is possible then.
 */
async function reverse(
  deps: RefundDeps,
  refund: Refund,
  isFresh: boolean,
): Promise<Change<Refund>> {
  const posted = await postRefund(deps, refund, "refund-reversal", isFresh);
  if (posted.outcome !== "committed") {
    deps.log.error("A reversal is posted again", { id: refund._id, reason: posted.reason });
    return askedAgain(refund, deps.clock.now());
  }
  await deps.reached("refund-reversed", refund);
  await giveBack(deps, refund);
  return refundEnd(refund, "FAILED");
}

/** @param isSeen an admin decides it, and has seen the acquirer's answers */
export function refundEnd(
  { contradicted }: Refund,
  status: "SUCCEEDED" | "FAILED",
  isSeen = false,
): Change<Refund> {
  return {
    set: {
      step: "closed",
      unknownSince: undefined,
      reverseAt: undefined,
      needsAttention: contradicted !== undefined && !isSeen,
      ...(isSeen && { contradicted: undefined }),
    },
    enter: [status],
    next: "never",
  };
}

function postRefund(
  deps: RefundDeps,
  refund: Refund,
  kind: "refund" | "refund-reversal",
  isFresh: boolean,
): Promise<Posted> {
  const { _id, collectionAccountId: walletId, currency, amountMinor, feesMinor } = refund;
  const id = kind === "refund" ? _id : `${_id}:reversal`;
  const money = { currency, method: feeKindOf(refund), amountMinor, feesMinor };
  return deps.post({ id, kind, walletId, ...money, ...(!isFresh && { retry: true }) });
}
