// The Idempotency-Key of a withdrawal (docs/rest-api.md, Idempotency of withdrawals). It is a field
// of the payout, unique for its entity: the insert of the payout takes the key, over all replicas
// and without a write of its own.
//
// Invariant: a key debits at most once. A payout is stored with its key before its debit is posted,
// and no second payout can be stored with that key. Only a payout whose debit can never exist loses
// the key: it is declined, which is its last step, and the caller was not told a decision.

import type { mongo } from "mongoose";
import { MAJORITY } from "../../shared/database.ts";
import { fail } from "../../shared/errors.ts";
import { gather } from "../../shared/gather.ts";
import { DECLINED_AS } from "./debit.ts";
import type { Deps } from "./deps.ts";
import type { DeclineReason, Keyed, Payout } from "./payout.model.ts";

const BATCH = { maxItems: 500 };

/** Reads for many keys at once the payouts that have them. */
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

/** Declines that decide nothing for the caller: it may try again with the same key. */
const UNDECIDED: DeclineReason[] = ["void", "other"];
/** A withdrawal is decided within seconds, so its client asks again soon. */
const ASK_AGAIN_AFTER_S = 1;

/**
 * The accepted payout that a request repeats; null if the request has no key, or a new one. It
 * frees the key of a payout that came to nothing. The update that declines such a payout leaves the
 * key in place, because a node of an older version, which does not know keys, may write it.
 * @throws KEY_REUSED if the key came with another request; STILL_RUNNING while that payout is
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
  return holder.visible ? holder : failRunning();
}

/** @throws STILL_RUNNING */
export function failRunning(): never {
  return fail("STILL_RUNNING", undefined, { retryAfterS: ASK_AGAIN_AFTER_S });
}
