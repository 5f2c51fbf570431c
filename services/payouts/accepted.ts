// When a payout is accepted: from the moment at which the ledger has its debit. The next release
// stores a payout whole before it posts the debit: visible, with its rail, the moment of the submit
// and PENDING. Whoever reads a whole payout at the step `debit` asks the ledger whether it is
// accepted.
//
// Invariant: nobody sees, and no event tells, a payout whose debit is not in the journal.

import type { Deps } from "./deps.ts";
import type { Payout } from "./payout.model.ts";

/** Whether the payout is accepted if the ledger has its debit. */
export function isUndecided({ step, visible }: Payout): boolean {
  return step === "debit" && visible;
}

/** A whole payout after its committed debit; the stored one is at `debit` until the next write. */
function afterDebit(payout: Payout): Payout {
  return { ...payout, step: "submitting" };
}

/** Accepts a whole payout after its committed debit; nothing is written. */
export function accept(deps: Deps, payout: Payout): Payout {
  deps.metrics.count("payrail_document_changes_total", { kind: "payout", status: "PENDING" });
  return afterDebit(payout);
}

/**
 * A stored payout as it is accepted; null if it is not.
 * @throws UNAVAILABLE, or another error, if the ledger does not say
 */
export async function asAccepted(
  { isDebited }: Pick<Deps, "isDebited">,
  payout: Payout,
): Promise<Payout | null> {
  if (!payout.visible) return null;
  if (!isUndecided(payout)) return payout;
  return (await isDebited(payout)) ? afterDebit(payout) : null;
}

/** The accepted ones of stored payouts. @throws as asAccepted does */
export async function allAccepted(
  reading: Pick<Deps, "isDebited">,
  payouts: Payout[],
): Promise<Payout[]> {
  const accepted = await Promise.all(payouts.map((payout) => asAccepted(reading, payout)));
  return accepted.filter((payout) => payout !== null);
}

/**
 * The accepted ones of stored payouts. While the ledger does not answer, payouts whose debit is not
 * known are left out, so that lists are read without the ledger.
 */
export async function onlyAccepted(
  reading: Pick<Deps, "isDebited">,
  payouts: Payout[],
): Promise<Payout[]> {
  try {
    return await allAccepted(reading, payouts);
  } catch {
    return payouts.filter((payout) => !isUndecided(payout));
  }
}
