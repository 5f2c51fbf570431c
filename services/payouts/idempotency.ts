// The Idempotency-Key of a withdrawal (docs/integrate/rest-api.md, Idempotency of withdrawals). It
// is a field of the payout, with a unique index per entity, so the insert of the payout takes the
// key on all replicas without a further write.
//
// Invariant: a key debits at most once. A payout is stored with its key before its debit is posted,
// and no second payout can be stored with that key. Only a payout whose debit can never be posted
// loses the key: its last step is `declined`, and its caller got no decision.

import type { mongo } from "mongoose";
import { fail } from "../../shared/errors.ts";
import { gather } from "../../shared/resumable/gather.ts";
import { MAJORITY } from "../../shared/storage/database.ts";
import { asAccepted } from "./accepted.ts";
import { DECLINED_AS } from "./debit.ts";
import type { Deps } from "./deps.ts";
import type { Keyed, Payout, PayoutDeclineReason } from "./payout.model.ts";

const BATCH = { maxItems: 500 };

/** Makes a function that finds the payout of a key; concurrent calls share one query. */
export function gatherKeyHolders(
  payouts: mongo.Collection<Payout>,
): (keyed: Keyed) => Promise<Payout | null> {
  return gather<Keyed, Payout | null>(async (batch) => {
    const filter = {
      entityId: { $in: [...new Set(batch.map(({ entityId }) => entityId))] },
      idempotencyKey: { $in: batch.flatMap(({ idempotencyKey }) => idempotencyKey ?? []) },
    };
    const found = await payouts.find(filter, MAJORITY).toArray();
    const holders = new Map(found.map((payout) => [nameOf(payout), payout]));
    return batch.map((keyed) => holders.get(nameOf(keyed)) ?? null);
  }, BATCH);
}

function nameOf({ entityId, idempotencyKey }: Keyed): string {
  return `${entityId} ${idempotencyKey}`;
}

/** Declines without a decision for the caller, which may try again with the same key. */
const UNDECIDED: PayoutDeclineReason[] = ["void", "other"];
/** A short wait, because a withdrawal is decided within seconds. */
const ASK_AGAIN_AFTER_S = 1;

/**
 * Finds the accepted payout that a request repeats; null if the request has no key, or a new key.
 * It frees the key of a payout that was declined without a decision. The decline itself does not
 * free the key, because a node of an earlier version, which knows no keys, may write the decline.
 * @throws KEY_REUSED if the key came with another request; STILL_RUNNING while the key's payout is
 *   neither accepted nor declined; the error of its decline
 */
export async function findRepeated(deps: Deps, keyed: Keyed): Promise<Payout | null> {
  const holder = keyed.idempotencyKey === undefined ? null : await deps.findKeyHolder(keyed);
  if (!holder) return null;
  const { _id, step, idempotencyKey, requestHash, declined = "void" } = holder;
  if (step === "declined" && UNDECIDED.includes(declined)) {
    await deps.payouts.updateOne({ _id, idempotencyKey }, { $unset: { idempotencyKey: "" } });
    return null;
  }
  if (requestHash !== keyed.requestHash) return fail("KEY_REUSED");
  if (step === "declined") return fail(DECLINED_AS[declined]);
  return (await asAccepted(deps.isDebited, holder)) ?? failRunning();
}

/**
 * Refuses a request whose first run has no decision yet.
 * @throws STILL_RUNNING
 */
export function failRunning(): never {
  return fail("STILL_RUNNING", undefined, { retryAfterS: ASK_AGAIN_AFTER_S });
}
