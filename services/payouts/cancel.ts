// Cancelling a payout, only while it is PENDING. Before its rail is stored it is one compare-and-set, and
// the driver's next write fails; from then on the rail decides, and only its definite yes counts:
// `cancelled` means that the id will never pay, even if a submit of it arrives later.

import { fail } from "../../shared/errors.ts";
import { CANCELLED } from "../../shared/partners/rail.ts";
import { CANCELLED_WORD, cancelAt, heed, mayBeAtRail } from "./ask-rail.ts";
import type { Deps } from "./deps.ts";
import type { Payout } from "./payout.model.ts";
import { reversal } from "./rail-answers.ts";

const TRIES_AT_MOST = 5;
const TRY_AGAIN_AFTER_MS = 50;

/**
 * Cancels a payout; answered once the money is back. Asked again it answers the same.
 * @param find reads the payout, or fails where the caller may not see it
 * @throws NOT_CANCELLABLE; UNAVAILABLE where it is cancelled and the money not back yet
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
    // Where somebody else changed it first, or drives it too, what is stored counts.
    if (decided) await deps.machine.drive(decided, isOurs);
    if (!decided || !isOurs) await deps.clock.sleep(TRY_AGAIN_AFTER_MS);
  }
  return fail("UNAVAILABLE");
}

/** Stores that it is cancelled; null where another node changed the payout first. */
async function decide(deps: Deps, payout: Payout): Promise<Payout | null> {
  const isAsked = mayBeAtRail(payout);
  if (isAsked && (await cancelAt(deps, payout)) !== "cancelled") return fail("NOT_CANCELLABLE");
  const decided = await deps.machine.transition(payout, reversal(payout, CANCELLED));
  if (!decided && isAsked) await heed(deps, payout, CANCELLED_WORD);
  return decided;
}
