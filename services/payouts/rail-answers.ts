// The changes of a payout that follow from its rail's answers; pure. The end is decided once, and
// stored before anything follows from it. A later answer that contradicts the end only flags the
// payout for an admin, with one exception: a settled payout can be returned. An `accepted` may be
// older than the rail's refusal and arrive after it; then payrail asks the rail again, and moves no
// money. An answer about another sum than the payout's ends nothing. An answer with a problem flags
// the payout for as long as the rail gives that answer, and gives no money back.

import { type Accepted, DUPLICATE, type QueryAnswer, type Settled } from "../../partners/types.ts";
import { PAYOUT_METHOD_TABLE } from "../../shared/config/payout-methods.ts";
import type { Status } from "../../shared/contracts/transactions.ts";
import { LEASE_MS } from "../../shared/resumable/change.ts";
import {
  ASK_AT_LATEST_MS,
  askedAgain,
  type Change,
  nextStepAt,
} from "../../shared/resumable/document.ts";
import { ERASED_DIGITS } from "../../shared/storage/erased.ts";
import {
  contradicts,
  flagAfterEnd,
  isAboutAnotherSum,
  isFlaggedForGood,
  problemIn,
  UNFLAGGED,
} from "./flag.ts";
import type { Payout } from "./payout.model.ts";
import { merchantReason } from "./rails/merchant-reasons.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

/** The payout will not be paid: first the money goes back, then the payout is FAILED. */
export function reversal(
  { optionType }: Pick<Payout, "optionType">,
  railCode: string,
): Change<Payout> {
  return {
    set: {
      step: "reverse",
      railCode,
      failureReason: merchantReason(railCode, optionType),
      decidedBy: undefined,
      reviewSince: undefined,
      ...KNOWN,
    },
    next: "now",
  };
}

const KNOWN = { unknownSince: undefined, ...UNFLAGGED };

/** A rail has the id already. The payment may be our own, so this answer never decides. */
export function isDuplicate(answer: QueryAnswer): boolean {
  return answer.kind === "rejected" && answer.code === DUPLICATE;
}

/**
 * The change after an answer to a question of a step.
 * @param returnWindowMs how long after its settlement the payment can come back
 * @param now epoch ms
 */
export function changeAfterAnswer(
  payout: Payout,
  answer: QueryAnswer,
  returnWindowMs: number,
  now: number,
): Change<Payout> {
  const follow = hasEnded(payout) ? changeAfterEnd : changeBeforeEnd;
  return follow(payout, answer, returnWindowMs, now);
}

/** The change after an answer at the steps submitting and settle. */
function changeBeforeEnd(
  payout: Payout,
  answer: QueryAnswer,
  returnWindowMs: number,
  now: number,
): Change<Payout> {
  const problem = problemIn(payout, answer);
  if (problem !== undefined && endsNothing(payout, answer)) {
    return acceptance(payout, { problem }, now);
  }
  switch (answer.kind) {
    case "accepted":
      return acceptance(payout, answer, now);
    case "settled":
      return settlement(payout, returnWindowMs, answer);
    case "rejected":
      return reversal(payout, answer.code);
    case "returned": {
      const { set, next } = reversal(payout, answer.code);
      return { set: { ...set, cameBack: true }, next };
    }
    case "notFound":
    case "unknown":
      return askedAgain(payout, now);
  }
}

/**
 * Whether an answer with a problem leaves the end to an admin: it is about another sum, or it is a
 * failure, and the payment may have been made in spite of it.
 */
function endsNothing(payout: Payout, answer: QueryAnswer): boolean {
  const isFailure = answer.kind === "rejected" || answer.kind === "returned";
  return isFailure || isAboutAnotherSum(payout, answer);
}

type Hints = Omit<Accepted, "kind">;

/** The rail has the payment, and has not said how it ends. */
function acceptance(payout: Payout, hints: Hints, now: number): Change<Payout> {
  return {
    set: { step: "settle", ...KNOWN, ...hintsIn(hints) },
    enter: processing(payout),
    next: hints.askAfterMs ?? growing(payout, now, SECOND_MS, ASK_AT_LATEST_MS),
  };
}

/** Some methods enter PROCESSING_PAY_OUT before their end, even if the rail skips that. */
function processing({ status, method }: Payout): Status[] {
  const isNext = status === "PENDING" && PAYOUT_METHOD_TABLE[method].isAcceptedFirst;
  return isNext ? ["PROCESSING_PAY_OUT"] : [];
}

export function settlement(
  payout: Payout,
  returnWindowMs: number,
  hints: Hints = {},
): Change<Payout> {
  const isWatched = returnWindowMs > 0 || hints.problem !== undefined;
  return {
    set: { step: isWatched ? "watch" : "closed", ...KNOWN, ...hintsIn(hints) },
    enter: [...processing(payout), "SUCCESS"],
    next: isWatched ? (hints.askAfterMs ?? firstWatch(returnWindowMs)) : "never",
  };
}

/**
 * The change of a payout whose money is back. A rail may contradict a failure as it may contradict
 * a success, so it is asked on for as long; immediately if the failure is in doubt.
 */
export function failure(payout: Payout, returnWindowMs: number): Change<Payout> {
  const isDoubtful = payout.decidedBy !== undefined || payout.isDoubted === true;
  // A payout that was never submitted has no rail that could contradict the end.
  const isWatched = payout.rail !== undefined && (isDoubtful || returnWindowMs > 0);
  return {
    // `needsAttention` stays, because a contradicting answer may have come meanwhile.
    set: { step: isWatched ? "watch" : "closed", isDoubted: undefined },
    enter: ["FAILED"],
    next: isWatched ? (isDoubtful ? 0 : firstWatch(returnWindowMs)) : "never",
  };
}

