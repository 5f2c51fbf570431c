// Stores the search keys of end users that were created before the search.

import type { mongo } from "mongoose";
import type { Entity } from "../../services/accounts/entity.model.ts";
import { findableEntity } from "../../services/accounts/lists/search-keys.ts";

const BATCH = 500;

/** An erasure that comes first has changed the email, and its end user stays without keys. */
export async function storeSearchKeys(db: mongo.Db): Promise<void> {
  const entities = db.collection<Entity>("entities");
  const without = { entityType: "USER", keys: { $exists: false } } as const;
  const isPresent = { "erasure.step": { $ne: "erased" } } as const;
  let batch: mongo.AnyBulkWriteOperation<Entity>[] = [];
  const flush = async () => {
    if (batch.length > 0) await entities.bulkWrite(batch, { ordered: false });
    batch = [];
  };
  for await (const entity of entities.find({ ...without, ...isPresent })) {
    const { _id, email } = entity;
    batch.push({
      updateOne: { filter: { _id, email, ...without }, update: { $set: findableEntity(entity) } },
    });
    if (batch.length === BATCH) await flush();
  }
  await flush();
}
