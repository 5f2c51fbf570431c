// Retention: events and deliveries, with their attempts, are removed by the database some time after
// they came to be. The indexes that do so follow the setting.

import type { mongo } from "mongoose";

/** What expires, by the field that says how old it is. */
const EXPIRING = { webhook_events: "at", webhook_deliveries: "createdAt" };
const INDEX_OPTIONS_CONFLICT = 85;

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
        await db.command({ collMod: name, index: { keyPattern, expireAfterSeconds } });
      }
    }),
  );
}
