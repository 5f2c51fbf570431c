// The flag of a payout (`needsAttention`): the answers of a rail after which an admin has to
// decide. An answer with a problem, or about another sum than the payout's, flags the payout for as
// long as the rail gives it. An answer that contradicts the end flags it until an admin has
// decided. Pure.

import type { QueryAnswer } from "../../partners/types.ts";
import type { Status } from "../../shared/contracts/transactions.ts";
import { toDecimal } from "../../shared/money.ts";
import type { Payout } from "./payout.model.ts";

/** No flag, and no reason of one. */
export const UNFLAGGED = { needsAttention: false, problem: undefined, staysFlagged: undefined };

/**
 * Whether an answer is about another sum than the payout's. Invariant: the payout's sum is never
 * posted because of such an answer, because the rail has moved another one.
 */
export function isAboutAnotherSum({ amountMinor, currency }: Payout, answer: QueryAnswer): boolean {
  if (!("amountMinor" in answer)) return false;
  return answer.amountMinor !== amountMinor || answer.currency !== currency;
}

/** Why a person has to decide after an answer, in a sentence for operators. */
export function problemIn(payout: Payout, answer: QueryAnswer): string | undefined {
  if ("amountMinor" in answer && isAboutAnotherSum(payout, answer)) {
    return `The rail answers ${answer.kind} for ${shown(answer)}, and the payout is of ${shown(payout)}.`;
  }
  return "problem" in answer ? answer.problem : undefined;
}

function shown({ amountMinor, currency }: Pick<Payout, "amountMinor" | "currency">): string {
  return `${toDecimal(amountMinor)} ${currency}`;
}

/** Whether an answer contradicts the end. A refusal with a problem is none yet. */
export function contradicts(end: Status, answer: QueryAnswer): boolean {
  const { kind } = answer;
  if (end === "SUCCESS") return kind === "rejected" && answer.problem === undefined;
  return end === "FAILED" && (kind === "settled" || kind === "accepted");
}

/**
 * The flag of an ended payout after an answer. Only an admin takes back the flag of an answer that
 * contradicts the end; the flag of a problem is gone with the problem.
 */
export function flagAfterEnd(payout: Payout, answer: QueryAnswer) {
  const { kind } = answer;
  const problem =
    kind === "unknown" || kind === "notFound" ? payout.problem : problemIn(payout, answer);
  const staysFlagged = isFlaggedForGood(payout) || contradicts(payout.status, answer);
  return {
    needsAttention: staysFlagged || problem !== undefined,
    problem,
    staysFlagged: staysFlagged || undefined,
  };
}

/** Whether an ended payout is flagged whatever its rail answers next. */
export function isFlaggedForGood({ needsAttention, problem, staysFlagged }: Payout): boolean {
  // A payout that an older version has flagged has no reason stored.
  return staysFlagged === true || (needsAttention && problem === undefined);
}
