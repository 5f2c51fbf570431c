// The lifecycle of a payout: one switch over its step. A step calls other systems and returns the
// change that follows; the driver (shared/resumable) writes the change.
//
//   claim ──────► debit          the token is claimed and the wallet fixed, the rail's name and the
//                                moment are stored                                (withdraw.ts)
//   claim ──────► declined       the request is over: the token is released
//   debit ──────► as submitting  the ledger has the debit: accepted, PENDING; no write says so; as
//                                submit if it has no rail yet, because it is screened first
//   debit ──────► submitting     a payout of the previous release, which is not whole, is accepted;
//                                submit if no rail is configured for its method
//   debit ──────► declined       the ledger declined; once the request is over, by a void
//   submit ─────► submitting     the rail's name and the moment are stored before the rail is asked
//   submit ─────► submit         the screening, a review or a stop holds it
//   submitting ─► submit         a stop holds it, and no rail was asked; if one was asked, it stays
//                                at submitting                               (stopped.ts)
//   submit ─────► reverse        cancelled, resolved by an admin (cancel.ts, resolve.ts), or denied by
//                                the screening or a person (screening.ts, review.ts)
//   submitting ─► submit         the rail has never heard of it: it is submitted again
//   submitting ─► settle         accepted: PROCESSING_PAY_OUT, if the method isAcceptedFirst
//   submitting, settle ─► watch  settled: SUCCESS; closed if nothing can come back
//   submitting, settle ─► reverse   rejected, returned, cancelled, or resolved by an admin
//   reverse ────► watch          the money is back: FAILED; closed if no rail had it, or if nothing
//                                can come back and the failure is not in doubt
//   watch ──────► reverse        returned late: FAILED after SUCCESS
//   watch ──────► closed         the rail's return window has passed
//   closed ─────► watch          the rail's `accepted` came after its refusal

import type { QueryAnswer } from "../../partners/types.ts";
import { ANSWERED_WITHIN_MS } from "../../shared/partners/ask.ts";
import { LEASE_MS } from "../../shared/resumable/change.ts";
import { askedAgain, type Change, nextStepAt } from "../../shared/resumable/document.ts";
import { declineReason } from "../../shared/rpc/posts.ts";
import { afterDebit, isUndecided } from "./accepted.ts";
import { queryRail, recordLateAnswer, returnWindow, submission, submitToRail } from "./ask-rail.ts";
import { acceptance, DECIDED, LEDGER_REASONS, postPayout, refusal, releaseToken } from "./debit.ts";
import type { Deps } from "./deps.ts";
import type { Payout, PayoutDeclineReason } from "./payout.model.ts";
import { changeAfterAnswer, failure, isDuplicate } from "./rail-answers.ts";
import { screenPayout } from "./screening.ts";
import { held, isStopped, NEVER_SUBMITTED } from "./stopped.ts";

/**
 * Runs the step of a payout; returns the change that follows.
 * @param isFresh this driver entered the step
 */
export async function changeFor(
  deps: Deps,
  payout: Payout,
  isFresh: boolean,
): Promise<Change<Payout>> {
  switch (payout.step) {
    case "claim":
      // The request is over. Nothing was posted, and nothing will be, because the sweeper's claim
      // has changed the version. The release refuses a claim of the token that is still on its way.
      return giveUp(deps, payout, "void");
    case "debit":
      return voidDebit(deps, payout);
    case "submit":
      return beginSubmission(deps, payout);
    case "submitting":
      return isFresh ? submit(deps, payout) : resumeSubmission(deps, payout);
    case "reverse":
      return reverse(deps, payout, isFresh);
    case "settle":
    case "watch":
    case "closed":
      return afterAnswer(deps, payout, await queryRail(deps, payout));
    case "declined":
      throw new Error(`Payout ${payout._id} is declined: it has no next step`);
  }
}

/**
 * The request is over: the ledger answers with the debit that it has, or never makes one. A whole
 * payout may have been submitted by the driver of its request, so the rail's books decide.
 */
async function voidDebit(deps: Deps, payout: Payout): Promise<Change<Payout>> {
  const posted = await postPayout(deps, payout, "payout", { void: true, retry: true });
  await deps.reached("debit-answered", payout);
  if (posted.outcome === "committed") {
    if (!isUndecided(payout)) return acceptance(deps, payout);
    const accepted = { ...afterDebit(payout), ...DECIDED };
    const { set, ...change } = await resumeSubmission(deps, accepted);
    return { ...change, set: { step: accepted.step, ...DECIDED, ...set } };
  }
  const declined = declineReason(posted, LEDGER_REASONS);
  return declined ? giveUp(deps, payout, declined) : askedAgain(payout, deps.clock.now());
}

