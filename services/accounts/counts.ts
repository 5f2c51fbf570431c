// How many accounts a list has, kept, so that a total costs the same however long the list is. A
// count changes in the transaction that links or unlinks the account: whatever dies or races, it is
// the number of accounts that have the list's name. It is spread over a few documents, so that accounts
// of one business linked at the same moment seldom wait for one another.

import { randomInt } from "node:crypto";
import type { ClientSession, Model } from "mongoose";
import type { LinkedAccount, ListCount } from "./linked-account.model.ts";
import { findable, listOf } from "./search-keys.ts";

const PARTS = 16;

/** Less than the contract's 5 s; what is not committed by then is undone. */
const TIMEOUT_MS = 4_000;

type Owned = Pick<LinkedAccount, "businessId" | "currency" | "entityType">;

/** Stores an account, with what its lists find it by, and counts it. A duplicate throws as it is. */
export async function insertCounted(
  accounts: Model<LinkedAccount>,
  account: LinkedAccount,
): Promise<void> {
  const stored = { ...account, ...findable(account) };
  await inTransaction(accounts, async (session) => {
    await accounts.create([stored], { session });
    await count(accounts, account, 1, session);
  });
}

/**
 * Takes an account out of its lists.
 * @returns whether it was linked
 */
export async function unlinkCounted(
  accounts: Model<LinkedAccount>,
  { _id, businessId, currency }: Pick<LinkedAccount, "_id" | "businessId" | "currency">,
): Promise<boolean> {
  return inTransaction(accounts, async (session) => {
    const now = new Date();
    const unlinked = await accounts
      .findOneAndUpdate(
        { _id, businessId, currency, unlinkedAt: null },
        { $set: { unlinkedAt: now, updatedAt: now }, $unset: { list: 1, keys: 1, folded: 1 } },
        { session, projection: { entityType: 1 } },
      )
      .lean<Pick<LinkedAccount, "entityType">>();
    if (!unlinked) return false;
    await count(accounts, { businessId, currency, entityType: unlinked.entityType }, -1, session);
    return true;
  });
}

/** The accounts of a list, or those of end users alone. */
export async function countOf(
  accounts: Model<LinkedAccount>,
  list: string,
  what: "accounts" | "ofUsers",
): Promise<number> {
  const ids = Array.from({ length: PARTS }, (_, part) => partOf(list, part));
  const parts = await countsBeside(accounts)
    .find({ _id: { $in: ids } })
    .lean<ListCount[]>();
  return parts.reduce((sum, part) => sum + part[what], 0);
}

/** Last in its transaction, so that the part is held no longer than the commit takes. */
async function count(
  accounts: Model<LinkedAccount>,
  { businessId, currency, entityType }: Owned,
  by: 1 | -1,
  session: ClientSession,
): Promise<void> {
  const _id = partOf(listOf(businessId, currency), randomInt(PARTS));
  const ofUsers = entityType === "USER" ? by : 0;
  const update = { $inc: { accounts: by, ofUsers } };
  await countsBeside(accounts).updateOne({ _id }, update, { session, upsert: true });
}

function partOf(list: string, part: number): string {
  return `${list}:${part}`;
}

/** In the same database, as one transaction spans both. */
function countsBeside(accounts: Model<LinkedAccount>): Model<ListCount> {
  return accounts.db.model<ListCount>("linked_account_counts");
}

/** Runs it again, with another part, where it met another transaction. */
async function inTransaction<T>(
  accounts: Model<LinkedAccount>,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const session = await accounts.db.startSession();
  try {
    return await session.withTransaction(work, { timeoutMS: TIMEOUT_MS });
  } finally {
    await session.endSession();
  }
}
