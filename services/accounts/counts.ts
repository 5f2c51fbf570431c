// How many accounts a list has, kept, so that a total costs the same however long the list is. A
// count changes in the transaction that links or unlinks the account: whatever dies or races, it is
// the number of accounts that have the list's name. It is spread over a few documents, so that
// processes that link accounts of one business at the same moment seldom wait for one another.

import { randomInt } from "node:crypto";
import type { ClientSession, Model } from "mongoose";
import { isDuplicate } from "../../shared/database.ts";
import { gather } from "../../shared/gather.ts";
import type { LinkedAccount, ListCount } from "./linked-account.model.ts";
import { findable, listOf } from "./search-keys.ts";

const PARTS = 16;

/** Less than the contract's 5 s; what is not committed by then is undone. */
const TIMEOUT_MS = 4_000;

/** Of each process: accounts that are linked at the same moment share a transaction. */
const inserts = new WeakMap<Model<LinkedAccount>, (account: LinkedAccount) => Promise<undefined>>();
const PER_TRANSACTION = 100;

/**
 * Stores an account, with what its lists find it by, and counts it.
 * @throws as the database does where it is a duplicate
 */
export function insertCounted(
  accounts: Model<LinkedAccount>,
  account: LinkedAccount,
): Promise<void> {
  let insert = inserts.get(accounts);
  if (!insert) {
    insert = gather((batch) => insertEach(accounts, batch), { maxItems: PER_TRANSACTION });
    inserts.set(accounts, insert);
  }
  return insert(account);
}

/** One transaction for all; where one of them is a duplicate, one for each. */
async function insertEach(
  accounts: Model<LinkedAccount>,
  batch: LinkedAccount[],
): Promise<(undefined | Error)[]> {
  try {
    await insertAll(accounts, batch);
    return batch.map(() => undefined);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    if (batch.length === 1) return [error as Error];
  }
  const results: (undefined | Error)[] = [];
  for (const account of batch) {
    const insert = insertAll(accounts, [account]);
    results.push(
      await insert.then(
        () => undefined,
        (error: Error) => error,
      ),
    );
  }
  return results;
}

async function insertAll(accounts: Model<LinkedAccount>, batch: LinkedAccount[]): Promise<void> {
  const stored = batch.map((account) => ({ ...account, ...findable(account) }));
  const lists = Map.groupBy(batch, ({ businessId, currency }) => listOf(businessId, currency));
  await inTransaction(accounts, async (session) => {
    // Of one alone the error says which index it is a duplicate in.
    if (stored.length === 1) await accounts.create(stored, { session });
    else await accounts.insertMany(stored, { session });
    for (const [list, added] of lists) {
      const ofUsers = added.filter(({ entityType }) => entityType === "USER").length;
      await change(accounts, list, { accounts: added.length, ofUsers }, session);
    }
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
    const ofUsers = unlinked.entityType === "USER" ? -1 : 0;
    await change(accounts, listOf(businessId, currency), { accounts: -1, ofUsers }, session);
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
async function change(
  accounts: Model<LinkedAccount>,
  list: string,
  by: Omit<ListCount, "_id">,
  session: ClientSession,
): Promise<void> {
  const _id = partOf(list, randomInt(PARTS));
  await countsBeside(accounts).updateOne({ _id }, { $inc: by }, { session, upsert: true });
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
