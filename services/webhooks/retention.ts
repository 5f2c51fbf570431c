// Retention: the database removes events and deliveries some time after their creation, by TTL
// indexes that follow the setting. After the setting grows, older documents are still missing; so
// the moment since which none is missing is stored, and verification reads it.

import { type mongo, Schema } from "mongoose";
import type { Clock } from "../../shared/clock.ts";

/** The expiring collections with the field of their creation. */
const EXPIRING = { webhook_events: "at", webhook_deliveries: "createdAt" };

/** A collection with a longer retention than before. */
export interface LongerRetention {
  _id: string;
  /** Documents that are younger than this are kept for the whole retention. */
  since: Date;
}

export const keptSchema = new Schema<LongerRetention>(
  { _id: { type: String, required: true }, since: { type: Date, required: true } },
  { versionKey: false },
);

/** Sets the retention of both collections. @param retentionMs time after creation */
export async function expireAfter(db: mongo.Db, clock: Clock, retentionMs: number): Promise<void> {
  const expireAfterSeconds = Math.ceil(retentionMs / 1_000);
  await Promise.all(
    Object.entries(EXPIRING).map(async ([name, field]) => {
      const before = await readTerm(db, name, field);
      if (before === expireAfterSeconds) return;
      if (before < expireAfterSeconds)
        await storeGrowth(db, name, new Date(clock.now() - before * 1_000));
      const keyPattern = { [field]: 1 };
      await db.command({ collMod: name, index: { keyPattern, expireAfterSeconds } });
    }),
  );
}

/** The seconds after creation at which documents expire. */
async function readTerm(db: mongo.Db, name: string, field: string): Promise<number> {
  const indexes = await db.collection(name).indexes();
  const expiring = indexes.find(({ key }) => Object.keys(key).join() === field);
  return expiring?.expireAfterSeconds as number;
}

/**
 * Comes before the change of the index, so that verification never sees the new retention alone.
 */
async function storeGrowth(db: mongo.Db, name: string, since: Date): Promise<void> {
  await db
    .collection<LongerRetention>("webhook_retention")
    .updateOne({ _id: name }, { $max: { since } }, { upsert: true });
}
