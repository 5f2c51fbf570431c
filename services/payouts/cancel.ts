// Cancels a payout while it is PENDING. The rail decides, and only its answer `cancelled` counts:
// the rail will never pay the id, even if a submit of it arrives later. A payout without a rail,
// because none is configured for its method, is cancelled by one compare-and-set, and the next
// write of its driver fails.

import { CANCELLED } from "../../partners/types.ts";
import { fail } from "../../shared/errors.ts";
import { CANCELLED_ANSWER, cancelAtRail, mayBeAtRail, recordLateAnswer } from "./ask-rail.ts";
import type { Deps } from "./deps.ts";
import type { Payout } from "./payout.model.ts";
import { reversal } from "./rail-answers.ts";

const TRIES_AT_MOST = 5;
const TRY_AGAIN_AFTER_MS = 50;

/**
 * Cancels a payout, and answers once the money is back. A repeated cancel has the same answer.
 * @param find reads the payout, or fails if the caller may not see it
 * @throws NOT_CANCELLABLE; UNAVAILABLE if the payout is cancelled and the money is not back yet
 */
export async function cancel(deps: Deps, find: () => Promise<Payout>): Promise<Payout> {
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    const payout = await find();
    const isCancelled = payout.railCode === CANCELLED;
    if (payout.status === "FAILED" && isCancelled) return payout;
    if (payout.status !== "PENDING") return fail("NOT_CANCELLABLE");
    if (payout.step === "reverse" && !isCancelled) return fail("NOT_CANCELLABLE");
    const isOurs = payout.step !== "reverse";
    const decided = isOurs ? await decide(deps, payout) : payout;
    // If another node changed the payout first, or drives it too, the stored payout counts.
    if (decided) await deps.machine.drive(decided, { isFresh: isOurs });
    if (!decided || !isOurs) await deps.clock.sleep(TRY_AGAIN_AFTER_MS);
  }
  return fail("UNAVAILABLE");
}

/** Stores the cancel; null if another node changed the payout first. */
async function decide(deps: Deps, payout: Payout): Promise<Payout | null> {
  const isAsked = mayBeAtRail(payout);
  if (isAsked && (await cancelAtRail(deps, payout)) !== "cancelled") return fail("NOT_CANCELLABLE");
  const decided = await deps.machine.transition(payout, reversal(payout, CANCELLED));
  if (!decided && isAsked) await recordLateAnswer(deps, payout, CANCELLED_ANSWER);
  return decided;
}
