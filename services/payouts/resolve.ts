// Resolves a payout that needs attention: an admin decides the outcome if the rail does not answer,
// if the rail's answers contradict each other, or if the rail has a problem with the payment. The
// timeline names the admin.
//
// Before a payout that may be at its rail is refunded, the rail is asked to cancel it, because a
// submit may still be under way. Where the rail has a problem and stores decisions (`decide`), it
// stores this one first: from then on its answers are by the decision. So a node that dies in
// between leaves a payout that ends by the rail's next answer as the admin has decided, and no
// payout is paid at the rail and refunded here.

import type { QueryAnswer } from "../../partners/types.ts";
import { fail } from "../../shared/errors.ts";
import type { Change } from "../../shared/resumable/document.ts";
import { MAJORITY } from "../../shared/storage/database.ts";
import {
  CANCELLED_ANSWER,
  cancelAtRail,
  type DecidedEnd,
  decideAtRail,
  decidedAnswer,
  findRail,
  mayBeAtRail,
  queryRail,
  RESOLVED,
  recordLateAnswer,
  returnWindow,
} from "./ask-rail.ts";
import type { Deps } from "./deps.ts";
import { isAboutAnotherSum, problemIn, UNFLAGGED } from "./flag.ts";
import type { Payout } from "./payout.model.ts";
import { changeAfterAnswer, hasEnded, reversal, settlement, wasPaid } from "./rail-answers.ts";

export interface PayoutResolution {
  outcome: "SUCCESS" | "FAILED";
  /** The admin, and the admin's note. */
  by: string;
  /** Whether an earlier run of the request may have resolved it already. */
  isRepeat?: boolean;
}

const MINUTE_MS = 60_000;
/**
 * If the rail does not answer the cancel, an admin's FAILED counts only this long after the last
 * submit: longer than a message to a bank takes, repeats of the rail's own client included.
 */
const NOTHING_UNDER_WAY_AFTER_MS = 10 * MINUTE_MS;
/**
 * How long a claimed payout is not submitted again: long enough for an admin to repeat a request
 * that was refused because of a recent submit.
 */
const HELD_MS = 2 * NOTHING_UNDER_WAY_AFTER_MS;

/**
 * Ends a flagged payout as its rail would have ended it: FAILED after SUCCESS is a return. The rail
 * is still asked afterwards, so that an answer that contradicts the decision is noticed.
 * @returns the payout; after FAILED with the money back, if that comes soon
 * @throws NOT_RESOLVABLE if it is not flagged and its rail has no problem with it, if the rail
 *   could not have ended it so, or if it may still be paid
 */
export async function resolve(
  deps: Deps,
  given: Payout,
  { outcome, by, isRepeat }: PayoutResolution,
): Promise<Payout> {
  if (isRepeat && !given.needsAttention && storedEnd(given) === outcome) return given;
  const payout = await flagIfHeld(deps, given);
  const end = payout.needsAttention ? endAtBank(payout, outcome) : null;
  if (!end) return fail("NOT_RESOLVABLE");
  const safe = await makeSafe(deps, payout, end);
  const { set, ...change } = changeFor(deps, safe, end);
  const decided = { ...change, set: { ...set, decidedBy: by } };
  const resolved = await deps.machine.transitionAlone(safe.payout, decided);
  if (!resolved) return afterLostRace(deps, safe, outcome);
  if (resolved.step === "reverse") return deps.machine.drive(resolved, { isFresh: true });
  void deps.machine.relay(resolved);
  return resolved;
}

const storedEnd = ({ step, status }: Payout) => (step === "reverse" ? "FAILED" : status);

/** Asks the rail about a payout without a problem, because it may have one by now. */
async function flagIfHeld(deps: Deps, payout: Payout): Promise<Payout> {
  const isAsked = ["submitting", "settle", "watch", "closed"].includes(payout.step);
  if (payout.problem !== undefined || !isAsked) return payout;
  const answer = await queryRail(deps, payout);
  if (problemIn(payout, answer) === undefined) return payout;
  const change = changeAfterAnswer(payout, answer, returnWindow(deps, payout), deps.clock.now());
  const flagged = await deps.machine.transitionAlone(payout, change);
  if (!flagged) return failForNow("The transaction is changing: ask again", 1);
  void deps.machine.relay(flagged);
  return flagged;
}

/** How the payment has ended at the bank by an outcome; null if it cannot have ended so. */
function endAtBank(payout: Payout, outcome: PayoutResolution["outcome"]): DecidedEnd | null {
  switch (payout.step) {
    case "submit":
    case "submitting":
    case "settle":
      if (outcome === "FAILED") return "rejected";
      return mayBeAtRail(payout) ? "settled" : null;
    case "watch":
    case "closed":
      if (outcome === "FAILED") return wasPaid(payout) ? "returned" : "rejected";
      return payout.status === "SUCCESS" ? "settled" : null;
    case "claim":
    case "debit":
    case "reverse":
    case "declined":
      return null;
  }
}

/** A payout that may be ended now. */
interface Safe {
  payout: Payout;
  /** The answer to a query that the rail's yes implies: to the decision, or to a cancel. */
  implied?: QueryAnswer;
  /** Whether the rail has stored the decision. */
  isStored: boolean;
}

/**
 * Makes sure that the rail does not contradict the decision: it stores the decision, or before a
 * refund it cancels the payment.
 * @throws NOT_RESOLVABLE if the rail answers no, or gives no answer that makes it safe
 */
