// Repeated requests for payouts (docs/integrate/rest-api.md, Idempotency of withdrawals): by an
// Idempotency-Key, or by a reference. Both are fields of the payout, with a unique index each, so
// the insert of the payout takes them on all replicas without a further write.
//
// Invariant: a key debits at most once, and so does a reference. A payout is stored with both before
// its debit is posted, and no second payout can be stored with either. Only a payout whose debit can
// never be posted loses them, because its last step is `declined`: the reference with the decline,
// and the key if its caller got no decision.

import type { mongo } from "mongoose";
import { fail } from "../../shared/errors.ts";
import { gather } from "../../shared/resumable/gather.ts";
import type { Idempotency } from "../../shared/rpc/actions.ts";
import { digestOf } from "../../shared/security/secrets.ts";
import { MAJORITY } from "../../shared/storage/database.ts";
import { asAccepted } from "./accepted.ts";
import { DECLINED_AS } from "./debit.ts";
import type { Deps } from "./deps.ts";
import { type Payout, type PayoutDeclineReason, UNIQUE_FOR, type Unique } from "./payout.model.ts";

/** What makes a request a repeat of an earlier one, and what tells it from another request. */
export interface Identity {
  key?: Unique & { request: string };
  reference?: Unique & { terms: string };
}

/** The key of a request, if it has one. */
export function keyOf(
  field: "idempotencyKey" | "merchantKey",
  owner: string,
  idempotency: Idempotency | undefined,
): Identity["key"] {
  return idempotency && { field, owner, value: idempotency.key, request: idempotency.request };
}

/**
 * The reference of a request.
 * @param asked everything by which another request with the reference would differ
 */
export function referenceOf(owner: string, value: string, asked: unknown): Identity["reference"] {
  return { field: "reference", owner, value, terms: digestOf(asked) };
}

/** The identity of a request as its payout stores it. */
export function identityFields({ key, reference }: Identity): Partial<Payout> {
  return {
    ...(key && { [key.field]: key.value, requestHash: key.request }),
    ...(reference && { reference: reference.value, termsHash: reference.terms }),
  };
}

const BATCH = { maxItems: 500 };

/** Makes a function that finds the payout of a key or a reference; concurrent calls share queries. */
export function gatherHolders(
  payouts: mongo.Collection<Payout>,
): (unique: Unique) => Promise<Payout | null> {
  return gather<Unique, Payout | null>(async (batch) => {
    const fields = [...new Set(batch.map(({ field }) => field))];
    const found = await Promise.all(
      fields.map(async (field) => {
        const asked = batch.filter((each) => each.field === field);
        const filter = {
          [UNIQUE_FOR[field]]: { $in: [...new Set(asked.map(({ owner }) => owner))] },
          [field]: { $in: asked.map(({ value }) => value) },
        };
        const holders = await payouts.find(filter as mongo.Filter<Payout>, MAJORITY).toArray();
        return holders.map((payout) => [nameOf(field, payout), payout] as const);
      }),
    );
    const byName = new Map(found.flat());
    return batch.map(({ field, owner, value }) => byName.get(`${field} ${owner} ${value}`) ?? null);
  }, BATCH);
}

function nameOf(field: Unique["field"], payout: Payout): string {
  return `${field} ${payout[UNIQUE_FOR[field]]} ${payout[field]}`;
}

/** Declines without a decision for the caller, which may try again with the same key. */
const UNDECIDED: PayoutDeclineReason[] = ["void", "other"];
/** A short wait, because a withdrawal is decided within seconds. */
const ASK_AGAIN_AFTER_S = 1;

/**
 * Finds the accepted payout that a request repeats; null if its key and its reference are new.
 * @throws KEY_REUSED, CONFLICT if the key or the reference came with another request; STILL_RUNNING
 *   while their payout is neither accepted nor declined; the error of the key's decline
 */
export async function findRepeated(
  deps: Deps,
  { key, reference }: Identity,
): Promise<Payout | null> {
  const [ofKey, ofReference] = await Promise.all([
    key ? deps.findHolder(key) : null,
    reference ? deps.findHolder(reference) : null,
  ]);
  const repeated = key && ofKey && (await repeatedByKey(deps, ofKey, key));
  if (repeated) return repeated;
  return (
    (reference && ofReference && (await repeatedByReference(deps, ofReference, reference))) ?? null
  );
}

/**
 * It frees the key of a payout that was declined without a decision. The decline itself does not
 * free the key, because a node of an earlier version, which knows no keys, may write the decline.
 */
async function repeatedByKey(
  deps: Deps,
  holder: Payout,
  { field, request }: NonNullable<Identity["key"]>,
): Promise<Payout | null> {
  const { step, requestHash, declined = "void" } = holder;
  if (step === "declined" && UNDECIDED.includes(declined)) {
    await free(deps, holder, field);
    return null;
  }
  if (requestHash !== request) return fail("KEY_REUSED");
  if (step === "declined") return fail(DECLINED_AS[declined]);
  return (await asAccepted(deps.isDebited, holder)) ?? failRunning();
}

/**
 * Another request with the reference of an undecided payout has to wait too, because a decline frees
 * the reference. A declined payout has a reference only if a node of the previous release, which
 * knows no references, wrote the decline.
 */
async function repeatedByReference(
  deps: Deps,
  holder: Payout,
  { terms }: NonNullable<Identity["reference"]>,
): Promise<Payout | null> {
  if (holder.step === "declined") {
    await free(deps, holder, "reference");
    return null;
  }
  const accepted = (await asAccepted(deps.isDebited, holder)) ?? failRunning("reference");
  return holder.termsHash === terms ? accepted : fail("CONFLICT");
}

async function free({ payouts }: Deps, holder: Payout, field: Unique["field"]): Promise<void> {
  await payouts.updateOne({ _id: holder._id, [field]: holder[field] }, { $unset: { [field]: "" } });
}

/**
 * Refuses a request whose first run has no decision yet.
 * @throws STILL_RUNNING
 */
export function failRunning(by: "Idempotency-Key" | "reference" = "Idempotency-Key"): never {
  const message = `A request with this ${by} is under way`;
  return fail("STILL_RUNNING", message, { retryAfterS: ASK_AGAIN_AFTER_S });
}
