// Lists the accounts that were unlinked before lists of transactions were searched by recipient. The
// previous release unlinks accounts without listing them; their payouts are found by other filters.

import type { mongo } from "mongoose";
import type { LinkedAccount } from "../../services/accounts/linked-account.model.ts";
import { findable, listName, UNLINKED } from "../../services/accounts/lists/search-keys.ts";

const BATCH = 500;

/** An erasure that comes first leaves the account without keys. */
export async function listUnlinked(db: mongo.Db): Promise<void> {
  const accounts = db.collection<LinkedAccount>("linked_accounts");
  const unlisted = {
    unlinkedAt: { $ne: null },
    list: { $exists: false },
    erasedAt: { $exists: false },
  };
  let batch: mongo.AnyBulkWriteOperation<LinkedAccount>[] = [];
  const flush = async () => {
    if (batch.length > 0) await accounts.bulkWrite(batch, { ordered: false });
    batch = [];
  };
  for await (const account of accounts.find(unlisted)) {
    const { _id, businessId } = account;
    const listed = { ...findable(account), list: listName(businessId, UNLINKED) };
    batch.push({ updateOne: { filter: { _id, ...unlisted }, update: { $set: listed } } });
    if (batch.length === BATCH) await flush();
  }
  await flush();
}