async function makeSafe(deps: Deps, payout: Payout, end: DecidedEnd): Promise<Safe> {
  const isHeld = payout.problem !== undefined && findRail(deps, payout)?.decide !== undefined;
  const stored = isHeld ? await storeAtRail(deps, payout, end) : null;
  if (stored?.isStored) return stored;
  const claimed = stored?.payout ?? payout;
  const isRefunded = end === "rejected" && !hasEnded(claimed) && mayBeAtRail(claimed);
  return isRefunded ? cancelFirst(deps, claimed) : { payout: claimed, isStored: false };
}

/**
 * Has the rail store the decision. Claims the payout first, so that no driver enters the end before
 * the admin is recorded.
 * @returns not stored if the rail has no problem of its own with the payment
 * @throws NOT_RESOLVABLE if the rail stores no such end, or does not answer
 */
async function storeAtRail(deps: Deps, payout: Payout, end: DecidedEnd): Promise<Safe> {
  const claimed = await claim(deps, payout, "now");
  const answer = await decideAtRail(deps, claimed, end);
  if (answer === "decided") {
    await deps.reached("decision-stored", claimed);
    return { payout: claimed, implied: decidedAnswer(claimed, end), isStored: true };
  }
  // The stored end stays if an admin confirms it, whatever the rail has.
  const isFree =
    answer === "no" && (isConfirmed(claimed, end) || (await isOursAlone(deps, claimed)));
  if (isFree) return { payout: claimed, isStored: false };
  await deps.machine.transition(claimed, { set: {}, next: 0 });
  if (answer === "no") return fail("NOT_RESOLVABLE", "The rail cannot have ended the payment so");
  return failForNow("The rail has not said whether it stored the decision: ask again", 10);
}

/** Whether only payrail has a problem with the payment: the rail answers about another sum. */
async function isOursAlone(deps: Deps, payout: Payout): Promise<boolean> {
  const answer = await queryRail(deps, payout);
  return isAboutAnotherSum(payout, answer) && !("problem" in answer);
}

/**
 * Makes sure that the rail does not pay a payout that is refunded next. Claims the payout first, so
 * that no new submit begins meanwhile.
 * @throws NOT_RESOLVABLE if the rail answers no and the money has not come back, or if the rail
 *   does not answer and a submit may be under way
 */
async function cancelFirst(deps: Deps, payout: Payout): Promise<Safe> {
  const claimed = await claim(deps, payout, HELD_MS);
  const answer = await cancelAtRail(deps, claimed);
  if (answer === "cancelled") {
    return { payout: claimed, implied: CANCELLED_ANSWER, isStored: false };
  }
  if (answer === "no") {
    // Another sum than the payout's has come back.
    const { kind } = await queryRail(deps, claimed);
    if (kind === "returned") return { payout: claimed, isStored: false };
    await deps.machine.transition(claimed, { set: {}, next: 0 });
    return fail("NOT_RESOLVABLE", "The rail does not cancel the payment: it may be paid");
  }
  const sinceSubmitMs = deps.clock.now() - (claimed.submittedAt ?? 0);
  if (answer === "unknown" && sinceSubmitMs < NOTHING_UNDER_WAY_AFTER_MS) {
    const message = "A submit may still be under way: ask again in ten minutes";
    return failForNow(message, NOTHING_UNDER_WAY_AFTER_MS / 1_000);
  }
  return { payout: claimed, isStored: false };
}

/** @throws NOT_RESOLVABLE if another node changed the payout first */
async function claim(deps: Deps, payout: Payout, next: "now" | number): Promise<Payout> {
  const claimed = await deps.machine.transitionAlone(payout, { set: {}, next });
  return claimed ?? failForNow("The transaction is changing: ask again", 1);
}

/** Refuses for the moment, so the refusal is not kept for the request's key. */
function failForNow(message: string, retryAfterS: number): never {
  return fail("NOT_RESOLVABLE", message, { retryAfterS });
}

/** Whether an admin's decision is the end that is stored already. */
function isConfirmed(payout: Payout, end: DecidedEnd): boolean {
  return hasEnded(payout) && (end === "settled") === (payout.status === "SUCCESS");
}

function changeFor(deps: Deps, { payout, isStored }: Safe, end: DecidedEnd): Change<Payout> {
  if (isConfirmed(payout, end)) {
    // A rail that stored the decision is asked on for returns; any other one would flag it again.
    return isStored
      ? { set: { step: "watch", ...UNFLAGGED }, next: 0 }
      : { set: { step: "closed", ...UNFLAGGED }, next: "never" };
  }
  if (end === "settled") return settlement(payout, returnWindow(deps, payout));
  return reversal(payout, RESOLVED);
}

/** Another writer changed the payout after the rail's yes, which then counts as a late answer. */
async function afterLostRace(
  deps: Deps,
  { payout, implied }: Safe,
  outcome: PayoutResolution["outcome"],
): Promise<Payout> {
  if (!implied) return failForNow("The transaction is changing: ask again", 1);
  await recordLateAnswer(deps, payout, implied);
  const stored = await deps.payouts.findOne({ _id: payout._id }, MAJORITY);
  if (stored && storedEnd(stored) === outcome) return stored;
  return failForNow("The rail has the decision, and the payout follows it soon", 10);
}
