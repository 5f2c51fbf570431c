// A withdrawal (docs/integrate/rest-api.md, Withdrawals): its rules in the order of their answers,
// the debit, the 200. A payout is stored whole before its debit is posted, and the ledger's commit
// accepts it (accepted.ts): two durable writes come before the 200. While too many payouts of this
// process are not submitted, a new withdrawal waits for its turn before anything is stored
// (admission.ts). Past the deadline of a request nothing is inserted or posted, because no caller
// waits; the sweeper voids a begun payout. A repeat with the Idempotency-Key of a payout gets that
// payout's answer, before any other rule.

import { LATE } from "../../shared/clock.ts";
import { POSTED_WITHIN_MS, WAY_BACK_MS } from "../../shared/contracts/contract.ts";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { errorType, fail } from "../../shared/errors.ts";
import { toDecimal } from "../../shared/money.ts";
import type { Actor, Idempotency } from "../../shared/rpc/actions.ts";
import { digest } from "../../shared/security/secrets.ts";
import { wholeFields } from "./accepted.ts";
import { DECLINED_AS, debit, decline, failUnknown } from "./debit.ts";
import type { Deps } from "./deps.ts";
import { failRunning, findRepeated } from "./idempotency.ts";
import {
  candidateSlots,
  failLimited,
  type Insertion,
  type LimitUse,
  rateLimitState,
  type Slot,
} from "./limits.ts";
import type { Keyed, Payout } from "./payout.model.ts";
import { choosePayoutMethod, newPayout, readRequest, voidedAt } from "./request.ts";

export interface Withdrawal {
  actor: Actor;
  params: Params<"payouts.withdraw">;
  /** Epoch ms until which the caller waits. */
  deadline?: number;
  /** The key by which the caller may repeat the request. */
  idempotency?: Idempotency;
}

/**
 * Withdraws from the actor's wallet, or its merchant's, to the actor's linked account. A request
 * with the key of an earlier one gets its answer.
 * @throws KEY_REUSED, STILL_RUNNING, RATE_LIMITED, VALIDATION, LINKED_ACCOUNT_NOT_FOUND,
 *   WALLET_DISABLED, APPLICATION_TOKEN_INVALID, MALFORMED_REQUEST, INSUFFICIENT_FUNDS; UNAVAILABLE
 *   if nothing was or will be taken; OUTCOME_UNKNOWN if that is not known in time
 */
export async function withdraw(
  deps: Deps,
  { actor, params, deadline: waitsUntil, idempotency }: Withdrawal,
): Promise<Result<"payouts.withdraw">> {
  const now = deps.clock.now();
  const within = (waitsUntil ?? Number.POSITIVE_INFINITY) - now - WAY_BACK_MS;
  const deadline = now + Math.min(within, POSTED_WITHIN_MS);
  const keyed: Keyed = {
    entityId: actor.sub,
    ...(idempotency && { idempotencyKey: idempotency.key, requestHash: idempotency.request }),
  };
  const progress: Progress = { id: deps.newId(), begun: false };
  try {
    const work = run(deps, keyed, params, deadline, progress);
    const result = await deps.clock.within(work, deadline - now);
    if (result !== LATE) return result;
  } catch (error) {
    if (errorType(error)) throw error;
    deps.log.error("A withdrawal failed", error);
  }
  return progress.begun ? failUnknown({ _id: progress.id }) : fail("UNAVAILABLE");
}

interface Progress {
  /** The id of the new payout. */
  id: string;
  /** Whether the payout may be stored. */
  begun: boolean;
}

async function run(
  deps: Deps,
  keyed: Keyed,
  { currency, linkedAccountId, applicationToken, body }: Params<"payouts.withdraw">,
  deadline: number,
  progress: Progress,
): Promise<Result<"payouts.withdraw">> {
  const { id } = progress;
  const { entityId } = keyed;
  const asked = readRequest(currency, body);
  const [{ use, first }, destination] = await Promise.all([
    lookUp(deps, keyed),
    asked.isValid
      ? deps.findDestination({ entityId, linkedAccountId, currency: asked.request.currency })
      : null,
  ]);
  if (first) return answerFor(deps, first, use);
  const places = candidateSlots(use, deps.config, id, deps.clock.now());
  if (!asked.isValid) throw asked.error;
  if (!destination) return fail("LINKED_ACCOUNT_NOT_FOUND");
  const method = choosePayoutMethod(destination.optionType, asked.request.routingType);
  // An accepted payout would wait, debited, for a rail or a key that may never be configured.
  const rail = deps.rails.forMethod[method];
  if (!rail || destination.unreadable) return fail("UNAVAILABLE");

  // The second half of the time is for the withdrawal itself.
  const waitsMs = (deadline - deps.clock.now()) / 2;
  return deps.admission.admit(rail.name, waitsMs, async () => {
    const made = newPayout(deps.config, id, asked.request, destination, { method, deadline });
    const payout: Payout = {
      ...made,
      ...keyed,
      ...(applicationToken === undefined
        ? wholeFields(deps, made)
        : { tokenHash: digest(applicationToken) }),
    };
    const placed = await insert(deps, payout, places, use, progress);
    // Another request with the same key has inserted its payout first.
    if (placed._id !== id) return answerFor(deps, placed, use);
    await deps.reached("inserted", placed);
    const accepted = await debit(deps, await claim(deps, placed));
    return answerFor(deps, accepted, use);
  });
}