/** Declines a payout without a debit, after the release of its token. */
async function giveUp(
  deps: Deps,
  payout: Payout,
  declined: PayoutDeclineReason,
): Promise<Change<Payout>> {
  try {
    await releaseToken(deps, payout);
    await deps.limits.giveBack(payout);
    return refusal(declined);
  } catch {
    return askedAgain(payout, deps.clock.now());
  }
}

/** Without a rail the payout waits for the configuration. */
async function beginSubmission(deps: Deps, payout: Payout): Promise<Change<Payout>> {
  // At the step `submit` it names a rail only if that rail has never heard of it.
  const isAgain = payout.isResubmitted || (payout.step === "submit" && payout.rail !== undefined);
  if (!isAgain && isStopped(deps, payout)) return heldUnsubmitted(deps, payout);
  const set = submission(deps, payout);
  if (!set) return askedAgain(payout, deps.clock.now());
  if (isAgain) {
    const again = { unknownSince: payout.unknownSince, isResubmitted: true } as const;
    return { set: { ...set, heldSince: undefined, ...again }, next: "now" };
  }
  const screened = await screenPayout(deps, payout);
  if ("change" in screened) return screened.change;
  await deps.reached("screened", payout);
  return { set: { ...set, heldSince: undefined, ...screened.passes }, next: "now" };
}

/** A stop holds a payout that no rail was ever asked about. */
function heldUnsubmitted({ clock }: Deps, payout: Payout): Change<Payout> {
  const { set, ...change } = held(payout, clock.now());
  return { ...change, set: { ...set, ...NEVER_SUBMITTED } };
}

async function submit(deps: Deps, payout: Payout): Promise<Change<Payout>> {
  await deps.reached("submitting-stored", payout);
  // A submit ends within the lease, because afterwards another driver asks the rail and submits, and
  // an admin may decide by the stored moment. The write fails if either has happened.
  const leasedUntil = Math.min((payout.submittedAt ?? 0) + LEASE_MS, nextStepAt(payout) ?? 0);
  if (leasedUntil - deps.clock.now() < ANSWERED_WITHIN_MS) return beginSubmission(deps, payout);
  if (isStopped(deps, payout)) {
    // No other driver has asked the rail, because each asks only after a write of its own.
    if (!payout.isResubmitted) return heldUnsubmitted(deps, payout);
    return held(payout, deps.clock.now());
  }
  const answer = await submitToRail(deps, payout);
  await deps.reached("rail-answered", payout);
  // A duplicate may be our own payment, of a submit with a lost answer: the rail's books decide.
  return afterAnswer(deps, payout, isDuplicate(answer) ? await queryRail(deps, payout) : answer);
}

/** An earlier driver may have submitted the payout: the rail's books decide. */
async function resumeSubmission(deps: Deps, payout: Payout): Promise<Change<Payout>> {
  // Without a rail none was asked; the previous release enters `submitting` all the same.
  if (payout.rail === undefined) return { set: { step: "submit" }, next: "now" };
  const answer = await queryRail(deps, payout);
  if (answer.kind !== "notFound") return afterAnswer(deps, payout, answer);
  if (isStopped(deps, payout)) return held(payout, deps.clock.now());
  return { set: { step: "submit", unknownSince: payout.unknownSince }, next: "now" };
}

/** The change after a rail's answer; if another node is quicker, the answer is recorded as late. */
function afterAnswer(deps: Deps, payout: Payout, answer: QueryAnswer): Change<Payout> {
  const change = changeAfterAnswer(payout, answer, returnWindow(deps, payout), deps.clock.now());
  return { ...change, onConflict: () => recordLateAnswer(deps, payout, answer) };
}

/** Posts the reversal before FAILED is entered, so that a reader of FAILED finds the money back. */
async function reverse(deps: Deps, payout: Payout, isFresh: boolean): Promise<Change<Payout>> {
  const posted = await postPayout(deps, payout, "payout-reversal", isFresh ? {} : { retry: true });
  if (posted.outcome !== "committed") {
    deps.log.error("A reversal is posted again", { id: payout._id, reason: posted.reason });
    return askedAgain(payout, deps.clock.now());
  }
  await deps.reached("reversal-posted", payout);
  const wasPaid = payout.states.some(({ status }) => status === "SUCCESS");
  if (!wasPaid) await deps.limits.giveBack(payout);
  return failure(payout, returnWindow(deps, payout));
}

/** Reaches the point that lies behind a transition. */
export async function reachPoint(deps: Deps, payout: Payout): Promise<void> {
  const { step, status } = payout;
  if (step === "declined" || status === "FAILED") deps.limits.isStored(payout);
  if (step === "submit" && payout.rail) await deps.reached("resubmission-stored", payout);
  else if (step === "reverse") await deps.reached("end-stored", payout);
  else if (status === "FAILED") await deps.reached("failed-stored", payout);
  else if (status === "SUCCESS" && step === "watch") await deps.reached("succeeded-stored", payout);
}
