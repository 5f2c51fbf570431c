// The lifecycle of a payout: one switch over its step. A step does what has to be done outside and
// says what changes because of it; the machine (shared/resumable) writes the change.
//
//   claim ──────► debit          the token is claimed and the wallet fixed        (withdraw.ts)
//   claim ──────► declined       the request is over: the token is given back
//   debit ──────► submit         the ledger has the debit: accepted, PENDING
//   debit ──────► declined       the ledger declined; once the request is over, by a void
//   submit ─────► submitting     the rail's name and the moment are stored before the rail is asked
//   submit ─────► reverse        cancelled, or resolved by an admin               (cancel.ts, resolve.ts)
//   submitting ─► submit         the rail has never heard of it: it is submitted again
//   submitting ─► settle         accepted; ACH and RTP enter PROCESSING_PAY_OUT
//   submitting, settle ─► watch  settled: SUCCESS; closed where nothing can come back
//   submitting, settle ─► reverse   rejected, returned, cancelled, or resolved by an admin
//   reverse ────► closed         the money is back: FAILED; watch where an admin decided it
//   watch ──────► reverse        returned late: FAILED after SUCCESS
//   watch ──────► closed         the rail's return window has passed

import type { QueryAnswer } from "../../shared/partners/rail.ts";
import { askedAgain, type Change } from "../../shared/resumable/document.ts";
import { LEASE_MS } from "../../shared/resumable/transitions.ts";
import { heed, query, railOf, returnWindowOf, submitTo } from "./ask-rail.ts";
import { acceptance, declineOf, postFor, refusal, releaseToken } from "./debit.ts";
import type { Deps } from "./deps.ts";
import type { DeclineReason, Payout } from "./payout.model.ts";
import { afterTheEnd, isDuplicate, onTheWay } from "./rail-answers.ts";

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
      return beginSubmission(deps, payout);
    case "submitting":
      return fresh ? submit(deps, payout) : resumeSubmission(deps, payout);
    case "settle":
      return afterWord(deps, payout, await query(deps, payout));
    case "reverse":
      return reverse(deps, payout, fresh);
    case "watch":
    case "closed":
      return afterWord(deps, payout, await query(deps, payout));
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

/**
 * Stores the rail and the moment before the rail is asked, so that no other rail is ever asked. Without
 * a rail of its method, or where its own is not configured any more, the payout waits.
 */
function beginSubmission(deps: Deps, payout: Payout): Change<Payout> {
  const isFirst = payout.rail === undefined;
  const rail = isFirst ? deps.rails.forMethod[payout.method] : railOf(deps, payout);
  const now = deps.clock.now();
  if (!rail) return askedAgain(payout, now);
  return {
    set: {
      step: "submitting",
      rail: rail.name,
      // Whole seconds, so that the payouts of a batch are written by one statement.
      submittedAt: Math.ceil(now / SECOND_MS) * SECOND_MS,
      unknownSince: isFirst ? undefined : payout.unknownSince,
    },
    next: "now",
  };
}

const SECOND_MS = 1_000;

/** Hands the payout to the rail. */
async function submit(deps: Deps, payout: Payout): Promise<Change<Payout>> {
  await deps.at("submitting-stored", payout);
  // A driver that stood still submits no more: others may have decided by when the last submit began.
  const now = deps.clock.now();
  if (now > (payout.submittedAt ?? 0) + LEASE_MS) return askedAgain(payout, now);
  const word = await submitTo(deps, payout);
  await deps.at("rail-answered", payout);
  // The duplicate may be our own payment, of a submit that left no record: the rail's books decide.
  return afterWord(deps, payout, isDuplicate(word) ? await query(deps, payout) : word);
}

/** It was perhaps submitted: the rail knows. */
async function resumeSubmission(deps: Deps, payout: Payout): Promise<Change<Payout>> {
  const word = await query(deps, payout);
  if (word.kind !== "notFound") return afterWord(deps, payout, word);
  return { set: { step: "submit", unknownSince: payout.unknownSince }, next: "now" };
}

/** The change that a rail's word causes; `heed` gets the word if another node is quicker. */
function afterWord(deps: Deps, payout: Payout, word: QueryAnswer): Change<Payout> {
  const hasEnded = payout.step === "watch" || payout.step === "closed";
  const follow = hasEnded ? afterTheEnd : onTheWay;
  const change = follow(payout, word, returnWindowOf(deps, payout), deps.clock.now());
  return { ...change, lost: () => heed(deps, payout, word) };
}

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
    // A contradiction that was heard meanwhile stays flagged.
    set: { step: isWatched ? "watch" : "closed" },
    enter: ["FAILED"],
    next: isWatched ? 0 : "never",
  };
}

/** The points that lie behind a transition. */
export async function passPoint(deps: Deps, payout: Payout): Promise<void> {
  const { step, status } = payout;
  if (step === "submit" && payout.rail) await deps.at("resubmission-stored", payout);
  else if (step === "reverse") await deps.at("end-stored", payout);
  else if (status === "FAILED") await deps.at("failed-stored", payout);
  else if (status === "SUCCESS" && step === "watch") await deps.at("succeeded-stored", payout);
}