/**
 * Reads the limits and then the key. In this order the read of the key finds the payout of a
 * concurrent request with the same key that has just filled the limit.
 */
async function lookUp(deps: Deps, keyed: Keyed) {
  const use = await deps.readLimitUse(keyed.entityId);
  return { use, first: await findRepeated(deps, keyed) };
}

/**
 * Inserts the payout in the first place of the rate limit that is still free.
 * @returns the inserted payout, or the accepted one that the request repeats
 */
async function insert(
  deps: Deps,
  payout: Payout,
  places: Slot[],
  { holders }: LimitUse,
  progress: Progress,
): Promise<Payout> {
  for (const { slot, evict } of places) {
    const placed = { ...payout, ...(slot !== undefined && { slot }) };
    progress.begun = true;
    if ((await insertOrStop(deps, { payout: placed, evict })) === "inserted") return placed;
    // It is certain that this payout is not stored.
    progress.begun = false;
    const first = await findRepeated(deps, payout);
    if (first) return first;
  }
  const { withdrawalLimit } = deps.config;
  return withdrawalLimit ? failLimited(holders, withdrawalLimit, deps.clock.now()) : failRunning();
}

/**
 * After an insert of unknown outcome the withdrawal stops, and the sweeper voids a stored payout.
 */
async function insertOrStop(deps: Deps, insertion: Insertion): Promise<"inserted" | "taken"> {
  try {
    return await deps.insert(insertion);
  } catch {
    return fail("UNAVAILABLE");
  }
}

/** The reasons why accounts refuses an application token. */
const REFUSED_TOKENS = ["token", "amount"] as const;

/**
 * Spends the application token, if there is one, and fixes the wallet that is debited. Nothing is
 * posted before the wallet is stored, so that an id is never posted to two wallets.
 */
async function claim(deps: Deps, payout: Payout): Promise<Payout> {
  const { _id: payoutId, tokenHash, entityId, currency, amountMinor } = payout;
  if (tokenHash === undefined) return payout;
  let walletId: string;
  try {
    const terms = { tokenHash, payoutId, entityId, currency, amountMinor };
    walletId = (await deps.services.claimToken(terms)).walletId ?? payout.walletId;
  } catch (error) {
    const declined = REFUSED_TOKENS.find((reason) => DECLINED_AS[reason] === errorType(error));
    // If the outcome is unknown, the sweeper releases the token: nothing is posted from here on.
    if (!declined) return fail("UNAVAILABLE");
    return decline(deps, payout, declined);
  }
  await deps.reached("token-claimed", payout);
  const claimed = await deps.machine.transition(payout, {
    set: { ...wholeFields(deps, payout), walletId },
    next: Math.max(0, voidedAt(payout) - deps.clock.now()),
  });
  return claimed ?? fail("UNAVAILABLE");
}

const QUEUED = "Payment queued. Its final status arrives by webhook, or ask";

/** The answer 200 to the first request and to each repeat, with the current state of the limit. */
function answerFor(
  deps: Deps,
  { _id: id, slot, amountMinor, feesMinor }: Payout,
  { holders }: LimitUse,
): Result<"payouts.withdraw"> {
  const { withdrawalLimit } = deps.config;
  const now = deps.clock.now();
  const others = holders.filter((holder) => holder.id !== id);
  const all = slot === undefined ? others : [...others, { id, slot }];
  return {
    message: `${QUEUED} GET /v1/ext/withdrawals/${id}.`,
    id,
    status: "PENDING",
    fees: toDecimal(feesMinor),
    amount: toDecimal(amountMinor + feesMinor),
    rateLimit: withdrawalLimit && rateLimitState(all, withdrawalLimit, now),
  };
}
