// When a payout is accepted: from the moment at which the ledger has its debit. A payout without an
// application token is inserted whole, and one with a token becomes whole when its wallet is fixed:
// its rail, the moment of the submit and PENDING are stored before its debit is posted, so that the
// request writes nothing between the debit and the answer. With a screening the payout is stored
// without a rail, because payrail submits it only after the screening's answer. Every reader of a
// whole payout at the step `debit` asks the ledger whether it is accepted.
//
// Invariant: no caller sees, and no event tells of, a payout whose debit is not in the journal.

import { fail } from "../../shared/errors.ts";
import { submission } from "./ask-rail.ts";
import type { Deps, IsDebited } from "./deps.ts";
import type { Payout } from "./payout.model.ts";

/** Whether the payout is accepted if the ledger has its debit. */
export function isUndecided({ step, visible }: Payout): boolean {
  return step === "debit" && visible;
}

/**
 * The fields that make a payout whole. The request posts its debit next.
 * @throws UNAVAILABLE while no rail pays by its method: nothing is debited for it
 */
export function wholeFields(deps: Deps, payout: Payout) {
  const named = submission(deps, payout) ?? fail("UNAVAILABLE");
  return { ...(deps.screening ? {} : named), step: "debit" as const, visible: true };
}

/** A whole payout after its committed debit; the stored one is at `debit` until the next write. */
export function afterDebit(payout: Payout): Payout {
  return { ...payout, step: payout.rail === undefined ? "submit" : "submitting" };
}

/**
 * The accepted ones of stored payouts, as they are accepted.
 * @throws UNAVAILABLE, or another error, if the ledger does not say
 */
export async function allAccepted(isDebited: IsDebited, payouts: Payout[]): Promise<Payout[]> {
  const undecided = payouts.filter(isUndecided);
  const answers = undecided.length > 0 ? await isDebited(undecided) : [];
  const debited = new Set(undecided.filter((_, i) => answers[i]));
  return payouts.flatMap((payout) => {
    if (isUndecided(payout)) return debited.has(payout) ? afterDebit(payout) : [];
    return payout.visible ? payout : [];
  });
}

/** A stored payout as it is accepted; null if it is not. @throws as allAccepted does */
export async function asAccepted(isDebited: IsDebited, payout: Payout): Promise<Payout | null> {
  return (await allAccepted(isDebited, [payout]))[0] ?? null;
}
