// Resolving a payout that needs attention: an admin says what became of it where the rail does not, or
// where the rail's words contradict each other. The timeline says which admin decided. Before a payout
// that may be at its rail is refunded, the rail is asked to cancel it, because a submit of ours may
// still be under way.

import { fail } from "../../shared/errors.ts";
import type { Change } from "../../shared/resumable/document.ts";
import { CANCELLED_WORD, cancelAt, heed, mayBeAtRail, returnWindowOf } from "./ask-rail.ts";
import type { Deps } from "./deps.ts";
import type { Payout } from "./payout.model.ts";
import { reversal, settlement } from "./rail-answers.ts";

export interface Resolution {
  outcome: "SUCCESS" | "FAILED";
  /** Who decided it, and why. */
  by: string;
}

const MINUTE_MS = 60_000;
/**
 * How far back the last submit has to lie for an admin's FAILED to count where the rail does not answer
 * the cancel: longer than a message to a bank is on its way, repeats of the rail's own client included.
 */
const NOTHING_UNDER_WAY_AFTER_MS = 10 * MINUTE_MS;
/**
 * How long a claimed payout is not submitted again: long enough that an admin can repeat a request
 * that was refused because of a recent submit.
 */
const HELD_MS = 2 * NOTHING_UNDER_WAY_AFTER_MS;

/**
 * Ends a flagged payout as its rail would have. After that the rail is asked on, so that a word that
 * contradicts the decision is noticed.
 * @returns the payout; after FAILED as soon as the money is back, if that comes soon
 * @throws NOT_RESOLVABLE where it is not flagged, where the rail could not have ended it so, or where
 *   it may still be paid
 */
export async function resolve(
  deps: Deps,
  payout: Payout,
  { outcome, by }: Resolution,
): Promise<Payout> {
  const change = payout.needsAttention ? changeFor(deps, payout, outcome) : null;
  if (!change) return fail("NOT_RESOLVABLE");
  const isRefunded = outcome === "FAILED" && !hasEnded(payout) && mayBeAtRail(payout);
  const safe = isRefunded ? await cancelFirst(deps, payout) : { payout, isCancelled: false };
  const decided = { ...change, set: { ...change.set, decidedBy: by }, isAlone: true };
  const resolved = await deps.machine.transition(safe.payout, decided);
  if (!resolved) {
    if (safe.isCancelled) await heed(deps, payout, CANCELLED_WORD);
    return fail("NOT_RESOLVABLE");
  }
  if (resolved.step === "reverse") return deps.machine.drive(resolved);
  deps.machine.tell(resolved);
  return resolved;
}

/**
 * Makes sure that the rail does not pay the payout that is refunded next. Claims the payout first,
 * so that no new submit of ours begins meanwhile.
 * @throws NOT_RESOLVABLE where the rail says no, or says nothing and a submit may still be under way
 */
async function cancelFirst(
  deps: Deps,
  payout: Payout,
): Promise<{ payout: Payout; isCancelled: boolean }> {
  const claim = { set: {}, next: HELD_MS, isAlone: true };
  const claimed = (await deps.machine.transition(payout, claim)) ?? fail("NOT_RESOLVABLE");
  const answer = await cancelAt(deps, claimed);
  if (answer === "no") {
    await deps.machine.transition(claimed, { set: {}, next: 0 });
    return fail("NOT_RESOLVABLE", "The rail does not cancel the payment: it may be paid");
  }
  const sinceSubmitMs = deps.clock.now() - (claimed.submittedAt ?? 0);
  if (answer === "unknown" && sinceSubmitMs < NOTHING_UNDER_WAY_AFTER_MS) {
    return fail("NOT_RESOLVABLE", "A submit may still be under way: ask again in ten minutes");
  }
  return { payout: claimed, isCancelled: answer === "cancelled" };
}

function hasEnded({ step }: Payout): boolean {
  return step === "watch" || step === "closed";
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
      return mayBeAtRail(payout) ? settlement(payout, returnWindowOf(deps, payout)) : null;
    case "watch":
    case "closed":
      // The stored end holds, and nothing is asked any more; or what was paid came back after all.
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

/** In the place of a rail's code. */
const RESOLVED = "resolved";
