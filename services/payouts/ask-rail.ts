// Asks a payout's rail. Only the rail that the payout names is asked. Every question has a time
// bound, and shared/partners/answers.ts reads every answer. An answer that can no longer decide,
// because it is late or because another node changed the payout first, is compared with the stored
// payout.

import {
  CANCELLED,
  type CancelAnswer,
  type DecideAnswer,
  type QueryAnswer,
  type Rail,
  type SubmitAnswer,
} from "../../partners/types.ts";
import { readCancel, readDecide, readQuery, readSubmit } from "../../shared/partners/answers.ts";
import {
  ANSWERED_WITHIN_MS,
  askPartner,
  CANCELLED_WITHIN_MS,
  type Question,
} from "../../shared/partners/ask.ts";
import { LONGEST_WINDOW_MS } from "../../shared/partners/load.ts";
import { MAJORITY } from "../../shared/storage/database.ts";
import type { Deps } from "./deps.ts";
import type { Payout } from "./payout.model.ts";
import { changeAfterLateAnswer } from "./rail-answers.ts";

/** How often a payout that other nodes change meanwhile is read again. */
const READ_AGAIN_AT_MOST = 5;

/** The rail that the payout names; undefined if that rail is not configured any more. */
export function findRail({ rails }: Deps, { rail }: Payout): Rail | undefined {
  return rail === undefined ? undefined : rails.named.get(rail);
}

/**
 * The fields that are stored before a rail is asked to pay, so that no other rail is ever asked;
 * undefined while no rail is configured for the payout's method, or its own rail is not any more.
 */
export function submission(deps: Deps, payout: Payout) {
  const isFirst = payout.rail === undefined;
  const rail = isFirst ? deps.rails.forMethod[payout.method] : findRail(deps, payout);
  // Whole seconds, so that the payouts of a batch are written by one statement.
  const submittedAt = Math.ceil(deps.clock.now() / SECOND_MS) * SECOND_MS;
  return rail && { step: "submitting" as const, rail: rail.name, submittedAt };
}

const SECOND_MS = 1_000;

/** How long after its settlement a payout may come back, in milliseconds; always finite. */
export function returnWindow(deps: Deps, payout: Payout): number {
  return findRail(deps, payout)?.returnWindowMs ?? LONGEST_WINDOW_MS;
}

/** Whether a rail may have been asked to pay: then only the rail's answer allows a refund. */
export function mayBeAtRail({ step, rail }: Payout): boolean {
  return step !== "submit" || rail !== undefined;
}

export function submitToRail(deps: Deps, payout: Payout): Promise<SubmitAnswer> {
  const { _id: id, method, amountMinor, currency, optionType, lastFour, reason } = payout;
  const payment = { id, method, amountMinor, currency, optionType, lastFour, reference: reason };
  const instrument = () => deps.services.openInstrument(payout.linkedAccountId);
  return askRail<SubmitAnswer>(deps, payout, {
    ...QUESTION,
    operation: "submit",
    ask: (rail) => rail.submit(payment, instrument),
    read: readSubmit,
  });
}

export function queryRail(deps: Deps, payout: Payout): Promise<QueryAnswer> {
  return askRail<QueryAnswer>(deps, payout, {
    ...QUESTION,
    operation: "query",
    ask: (rail) => rail.query(payout._id),
    read: readQuery,
  });
}

/** The parts that a submit and a query have in common. */
const QUESTION = {
  unknown: { kind: "unknown" as const },
  implied: (answer: QueryAnswer) => answer,
  withinMs: ANSWERED_WITHIN_MS,
};

export function cancelAtRail(deps: Deps, payout: Payout): Promise<CancelAnswer> {
  return askRail<CancelAnswer>(deps, payout, {
    operation: "cancel",
    ask: (rail) => rail.cancel(payout._id),
    read: readCancel,
    unknown: "unknown",
    implied: (answer) => (answer === "cancelled" ? CANCELLED_ANSWER : { kind: "unknown" }),
    withinMs: CANCELLED_WITHIN_MS,
  });
}

/** How a payment has ended at the bank, by an admin's decision. */
export type DecidedEnd = Parameters<NonNullable<Rail["decide"]>>[1];

/** Has the rail store an admin's decision; a rail that stores none answers no. */
export function decideAtRail(deps: Deps, payout: Payout, end: DecidedEnd): Promise<DecideAnswer> {
  return askRail<DecideAnswer>(deps, payout, {
    operation: "decide",
    ask: async (rail) => rail.decide?.(payout._id, end) ?? "no",
    read: readDecide,
    unknown: "unknown",
    implied: (answer) => (answer === "decided" ? decidedAnswer(payout, end) : { kind: "unknown" }),
    withinMs: CANCELLED_WITHIN_MS,
  });
}

/** The answer to a query that a stored decision implies. */
export function decidedAnswer({ amountMinor, currency }: Payout, end: DecidedEnd): QueryAnswer {
  if (end === "rejected") return { kind: end, code: RESOLVED };
  const sum = { amountMinor, currency };
  return end === "settled" ? { kind: end, ...sum } : { kind: end, code: RESOLVED, ...sum };
}

/** Stored instead of a rail's code where an admin has decided. */
export const RESOLVED = "resolved";

/** The answer to a query that the answer `cancelled` implies. */
export const CANCELLED_ANSWER: QueryAnswer = { kind: "rejected", code: CANCELLED };

interface RailQuestion<A> extends Pick<Question<A>, "operation" | "read" | "unknown" | "withinMs"> {
  ask(rail: Rail): Promise<unknown>;
  /** The answer to a query that this answer implies. */
  implied(answer: A): QueryAnswer;
}

/** The answer of the payout's rail; unknown if there is no answer in time, or no such rail. */
async function askRail<A extends { kind: string } | string>(
  deps: Deps,
  payout: Payout,
  { ask, implied, ...question }: RailQuestion<A>,
): Promise<A> {
  const about = { id: payout._id, rail: payout.rail };
  const rail = findRail(deps, payout);
  if (!rail) {
    deps.log.warn("A payout's rail is not configured any more", about);
    return question.unknown;
  }
  return askPartner<A>({
    ...question,
    clock: deps.clock,
    log: deps.log,
    metrics: deps.metrics,
    answerLog: deps.answerLog,
    partner: "rail",
    name: rail.name,
    about,
    ask: () => ask(rail),
    onLate: (late) => recordLateAnswer(deps, payout, implied(late)),
  });
}

/**
 * Compares a rail's answer that can no longer decide with the stored payout. Invariant: an answer
 * that contradicts the stored end sets `needsAttention`, on any node and however late it comes; an
 * `accepted` that may be older than the rail's refusal makes payrail ask the rail again.
 * @param asked the payout as it was stored when the question began
 */
export async function recordLateAnswer(
  deps: Deps,
  asked: Payout,
  answer: QueryAnswer,
): Promise<void> {
  const { _id } = asked;
  try {
    for (let i = 0; i < READ_AGAIN_AT_MOST; i++) {
      const payout = await deps.payouts.findOne({ _id }, MAJORITY);
      const change = payout && changeAfterLateAnswer(payout, asked, answer, deps.clock.now());
      if (!change || (await deps.machine.transition(payout, change))) return;
    }
    throw new Error("The payout changes all the time");
  } catch (error) {
    deps.log.error("A rail's late answer is lost", { id: _id, kind: answer.kind, error });
  }
}
