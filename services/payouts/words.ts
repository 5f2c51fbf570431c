// What follows from a rail's word: pure. The end is decided once, and stored before anything is done
// about it; a later word that contradicts it changes nothing but asks for a person, with one
// exception: what was settled can be returned.

import type { Status } from "../../shared/contracts/transactions.ts";
import { ASK_AT_LATEST_MS, askedAgain, type Change } from "../../shared/resumable/document.ts";
import type { Payout } from "./payout.model.ts";
import { isAcceptedFirst, type Rail, reasonOf, type Word } from "./rails/rail.ts";

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

/** What a word comes to before the end: at the steps submitting and settle. */
export function onTheWay(payout: Payout, word: Word, rail: Rail, now: number): Change<Payout> {
  switch (word.kind) {
    case "accepted":
      return {
        set: { step: "settle", ...KNOWN },
        enter: payout.status === "PENDING" && isAcceptedFirst(payout.method) ? [PROCESSING] : [],
        next: word.askAfterMs ?? growing(payout, now, SECOND_MS, ASK_AT_LATEST_MS),
      };
    case "settled":
      return settlement(payout, rail, word.askAfterMs);
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
export function settlement(payout: Payout, rail: Rail, askAfterMs?: number): Change<Payout> {
  const passes = payout.status === "PENDING" && isAcceptedFirst(payout.method);
  const canReturn = rail.returnWindowMs > 0;
  return {
    set: { step: canReturn ? "watch" : "closed", ...KNOWN },
    enter: passes ? [PROCESSING, "SUCCESS"] : ["SUCCESS"],
    next: canReturn ? (askAfterMs ?? Math.min(WATCH_FIRST_MS, rail.returnWindowMs)) : "never",
  };
}

const WATCH_FIRST_MS = 60 * SECOND_MS;
const WATCH_AT_LATEST_MS = 12 * HOUR_MS;

/** What a word comes to after the end: at the steps watch and closed. */
export function afterTheEnd(payout: Payout, word: Word, rail: Rail, now: number): Change<Payout> {
  if (payout.status === "SUCCESS" && word.kind === "returned") return reversal(payout, word.code);
  const needsAttention = payout.needsAttention || contradicts(payout.status, word);
  const windowEnd = (payout.states.at(-1)?.at ?? now) + rail.returnWindowMs;
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

function contradicts(status: Status, { kind }: Word): boolean {
  if (status === "SUCCESS") return kind === "rejected";
  return kind === "settled" || kind === "accepted";
}

/** Intervals that double: as long again as the state has lasted. */
function growing({ states }: Payout, now: number, firstMs: number, mostMs: number): number {
  const lastedMs = now - (states.at(-1)?.at ?? now);
  return Math.min(Math.max(lastedMs, firstMs), mostMs);
}
