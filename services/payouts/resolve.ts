// Resolves a payout that needs attention: an admin decides the outcome if the rail does not answer,
// or if the rail's answers contradict each other. The timeline names the admin. Before a payout
// that may be at its rail is refunded, the rail is asked to cancel it, because a submit may still
// be under way.

import { fail } from "../../shared/errors.ts";
import type { Change } from "../../shared/resumable/document.ts";
import {
  CANCELLED_ANSWER,
  cancelAtRail,
  mayBeAtRail,
  recordLateAnswer,
  returnWindow,
} from "./ask-rail.ts";
import type { Deps } from "./deps.ts";
import type { Payout } from "./payout.model.ts";
import { hasEnded, reversal, settlement } from "./rail-answers.ts";

export interface Resolution {
  outcome: "SUCCESS" | "FAILED";
  /** The admin, and the admin's note. */
  by: string;
  /** Whether an earlier run of the request may have resolved it already. */
  isRepeat?: boolean;
}

const MINUTE_MS = 60_000;
/**
 * If the rail does not answer the cancel, an admin's FAILED counts only so long after the last
 * submit: longer than a message to a bank takes, repeats of the rail's own client included.
 */
const NOTHING_UNDER_WAY_AFTER_MS = 10 * MINUTE_MS;
/**
 * How long a claimed payout is not submitted again: long enough for an admin to repeat a request
 * that was refused because of a recent submit.
 */
const HELD_MS = 2 * NOTHING_UNDER_WAY_AFTER_MS;

/**
 * Ends a flagged payout as its rail would have ended it. The rail is still asked afterwards, so
 * that an answer that contradicts the decision is noticed.
 * @returns the payout; after FAILED with the money back, if that comes soon
 * @throws NOT_RESOLVABLE if it is not flagged, if the rail could not have ended it so, or if it may
 *   still be paid
 */
export async function resolve(
  deps: Deps,
  payout: Payout,
  { outcome, by, isRepeat }: Resolution,
): Promise<Payout> {
  if (isRepeat && payout.decidedBy === by && !payout.needsAttention) return payout;
  const change = payout.needsAttention ? changeFor(deps, payout, outcome) : null;
  if (!change) return fail("NOT_RESOLVABLE");
  const isRefunded = outcome === "FAILED" && !hasEnded(payout) && mayBeAtRail(payout);
  const safe = isRefunded ? await cancelFirst(deps, payout) : { payout, isCancelled: false };
  const decided = { ...change, set: { ...change.set, decidedBy: by }, isAlone: true };
  const resolved = await deps.machine.transition(safe.payout, decided);
  if (!resolved) {
    if (safe.isCancelled) await recordLateAnswer(deps, payout, CANCELLED_ANSWER);
    return fail("NOT_RESOLVABLE");
  }
  if (resolved.step === "reverse") return deps.machine.drive(resolved);
  deps.machine.relay(resolved);
  return resolved;
}

/**
 * Makes sure that the rail does not pay a payout that is refunded next. Claims the payout first, so
 * that no new submit begins meanwhile.
 * @throws NOT_RESOLVABLE if the rail answers no, or if it does not answer and a submit may be under
 *   way
 */
async function cancelFirst(
  deps: Deps,
  payout: Payout,
): Promise<{ payout: Payout; isCancelled: boolean }> {
  const claim = { set: {}, next: HELD_MS, isAlone: true };
  const claimed = (await deps.machine.transition(payout, claim)) ?? fail("NOT_RESOLVABLE");
  const answer = await cancelAtRail(deps, claimed);
  if (answer === "no") {
    await deps.machine.transition(claimed, { set: {}, next: 0 });
    return fail("NOT_RESOLVABLE", "The rail does not cancel the payment: it may be paid");
  }
  const sinceSubmitMs = deps.clock.now() - (claimed.submittedAt ?? 0);
  if (answer === "unknown" && sinceSubmitMs < NOTHING_UNDER_WAY_AFTER_MS) {
    const message = "A submit may still be under way: ask again in ten minutes";
    return fail("NOT_RESOLVABLE", message, { retryAfterS: NOTHING_UNDER_WAY_AFTER_MS / 1_000 });
  }
  return { payout: claimed, isCancelled: answer === "cancelled" };
}

function changeFor(
  deps: Deps,
  payout: Payout,
  outcome: Resolution["outcome"],
): Change<Payout> | null {
  switch (payout.step) {
    case "submit":
    case "submitting":
    case "settle":
      if (outcome === "FAILED") return reversal(payout, RESOLVED);
      return mayBeAtRail(payout) ? settlement(payout, returnWindow(deps, payout)) : null;
    case "watch":
    case "closed":
      // The admin confirms the stored end, and the rail is asked no more; or a paid payout came
      // back.
      if (outcome === payout.status) {
        return { set: { step: "closed", needsAttention: false }, next: "never" };
      }
      return outcome === "FAILED" ? reversal(payout, RESOLVED) : null;
    case "claim":
    case "debit":
    case "reverse":
    case "declined":
      return null;
  }
}

/** Stored instead of a rail's code. */
const RESOLVED = "resolved";
