// Retention: events and deliveries, with their attempts, are removed by the database some time after
// they came to be. The indexes that do so follow the setting. Where it grows, what was removed before
// is missing still, and it is written down since when nothing is: verification goes by that.

import type { mongo } from "mongoose";

/** What expires, by the field that says how old it is. */
const EXPIRING = { webhook_events: "at", webhook_deliveries: "createdAt" };
const INDEX_OPTIONS_CONFLICT = 85;

/** Of a collection whose retention has grown. */
export interface Kept {
  _id: string;
  /** What is younger than that is there as long as the retention says. */
  since: Date;
}

/** Has both expire after that time, whatever was set before. */
export async function expireAfter(db: mongo.Db, retentionMs: number): Promise<void> {
  const expireAfterSeconds = Math.ceil(retentionMs / 1_000);
  await Promise.all(
    Object.entries(EXPIRING).map(async ([name, field]) => {
      const keyPattern = { [field]: 1 as const };
      try {
        await db.collection(name).createIndex(keyPattern, { expireAfterSeconds });
      } catch (error) {
        if ((error as { code?: number }).code !== INDEX_OPTIONS_CONFLICT) throw error;
        await writeDownGrowth(db, name, field, expireAfterSeconds);
        await db.command({ collMod: name, index: { keyPattern, expireAfterSeconds } });
      }
    }),
  );
}

/** Before the index is changed, so that nobody goes by the new retention alone. */
async function writeDownGrowth(
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
