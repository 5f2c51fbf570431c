// What follows from a rail's word: pure. The end is decided once, and stored before anything is done
// about it; a later word that contradicts it changes nothing but asks for a person, with one
// exception: what was settled can be returned.

import type { Status } from "../../shared/contracts/transactions.ts";
import { DUPLICATE, type QueryAnswer } from "../../shared/partners/rail.ts";
import { PAYOUT_METHOD_TABLE } from "../../shared/payout-methods.ts";
import { ASK_AT_LATEST_MS, askedAgain, type Change } from "../../shared/resumable/document.ts";
import { LEASE_MS } from "../../shared/resumable/transitions.ts";
import type { Payout } from "./payout.model.ts";
import { reasonOf } from "./rails/rail.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

/** It will not be paid: the money goes back, and after that others hear of it. */
export function reversal(payout: Payout, railCode: string): Change<Payout> {
  return {
    set: {
      step: "reverse",
      railCode,
      failureReason: reasonOf(railCode, payout.optionType),
      decidedBy: undefined,
      ...KNOWN,
    },
    next: "now",
  };
}

const KNOWN = { unknownSince: undefined, needsAttention: false };

/** A rail has the id already. It may be our own payment, so this is never a decision. */
export function isDuplicate(word: QueryAnswer): boolean {
  return word.kind === "rejected" && word.code === DUPLICATE;
}

/**
 * The change that a word causes before the end: at the steps submitting and settle.
 * @param returnWindowMs how long after its settlement the payment can come back
 * @param now epoch ms
 */
export function onTheWay(
  payout: Payout,
  word: QueryAnswer,
  returnWindowMs: number,
  now: number,
): Change<Payout> {
  switch (word.kind) {
    case "accepted":
      return {
        set: { step: "settle", ...KNOWN },
        enter:
          payout.status === "PENDING" && PAYOUT_METHOD_TABLE[payout.method].isAcceptedFirst
            ? [PROCESSING]
            : [],
        next: word.askAfterMs ?? growing(payout, now, SECOND_MS, ASK_AT_LATEST_MS),
      };
    case "settled":
      return settlement(payout, returnWindowMs, word.askAfterMs);
    case "rejected":
    case "returned":
      return reversal(payout, word.code);
    case "notFound":
    case "unknown":
      return askedAgain(payout, now);
  }
}

const PROCESSING: Status = "PROCESSING_PAY_OUT";

/** It is paid. ACH and RTP come by PROCESSING_PAY_OUT, even where the rail was quicker. */
export function settlement(
  payout: Payout,
  returnWindowMs: number,
  askAfterMs?: number,
): Change<Payout> {
  const passes = payout.status === "PENDING" && PAYOUT_METHOD_TABLE[payout.method].isAcceptedFirst;
  const canReturn = returnWindowMs > 0;
  return {
    set: { step: canReturn ? "watch" : "closed", ...KNOWN },
    enter: passes ? [PROCESSING, "SUCCESS"] : ["SUCCESS"],
    next: canReturn ? (askAfterMs ?? Math.min(WATCH_FIRST_MS, returnWindowMs)) : "never",
  };
}

const WATCH_FIRST_MS = 60 * SECOND_MS;
const WATCH_AT_LATEST_MS = 12 * HOUR_MS;

/** What a word comes to after the end: at the steps watch and closed. */
export function afterTheEnd(
  payout: Payout,
  word: QueryAnswer,
  returnWindowMs: number,
  now: number,
): Change<Payout> {
  if (payout.status === "SUCCESS" && word.kind === "returned") return reversal(payout, word.code);
  const needsAttention = payout.needsAttention || contradicts(payout.status, word);
  const windowEnd = (payout.states.at(-1)?.at ?? now) + returnWindowMs;
  // The last question needs an answer, except where it never comes: a person decided it then.
  const isOver = now >= windowEnd && (word.kind !== "unknown" || payout.decidedBy !== undefined);
  if (payout.step === "closed" || isOver) {
    return { set: { step: "closed", needsAttention }, next: "never" };
  }
  const again =
    ("askAfterMs" in word ? word.askAfterMs : undefined) ??
    growing(payout, now, WATCH_FIRST_MS, WATCH_AT_LATEST_MS);
  const untilEnd = windowEnd - now;
  return { set: { needsAttention }, next: untilEnd > 0 ? Math.min(again, untilEnd) : again };
}

/**
 * The change that a word causes when it can no longer decide, because it was late or another node
 * was quicker.
 * @param now epoch ms
 * @returns null where nothing changes
 */
export function afterLateWord(
  payout: Payout,
  word: QueryAnswer,
  now: number,
): Change<Payout> | null {
  if (isDuplicate(word)) return null;
  const { step, status, states, needsAttention, nextAttemptAt } = payout;
  const end = step === "reverse" ? "FAILED" : status;
  // A payment that came back was settled before, and a late word may speak of that time.
  const cameBack = end === "FAILED" && states.some((entered) => entered.status === "SUCCESS");
  if (contradicts(end, word) && !cameBack) {
    const next = nextAttemptAt === undefined ? "never" : Math.max(0, nextAttemptAt - now);
    return needsAttention ? null : { set: { needsAttention: true }, next };
  }
  const isOpen = end !== "FAILED" && end !== "SUCCESS";
  const isNews = isOpen ? isWord(word) : end === "SUCCESS" && word.kind === "returned";
  // Within a lease it is looked at anyway, and its driver must not lose its turn for this.
  const isDueSoon = nextAttemptAt !== undefined && nextAttemptAt <= now + LEASE_MS;
  return isNews && !isDueSoon ? { set: {}, next: 0 } : null;
}

function isWord({ kind }: QueryAnswer): boolean {
  return kind !== "unknown" && kind !== "notFound";
}

function contradicts(end: Status, { kind }: QueryAnswer): boolean {
  if (end === "SUCCESS") return kind === "rejected";
  return end === "FAILED" && (kind === "settled" || kind === "accepted");
}

/** Intervals that double: as long again as the state has lasted. */
function growing({ states }: Payout, now: number, firstMs: number, mostMs: number): number {
  const lastedMs = now - (states.at(-1)?.at ?? now);
  return Math.min(Math.max(lastedMs, firstMs), mostMs);
}
