// The lifecycle of a payout: one switch over its step. A step does what has to be done outside and
// says what changes because of it; the machine (shared/resumable) writes the change.
//
//   claim ──────► debit          the token is claimed and the wallet fixed        (withdraw.ts)
//   claim ──────► declined       the request is over: the token is given back
//   debit ──────► submit         the ledger has the debit: accepted, PENDING
//   debit ──────► declined       the ledger declined; once the request is over, by a void
//   submit ─────► submitting     stored before the rail is asked
//   submit ─────► reverse        cancelled                                        (cancel.ts)
//   submitting ─► settle         accepted; ACH and RTP enter PROCESSING_PAY_OUT
//   submitting, settle ─► watch  settled: SUCCESS; closed where nothing can come back
//   submitting, settle ─► reverse   rejected, returned, cancelled, or resolved by an admin
//   reverse ────► closed         the money is back: FAILED; watch where an admin decided it
//   watch ──────► reverse        returned late: FAILED after SUCCESS
//   watch ──────► closed         the rail's return window has passed

import { LATE } from "../../shared/clock.ts";
import { askedAgain, type Change } from "../../shared/resumable/document.ts";
import { acceptance, declineOf, postFor, refusal, releaseToken } from "./debit.ts";
import type { Deps } from "./deps.ts";
import type { DeclineReason, Payout } from "./payout.model.ts";
import { DUPLICATE, type Rail, type Word } from "./rails/rail.ts";
import { afterTheEnd, onTheWay } from "./words.ts";

/** How long a rail may take for an answer; after that it is unknown. Twice is less than the lease. */
const RAIL_ANSWERS_WITHIN_MS = 4_000;

/** Does what the step asks for; what changes because of it. */
export async function changeFor(
  deps: Deps,
  payout: Payout,
  fresh: boolean,
): Promise<Change<Payout>> {
  switch (payout.step) {
    case "claim":
      // The request is over, nothing was posted, and nothing will be: whoever comes here has changed
      // the version. The release shuts out a claim of the token that is still on its way.
      return giveUp(deps, payout, "void");
    case "debit":
      return voidDebit(deps, payout);
    case "submit":
      return { set: { step: "submitting" }, next: "now" };
    case "submitting":
      return fresh ? submit(deps, payout, fresh) : resumeSubmission(deps, payout);
    case "settle":
      return onTheWay(payout, await query(deps, payout), railOf(deps, payout), deps.clock.now());
    case "reverse":
      return reverse(deps, payout, fresh);
    case "watch":
    case "closed":
      return afterTheEnd(payout, await query(deps, payout), railOf(deps, payout), deps.clock.now());
    case "declined":
      throw new Error(`Payout ${payout._id} is declined: nothing is to be done`);
  }
}

/** The request is over: the ledger says what it has, or that there will never be a debit. */
async function voidDebit(deps: Deps, payout: Payout): Promise<Change<Payout>> {
  const posted = await postFor(deps, payout, "payout", { void: true, retry: true });
  await deps.at("debit-answered", payout);
  if (posted.outcome === "committed") return acceptance();
  const declined = declineOf(posted);
  return declined ? giveUp(deps, payout, declined) : askedAgain(payout, deps.clock.now());
}

/** Declines a payout of which nothing was or will be debited, its token given back. */
async function giveUp(
  deps: Deps,
  payout: Payout,
  declined: DeclineReason,
): Promise<Change<Payout>> {
  try {
    await releaseToken(deps, payout);
    return refusal(declined);
  } catch {
    return askedAgain(payout, deps.clock.now());
  }
}

/** Hands the payout to the rail. */
async function submit(deps: Deps, payout: Payout, fresh: boolean): Promise<Change<Payout>> {
  await deps.at("submitting-stored", payout);
  const rail = railOf(deps, payout);
  const { _id: id, method, amountMinor, currency, optionType, lastFour, reason } = payout;
  const payment = { id, method, amountMinor, currency, optionType, lastFour, reference: reason };
  const instrument = () => deps.services.openInstrument(payout.linkedAccountId);
  const answer = await answered(deps, payout, () => rail.submit(payment, instrument));
  await deps.at("rail-answered", payout);
  const word: Word = answer ?? UNKNOWN;
  // The duplicate may be an earlier submit of our own whose answer nobody saw: the rail is asked.
  const isOwn = !fresh && word.kind === "rejected" && word.code === DUPLICATE;
  return onTheWay(payout, isOwn ? UNKNOWN : word, rail, deps.clock.now());
}

/** It was perhaps submitted: the rail knows. */
async function resumeSubmission(deps: Deps, payout: Payout): Promise<Change<Payout>> {
  const word = await query(deps, payout);
  if (word.kind === "notFound") return submit(deps, payout, false);
  return onTheWay(payout, word, railOf(deps, payout), deps.clock.now());
}

async function query(deps: Deps, payout: Payout): Promise<Word> {
  const word = await answered(deps, payout, () => railOf(deps, payout).query(payout._id));
  return word ?? UNKNOWN;
}

const UNKNOWN: Word = { kind: "unknown" };

/** What a rail answers; null where it fails or takes too long: nobody knows. */
export async function answered<T>(
  deps: Deps,
  { _id: id, method }: Payout,
  ask: () => Promise<T>,
  withinMs = RAIL_ANSWERS_WITHIN_MS,
): Promise<T | null> {
  try {
    const answer = await deps.clock.within(ask(), withinMs);
    if (answer !== LATE) return answer;
    deps.log.warn("A rail did not answer in time", { id, method });
  } catch (error) {
    deps.log.warn("A rail failed", { id, method, error });
  }
  return null;
}

/** The payout's rail; one that was there when it was accepted and is not now says nothing. */
export function railOf({ rails }: Deps, { method }: Payout): Rail {
  return rails[method] ?? SILENT;
}

const SILENT: Rail = {
  returnWindowMs: Number.POSITIVE_INFINITY,
  submit: () => Promise.resolve({ kind: "unknown" }),
  query: () => Promise.resolve({ kind: "unknown" }),
  cancel: () => Promise.resolve("unknown"),
};

/** Posts the reversal, then tells: who hears FAILED finds the money back. */
async function reverse(deps: Deps, payout: Payout, fresh: boolean): Promise<Change<Payout>> {
  const posted = await postFor(deps, payout, "payout-reversal", fresh ? {} : { retry: true });
  if (posted.outcome !== "committed") {
    deps.log.error("A reversal is asked for again", { id: payout._id, reason: posted.reason });
    return askedAgain(payout, deps.clock.now());
  }
  await deps.at("reversal-posted", payout);
  const isWatched = payout.decidedBy !== undefined;
  return {
    set: { step: isWatched ? "watch" : "closed", unknownSince: undefined, needsAttention: false },
    enter: ["FAILED"],
    next: isWatched ? 0 : "never",
  };
}

/** The points that lie behind a transition. */
export async function passPoint(deps: Deps, payout: Payout): Promise<void> {
  const { step, status } = payout;
  if (step === "reverse") await deps.at("end-stored", payout);
  else if (status === "FAILED") await deps.at("failed-stored", payout);
  else if (status === "SUCCESS" && step === "watch") await deps.at("succeeded-stored", payout);
}
