// Resolving a payout that needs attention: an admin says what became of it where the rail does not, or
// where its words contradict each other. The timeline says who.

import { fail } from "../../shared/errors.ts";
import type { Change } from "../../shared/resumable/document.ts";
import type { Deps } from "./deps.ts";
import { railOf } from "./lifecycle.ts";
import type { Payout } from "./payout.model.ts";
import { reversal, settlement } from "./words.ts";

export interface Resolution {
  outcome: "SUCCESS" | "FAILED";
  /** Who decided it, and why. */
  by: string;
}

/**
 * Ends a flagged payout as its rail would have. After that the rail is asked on, so that a word that
 * contradicts the decision is noticed.
 * @returns the payout; after FAILED as soon as the money is back, if that comes soon
 * @throws NOT_RESOLVABLE where it is not flagged, or where the rail could not have ended it so
 */
export async function resolve(
  deps: Deps,
  payout: Payout,
  { outcome, by }: Resolution,
): Promise<Payout> {
  const change = payout.needsAttention ? changeFor(deps, payout, outcome) : null;
  if (!change) return fail("NOT_RESOLVABLE");
  const decided = { ...change, set: { ...change.set, decidedBy: by }, isAlone: true };
  const resolved = await deps.machine.transition(payout, decided);
  if (!resolved) return fail("NOT_RESOLVABLE");
  if (resolved.step === "reverse") return deps.machine.drive(resolved);
  deps.machine.tell(resolved);
  return resolved;
}

function changeFor(
  deps: Deps,
  payout: Payout,
  outcome: Resolution["outcome"],
): Change<Payout> | null {
  switch (payout.step) {
    case "submitting":
    case "settle":
      return outcome === "SUCCESS"
        ? settlement(payout, railOf(deps, payout))
        : reversal(payout, RESOLVED);
    case "watch":
    case "closed":
      // The stored end holds, and nothing is asked any more; or what was paid came back after all.
      if (outcome === payout.status) {
        return { set: { step: "closed", needsAttention: false }, next: "never" };
      }
      return outcome === "FAILED" ? reversal(payout, RESOLVED) : null;
    case "claim":
    case "debit":
    case "submit":
    case "reverse":
    case "declined":
      return null;
  }
}

/** In the place of a rail's code. */
const RESOLVED = "resolved";
