// The debit of a payout: asking the ledger for it, and the two ends that it can have. A payout is
// accepted or declined by the ledger's journal alone, whoever asks and however often: the posting's id
// is the payout's.

import { MAJORITY } from "../../shared/database.ts";
import { fail } from "../../shared/errors.ts";
import type { Posted } from "../../shared/posts.ts";
import type { Change } from "../../shared/resumable/document.ts";
import type { Deps } from "./deps.ts";
import type { DeclineReason, Payout } from "./payout.model.ts";

/**
 * Asks the ledger for a payout's debit or reversal (shared/posts.ts).
 * @param how `void`: answer what is there, or see to it that nothing ever will be; `retry`: it may
 *   have been asked before; `deadline`: epoch ms after which it is not begun
 */
export function postFor(
  deps: Deps,
  payout: Payout,
  kind: "payout" | "payout-reversal",
  how: { void?: boolean; retry?: boolean; deadline?: number },
): Promise<Posted> {
  const { _id, walletId, currency, method, amountMinor, feesMinor } = payout;
  const id = kind === "payout" ? _id : `${_id}:reversal`;
  return deps.post({ id, kind, walletId, currency, method, amountMinor, feesMinor, ...how });
}

/** The debit is committed: others see the payout, the merchant hears of it, the rail is next. */
export function acceptance(): Change<Payout> {
  return {
    set: { step: "submit", visible: true, unknownSince: undefined },
    enter: ["PENDING"],
    next: "now",
  };
}

/** Nothing was or will be debited: the place in the rate limit is free again. */
export function refusal(declined: DeclineReason): Change<Payout> {
  return {
    set: { step: "declined", declined, slot: undefined, unknownSince: undefined },
    next: "never",
  };
}

/** Why the ledger declined, or failed for good; null where it has to be asked again. */
export function declineOf({ outcome, reason }: Posted): DeclineReason | null {
  if (outcome === "declined") return isDecline(reason) ? reason : "other";
  // A posting that can never be stored. Every other failure may follow a debit that this node does
  // not see yet: after an election a majority read may not even show the wallet.
  return reason === "rejected" ? "other" : null;
}

function isDecline(reason: Posted["reason"]): reason is "funds" | "disabled" | "void" | "bound" {
  return reason === "funds" || reason === "disabled" || reason === "void" || reason === "bound";
}

/** Gives the application token back; asked again it changes nothing. */
export async function releaseToken(deps: Deps, payout: Payout): Promise<void> {
  const { _id: payoutId, tokenHash } = payout;
  if (tokenHash === undefined) return;
  await deps.services.releaseToken({ tokenHash, payoutId });
  await deps.at("token-released", payout);
}

const ASK_AGAIN_AFTER_MS = 50;

/**
 * Has the wallet debited and the payout accepted, for a request that waits.
 * @throws INSUFFICIENT_FUNDS, WALLET_DISABLED, BALANCE_BOUND; UNAVAILABLE where nothing was or will be taken;
 *   OUTCOME_UNKNOWN where that is not known at the deadline
 */
export async function debit(deps: Deps, payout: Payout): Promise<Payout> {
  const { deadline } = payout;
  let isUnknown = false;
  for (let retry = false; deps.clock.now() < deadline; retry = true) {
    const posted = await postFor(deps, payout, "payout", { deadline, ...(retry && { retry }) });
    await deps.at("debit-answered", payout);
    if (posted.outcome === "committed") return accept(deps, payout);
    const declined = declineOf(posted);
    if (declined) return decline(deps, payout, declined);
    isUnknown ||= posted.reason !== "overloaded";
    await deps.clock.sleep(ASK_AGAIN_AFTER_MS);
  }
  // What was never begun is voided, and only that follows.
  return fail(isUnknown ? "OUTCOME_UNKNOWN" : "UNAVAILABLE");
}

/** How often a payout that somebody else changed is read again. */
const READ_AGAIN_AT_MOST = 5;

/** The debit is a fact: whoever stores it first, the payout is accepted. */
async function accept(deps: Deps, debited: Payout): Promise<Payout> {
  let payout: Payout | null = debited;
  for (let i = 0; payout && i < READ_AGAIN_AT_MOST; i++) {
    if (payout.visible) return payout;
    const accepted = await deps.machine.transition(payout, acceptance());
    if (accepted) return accepted;
    payout = await deps.payouts.findOne({ _id: debited._id }, MAJORITY);
  }
  return fail("OUTCOME_UNKNOWN");
}

async function decline(deps: Deps, payout: Payout, declined: DeclineReason): Promise<never> {
  await close(deps, payout, declined);
  if (declined === "funds") return fail("INSUFFICIENT_FUNDS");
  if (declined === "disabled") return fail("WALLET_DISABLED");
  if (declined === "bound") return fail("BALANCE_BOUND");
  return fail(declined === "void" ? "UNAVAILABLE" : "INTERNAL");
}

/** Closes a payout that is declined for good; where that fails the sweeper comes to the same. */
export async function close(deps: Deps, payout: Payout, declined: DeclineReason): Promise<void> {
  try {
    // A token that was refused is not the payout's to give back.
    if (declined !== "token") await releaseToken(deps, payout);
    await deps.machine.transition(payout, refusal(declined));
  } catch (error) {
    deps.log.warn("A declined payout is closed later", { id: payout._id, error });
  }
}
