// Asking a payout's rail. Only the rail that the payout names is asked. Every question has a time bound,
// and every answer is read by shared/partners/answers.ts. A word that can no longer decide, because
// it is late or because another node changed the payout first, is compared with the stored payout.

import { MAJORITY } from "../../shared/database.ts";
import { type Reading, readCancel, readQuery, readSubmit } from "../../shared/partners/answers.ts";
import { askPartner } from "../../shared/partners/ask.ts";
import { LONGEST_WINDOW_MS } from "../../shared/partners/load.ts";
import {
  CANCELLED,
  type CancelAnswer,
  type QueryAnswer,
  type Rail,
  type SubmitAnswer,
} from "../../shared/partners/rail.ts";
import type { Deps } from "./deps.ts";
import type { Payout } from "./payout.model.ts";
import { afterLateWord } from "./rail-answers.ts";

/** How long a rail may take for an answer; after that it is unknown. Twice is less than the lease. */
const ANSWERED_WITHIN_MS = 4_000;
/** The same for a cancel, because a caller waits for it. */
const CANCELLED_WITHIN_MS = 3_000;
/** How often a payout that others change meanwhile is read again. */
const READ_AGAIN_AT_MOST = 5;

/** The rail that the payout names; none where it is not configured any more. */
export function railOf({ rails }: Deps, { rail }: Payout): Rail | undefined {
  return rail === undefined ? undefined : rails.named.get(rail);
}

/** Until when after its settlement a payout may come back, in milliseconds; always finite. */
export function returnWindowOf(deps: Deps, payout: Payout): number {
  return railOf(deps, payout)?.returnWindowMs ?? LONGEST_WINDOW_MS;
}

/** Whether a rail may have been asked to pay: then nothing is refunded without the rail's word. */
export function mayBeAtRail({ step, rail }: Payout): boolean {
  return step !== "submit" || rail !== undefined;
}

export function submitTo(deps: Deps, payout: Payout): Promise<SubmitAnswer> {
  const { _id: id, method, amountMinor, currency, optionType, lastFour, reason } = payout;
  const payment = { id, method, amountMinor, currency, optionType, lastFour, reference: reason };
  const instrument = () => deps.services.openInstrument(payout.linkedAccountId);
  return answered<SubmitAnswer>(deps, payout, {
    ask: (rail) => rail.submit(payment, instrument),
    read: readSubmit,
    unknown: { kind: "unknown" },
    wordOf: (answer) => answer,
    withinMs: ANSWERED_WITHIN_MS,
  });
}

export function query(deps: Deps, payout: Payout): Promise<QueryAnswer> {
  return answered<QueryAnswer>(deps, payout, {
    ask: (rail) => rail.query(payout._id),
    read: readQuery,
    unknown: { kind: "unknown" },
    wordOf: (answer) => answer,
    withinMs: ANSWERED_WITHIN_MS,
  });
}

export function cancelAt(deps: Deps, payout: Payout): Promise<CancelAnswer> {
  return answered<CancelAnswer>(deps, payout, {
    ask: (rail) => rail.cancel(payout._id),
    read: readCancel,
    unknown: "unknown",
    wordOf: (answer) => (answer === "cancelled" ? CANCELLED_WORD : { kind: "unknown" }),
    withinMs: CANCELLED_WITHIN_MS,
  });
}

/** The word about the payment that the answer `cancelled` implies. */
export const CANCELLED_WORD: QueryAnswer = { kind: "rejected", code: CANCELLED };

interface Question<A> {
  ask(rail: Rail): Promise<unknown>;
  read(value: unknown): Reading<A>;
  unknown: A;
  wordOf(answer: A): QueryAnswer;
  withinMs: number;
}

/** The answer of the payout's rail; unknown if there is no answer in time, or no such rail. */
async function answered<A>(
  deps: Deps,
  payout: Payout,
  { ask, read, unknown, wordOf, withinMs }: Question<A>,
): Promise<A> {
  const about = { id: payout._id, rail: payout.rail };
  const rail = railOf(deps, payout);
  if (!rail) {
    deps.log.warn("A payout's rail is not configured any more", about);
    return unknown;
  }
  return askPartner<A>({
    clock: deps.clock,
    log: deps.log,
    partner: "A rail",
    about,
    withinMs,
    ask: () => ask(rail),
    read,
    unknown,
    onLate: (late) => heed(deps, payout, wordOf(late)),
  });
}

/**
 * Compares a rail's word that can no longer decide with the stored payout. Invariant: a word that
 * contradicts the stored end sets `needsAttention`, whichever node heard it and however late.
 */
export async function heed(deps: Deps, { _id }: Payout, word: QueryAnswer): Promise<void> {
  try {
    for (let i = 0; i < READ_AGAIN_AT_MOST; i++) {
      const payout = await deps.payouts.findOne({ _id }, MAJORITY);
      const change = payout && afterLateWord(payout, word, deps.clock.now());
      if (!change || (await deps.machine.transition(payout, change))) return;
    }
    throw new Error("The payout changes all the time");
  } catch (error) {
    deps.log.error("A rail's late word is lost", { id: _id, kind: word.kind, error });
  }
}
