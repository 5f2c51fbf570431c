// Retention: the database removes events and deliveries some time after their creation, by TTL
// indexes that follow the setting. After the setting grows, older documents are still missing; so
// the moment since which none is missing is stored, and verification reads it.

import type { mongo } from "mongoose";

/** The expiring collections with the field of their creation. */
const EXPIRING = { webhook_events: "at", webhook_deliveries: "createdAt" };
const INDEX_OPTIONS_CONFLICT = 85;

/** A collection with a longer retention than before. */
export interface Kept {
  _id: string;
  /** Documents that are younger than this are kept for the whole retention. */
  since: Date;
}

/** Sets the retention of both collections. @param retentionMs time after creation */
export async function expireAfter(db: mongo.Db, retentionMs: number): Promise<void> {
  const expireAfterSeconds = Math.ceil(retentionMs / 1_000);
  await Promise.all(
    Object.entries(EXPIRING).map(async ([name, field]) => {
      const keyPattern = { [field]: 1 as const };
      try {
        await db.collection(name).createIndex(keyPattern, { expireAfterSeconds });
      } catch (error) {
        if ((error as { code?: number }).code !== INDEX_OPTIONS_CONFLICT) throw error;
        await storeGrowth(db, name, field, expireAfterSeconds);
        await db.command({ collMod: name, index: { keyPattern, expireAfterSeconds } });
      }
    }),
  );
}

/**
 * Comes before the change of the index, so that verification never sees the new retention alone.
 */
async function storeGrowth(
  db: mongo.Db,
  name: string,
  field: string,
  nextSeconds: number,
): Promise<void> {
  const indexes = await db.collection(name).indexes();
  const before = indexes.find(({ key }) => Object.keys(key).join() === field)?.expireAfterSeconds;
  if (before === undefined || before >= nextSeconds) return;
  const since = new Date(Date.now() - before * 1_000);
  await db
    .collection<Kept>("webhook_retention")
    .updateOne({ _id: name }, { $max: { since } }, { upsert: true });
}
