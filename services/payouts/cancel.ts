// Cancelling a payout (decisions, Payout states). Only while it is PENDING. Before `submitting` it is
// one compare-and-set, and the driver's next write fails; from then on the rail decides, and only its
// definite yes counts: `cancelled` means that the id will never pay, whoever still submits it.

import { fail } from "../../shared/errors.ts";
import type { Deps } from "./deps.ts";
import { answered, railOf } from "./lifecycle.ts";
import type { Payout } from "./payout.model.ts";
import { CANCELLED } from "./rails/rail.ts";
import { reversal } from "./words.ts";

/** How long the rail may take: the caller waits. */
const RAIL_ANSWERS_WITHIN_MS = 3_000;
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

/** Stores that it is cancelled; null where somebody else changed the payout first. */
async function decide(deps: Deps, payout: Payout): Promise<Payout | null> {
  if (payout.step !== "submit") {
    const ask = () => railOf(deps, payout).cancel(payout._id);
    const answer = await answered(deps, payout, ask, RAIL_ANSWERS_WITHIN_MS);
    if (answer !== "cancelled") return fail("NOT_CANCELLABLE");
  }
  return deps.machine.transition(payout, reversal(payout, CANCELLED));
}
