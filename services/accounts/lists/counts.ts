// Stored counts of the accounts in a list, so that a total costs the same for a list of any length.
// A count changes in the transaction that links or unlinks the account, so it stays exact after
// crashes and races. It is split over a few documents, so that processes that link accounts of one
// business at the same time seldom wait for one another.

import { randomInt } from "node:crypto";
import type { ClientSession, Model } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import { errorType, fail } from "../../../shared/errors.ts";
import { gather } from "../../../shared/resumable/gather.ts";
import { isDuplicate } from "../../../shared/storage/database.ts";
import type { Entity } from "../entity.model.ts";
import type { LinkedAccount, ListCount } from "../linked-account.model.ts";
import { findable, listName, UNLINKED } from "./search-keys.ts";

const PARTS = 16;

/** Less than the contract's 5 s; a transaction that is not committed by then is undone. */
const TIMEOUT_MS = 4_000;

const PER_TRANSACTION = 100;

/**
 * The longest time between a transaction's read of its owner's erasure and the end of the
 * transaction, which stores the account or rolls back.
 */
export const LINKED_WITHIN_MS = TIMEOUT_MS;

/**
 * Stores an account with its search keys, and counts it.
 * @throws the database's own error for a duplicate; ENTITY_NOT_FOUND if its owner is being erased
 */
export type InsertCounted = (account: LinkedAccount) => Promise<void>;

/** Accounts that are linked at the same time share a transaction. */
export function gatherInserts(accounts: Model<LinkedAccount>): InsertCounted {
  return gather((batch) => insertEach(accounts, batch), { maxItems: PER_TRANSACTION });
}

async function insertEach(
  accounts: Model<LinkedAccount>,
  batch: LinkedAccount[],
): Promise<(undefined | Error)[]> {
  try {
    await insertAll(accounts, batch);
    return batch.map(() => undefined);
  } catch (error) {
    if (!isDuplicate(error) && errorType(error) !== "ENTITY_NOT_FOUND") throw error;
    if (batch.length === 1) return [error as Error];
  }
  const results: (undefined | Error)[] = [];
  for (const account of batch) {
    const insert = insertAll(accounts, [account]).then(() => undefined);
    results.push(await insert.catch((error: Error) => error));
  }
  return results;
}

async function insertAll(accounts: Model<LinkedAccount>, batch: LinkedAccount[]): Promise<void> {
  const stored = batch.map((account) => ({ ...account, ...findable(account) }));
  const lists = Map.groupBy(batch, ({ businessId, currency }) => listName(businessId, currency));
  await inTransaction(accounts, async (session) => {
    const owners = { _id: { $in: batch.map(({ entityId }) => entityId) } };
    // The entities are in the accounts' database too.
    const leaving = await accounts.db
      .collection<Entity>("entities")
      .findOne({ ...owners, erasure: { $exists: true } }, { session, projection: { _id: 1 } });
    if (leaving) fail("ENTITY_NOT_FOUND");
    // A single insert is made by `create`, because its error has the index of the duplicate.
    if (stored.length === 1) await accounts.create(stored, { session });
    else await accounts.insertMany(stored, { session });
    for (const [list, added] of lists) {
      const ofUsers = added.filter(({ entityType }) => entityType === "USER").length;
      await change(accounts, list, { accounts: added.length, ofUsers }, session);
    }
  });
}

/**
 * Moves an account to the list of the unlinked ones.
 * @returns whether it was linked
 */
export async function unlinkCounted(
  accounts: Model<LinkedAccount>,
  clock: Clock,
  { _id, businessId, currency }: Pick<LinkedAccount, "_id" | "businessId" | "currency">,
): Promise<boolean> {
  return inTransaction(accounts, async (session) => {
    const now = new Date(clock.now());
    const list = listName(businessId, UNLINKED);
    const unlinked = await accounts
      .findOneAndUpdate(
        { _id, businessId, currency, unlinkedAt: null },
        { $set: { unlinkedAt: now, updatedAt: now, list } },
        { session, projection: { entityType: 1 } },
      )
      .lean<Pick<LinkedAccount, "entityType">>();
    if (!unlinked) return false;
    const ofUsers = unlinked.entityType === "USER" ? -1 : 0;
    await change(accounts, listName(businessId, currency), { accounts: -1, ofUsers }, session);
    return true;
  });
}

/** The number of accounts of a list, or of its end users' accounts only. */
export async function readCount(
  accounts: Model<LinkedAccount>,
  list: string,
  counter: "accounts" | "ofUsers",
): Promise<number> {
  const ids = Array.from({ length: PARTS }, (_, part) => partId(list, part));
  const parts = await countsBeside(accounts)
    .find({ _id: { $in: ids } })
    .lean<ListCount[]>();
  return parts.reduce((sum, part) => sum + part[counter], 0);
}

/** The last write of its transaction, so that the part is locked only until the commit ends. */
async function change(
  accounts: Model<LinkedAccount>,
  list: string,
  by: Omit<ListCount, "_id">,
  session: ClientSession,
): Promise<void> {
  const _id = partId(list, randomInt(PARTS));
  await countsBeside(accounts).updateOne({ _id }, { $inc: by }, { session, upsert: true });
}

function partId(list: string, part: number): string {
  return `${list}:${part}`;
}

/** The counts are in the accounts' database, because one transaction spans both. */
function countsBeside(accounts: Model<LinkedAccount>): Model<ListCount> {
  return accounts.db.model<ListCount>("linked_account_counts");
}

/** Runs a transaction; repeats it with another part after a conflict with another transaction. */
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
