// The debit of a payout, and its two ends: accepted or declined. Only the ledger's journal decides
// between them, for any caller and any number of tries, because the posting's id is the payout's.

import { type ErrorType, fail } from "../../shared/errors.ts";
import type { Change } from "../../shared/resumable/document.ts";
import { declineReason, type Posted } from "../../shared/rpc/posts.ts";
import { afterDebit } from "./accepted.ts";
import { submission } from "./ask-rail.ts";
import type { Deps } from "./deps.ts";
import type { Payout, PayoutDeclineReason } from "./payout.model.ts";

/**
 * Posts a payout's debit or reversal to the ledger (shared/rpc/posts.ts).
 * @param options `void`: the ledger answers with the posting that it has, or never makes one;
 *   `retry`: the ledger may have the posting already; `deadline`: epoch ms after which the ledger
 *   does not begin
 */
export function postPayout(
  deps: Deps,
  payout: Payout,
  kind: "payout" | "payout-reversal",
  options: { void?: boolean; retry?: boolean; deadline?: number },
): Promise<Posted> {
  const { _id, walletId, currency, method, amountMinor, feesMinor } = payout;
  const id = kind === "payout" ? _id : `${_id}:reversal`;
  return deps.post({ id, kind, walletId, currency, method, amountMinor, feesMinor, ...options });
}

/** What the ledger has decided needs no operator any more. */
export const DECIDED = { unknownSince: undefined, needsAttention: false };

/**
 * The debit of a payout that is not whole is committed: the payout becomes visible, the merchant
 * gets an event, and the rail may be asked next.
 */
export function acceptance(deps: Deps, payout: Payout): Change<Payout> {
  const next = (!deps.screening && submission(deps, payout)) || ({ step: "submit" } as const);
  return {
    set: { ...next, ...DECIDED, visible: true },
    enter: ["PENDING"],
    next: "now",
  };
}

/**
 * Nothing was or will be debited: the place in the rate limit and the reference are free again, and
 * no rail ever pays it.
 */
export function refusal(declined: PayoutDeclineReason): Change<Payout> {
  const never = { visible: false, rail: undefined, submittedAt: undefined };
  // A stop ends some day, and a limit begins anew, so the key of the request stays free for it.
  const isKept = declined !== "frozen" && declined !== "limit";
  const key = !isKept && { idempotencyKey: undefined, merchantKey: undefined };
  return {
    set: {
      ...DECIDED,
      ...never,
      ...key,
      step: "declined",
      declined,
      slot: undefined,
      reference: undefined,
    },
    dropsStates: true,
    next: "never",
  };
}

/** The ledger's reasons that a payout tells apart. */
export const LEDGER_REASONS = ["funds", "disabled", "void", "bound"] as const;

/** Releases the application token; a repeated release changes nothing. */
export async function releaseToken(deps: Deps, payout: Payout): Promise<void> {
  const { _id: payoutId, tokenHash } = payout;
  if (tokenHash === undefined) return;
  await deps.services.releaseToken({ tokenHash, payoutId });
  await deps.reached("token-released", payout);
}

const POST_AGAIN_AFTER_MS = 50;

/**
 * Debits the wallet and accepts the payout, for a waiting request.
 * @throws INSUFFICIENT_FUNDS, WALLET_DISABLED, BALANCE_BOUND; UNAVAILABLE if nothing was or will be
 *   taken; OUTCOME_UNKNOWN if that is not known at the deadline
 */
export async function debit(deps: Deps, payout: Payout): Promise<Payout> {
  const { deadline } = payout;
  let isUnknown = false;
  for (let retry = false; deps.clock.now() < deadline; retry = true) {
    const posted = await postPayout(deps, payout, "payout", { deadline, ...(retry && { retry }) });
    await deps.reached("debit-answered", payout);
    if (posted.outcome === "committed") return acceptNow(deps, payout);
    const declined = declineReason(posted, LEDGER_REASONS);
    if (declined) return decline(deps, payout, declined);
    isUnknown ||= posted.reason !== "overloaded";
    await deps.clock.sleep(POST_AGAIN_AFTER_MS);
  }
  // A debit that was never begun is voided by the sweeper, and nothing else follows.
  return isUnknown ? failUnknown(payout) : fail("UNAVAILABLE");
}

/** Accepts a payout after its committed debit, and drives it on in the background. */
async function acceptNow(deps: Deps, payout: Payout): Promise<Payout> {
  const accepted = afterDebit(payout);
  deps.metrics.count("payrail_document_changes_total", { kind: "payout", status: "PENDING" });
  await deps.reached("accepted", accepted);
  const drive = deps.machine.driveInBackground(accepted, { isFresh: true });
  const rail = accepted.rail ?? deps.rails.forMethod[accepted.method]?.name;
  if (rail !== undefined) deps.admission.occupy(rail, drive);
  return accepted;
}

/**
 * Reports an unknown outcome. The error has the payout's id, because the caller needs it to ask for
 * the status.
 * @throws OUTCOME_UNKNOWN
 */
export function failUnknown({ _id: id }: Pick<Payout, "_id">): never {
  return fail("OUTCOME_UNKNOWN", undefined, { id });
}

/** The error that answers each decline. */
export const DECLINED_AS: Record<PayoutDeclineReason, ErrorType> = {
  funds: "INSUFFICIENT_FUNDS",
  disabled: "WALLET_DISABLED",
  bound: "BALANCE_BOUND",
  token: "APPLICATION_TOKEN_INVALID",
  amount: "MALFORMED_REQUEST",
  frozen: "WALLET_FROZEN",
  limit: "LIMIT_EXCEEDED",
  void: "UNAVAILABLE",
  other: "INTERNAL",
};

/**
 * Declines a payout for good, and answers its caller.
 * @throws the error of the decline; OUTCOME_UNKNOWN if the payout has a key and the decline is not
 *   stored: the sweeper will free the key, and a caller that was told the decline could not tell
 *   that a repeat is a new withdrawal
 */
export async function decline(
  deps: Deps,
  payout: Payout,
  declined: PayoutDeclineReason,
): Promise<never> {
  const isStored = await close(deps, payout, declined);
  const { idempotencyKey, merchantKey } = payout;
  if (!isStored && (idempotencyKey ?? merchantKey) !== undefined) failUnknown(payout);
  return fail(DECLINED_AS[declined]);
}

/** If it fails, the sweeper closes the payout later. @returns whether the decline is stored */
async function close(deps: Deps, payout: Payout, declined: PayoutDeclineReason): Promise<boolean> {
  try {
    // At the step before, the token was refused, so it was never claimed for this payout.
    if (payout.step !== "claim") await releaseToken(deps, payout);
    // A payout that a limit refuses is counted by no counter any more.
    if (declined !== "limit") await deps.limits.giveBack(payout);
    const closed = await deps.machine.transition(payout, refusal(declined));
    if (closed) deps.limits.isStored(closed);
    return closed !== null;
  } catch (error) {
    deps.log.warn("A declined payout is closed later", { id: payout._id, error });
    return false;
  }
}