/** The wait before the first question after an end. */
function firstWatch(returnWindowMs: number): number {
  return Math.min(WATCH_FIRST_MS, returnWindowMs || WATCH_FIRST_MS);
}

const WATCH_FIRST_MS = 60 * SECOND_MS;
const WATCH_AT_LATEST_MS = 12 * HOUR_MS;

/**
 * The change after an answer at the steps watch and closed. A payout with a problem is asked about
 * until the problem is gone, also after its return window.
 */
function changeAfterEnd(
  payout: Payout,
  answer: QueryAnswer,
  returnWindowMs: number,
  now: number,
): Change<Payout> {
  const isReturn = answer.kind === "returned" && problemIn(payout, answer) === undefined;
  if (isReturn && payout.status === "SUCCESS") return reversal(payout, answer.code);
  const flag = flagAfterEnd(payout, answer);
  const windowEnd = (payout.states.at(-1)?.at ?? now) + returnWindowMs;
  // The last question needs an answer, unless an admin has decided because the rail never answers.
  const isOver = now >= windowEnd && (answer.kind !== "unknown" || payout.decidedBy !== undefined);
  // The rail keeps its notice; an erasure of the end user takes payrail's for good.
  const notice = payout.lastFour === ERASED_DIGITS ? {} : noticeIn(answer);
  if (flag.problem === undefined && (payout.step === "closed" || isOver)) {
    return { set: { step: "closed", ...flag, ...notice }, next: "never" };
  }
  const again =
    ("askAfterMs" in answer ? answer.askAfterMs : undefined) ??
    growing(payout, now, WATCH_FIRST_MS, WATCH_AT_LATEST_MS);
  const untilEnd = windowEnd - now;
  return {
    set: { step: "watch", ...flag, ...notice },
    next: untilEnd > 0 ? Math.min(again, untilEnd) : again,
  };
}

/** What an answer tells beside the state: its notice, and its problem, which flags the payout. */
function hintsIn({ problem, notice }: Hints) {
  return {
    ...noticeIn({ notice }),
    ...(problem !== undefined && { problem, needsAttention: true }),
  };
}

/** The notice of an answer, which the merchant reads; a later one replaces it. */
function noticeIn(answer: { notice?: string } | Exclude<QueryAnswer, Accepted | Settled>) {
  return "notice" in answer && answer.notice !== undefined ? { notice: answer.notice } : {};
}

/** Whether the rail has paid it, also if the money came back since. */
export function wasPaid({ cameBack, states }: Payout): boolean {
  return cameBack === true || states.some(({ status }) => status === "SUCCESS");
}

/** Whether the end is stored, and its reversal, if it needs one, is posted. */
export function hasEnded({ step }: Payout): boolean {
  return step === "watch" || step === "closed";
}

/**
 * The change after an answer that can no longer decide, because it was late or another node was
 * quicker.
 * @param asked the payout as it was stored when the question began
 * @param now epoch ms
 * @returns null if the payout stays as it is
 */
export function changeAfterLateAnswer(
  payout: Payout,
  asked: Payout,
  answer: QueryAnswer,
  now: number,
): Change<Payout> | null {
  if (isDuplicate(answer)) return null;
  const { step, status, decidedBy } = payout;
  const problem = problemIn(payout, answer);
  const end = step === "reverse" ? "FAILED" : status;
  // A returned payment was settled before, and a late answer may be from that time.
  if (contradicts(end, answer) && !(end === "FAILED" && wasPaid(payout))) {
    if (isFlaggedForGood(payout)) return null;
    // The rail may have accepted the payment first and refused it later.
    const isDoubt = answer.kind === "accepted" && decidedBy === undefined && !hasEnded(asked);
    const flag = { needsAttention: true, staysFlagged: true, ...(problem && { problem }) };
    if (!isDoubt) return { set: flag, next: "same" };
    return step === "reverse" ? { set: { isDoubted: true }, next: "same" } : WATCHED;
  }
  // The end is stored, so the money goes back all the same.
  if (step === "reverse" && problem !== undefined)
    return { set: { isDoubted: true }, next: "same" };
  const isOpen = end !== "FAILED" && end !== "SUCCESS";
  const isReturn = end === "SUCCESS" && answer.kind === "returned";
  const isNews = isOpen ? isKnown(answer) : isReturn || problem !== undefined;
  // A payout that is due within a lease is left alone, so that its driver's next write succeeds.
  const isDueSoon = (nextStepAt(payout) ?? Number.POSITIVE_INFINITY) <= now + LEASE_MS;
  return isNews && !isDueSoon ? { set: {}, next: 0 } : null;
}

/** The rail is asked immediately, and changeAfterEnd compares its new answer with the end. */
const WATCHED: Change<Payout> = { set: { step: "watch" }, next: 0 };

function isKnown({ kind }: QueryAnswer): boolean {
  return kind !== "unknown" && kind !== "notFound";
}

/** Growing waits: each is as long as the state has lasted, within the bounds. */
function growing({ states }: Payout, now: number, firstMs: number, mostMs: number): number {
  const lastedMs = now - (states.at(-1)?.at ?? now);
  return Math.min(Math.max(lastedMs, firstMs), mostMs);
}
