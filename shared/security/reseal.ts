// Rotation of encryption keys: a box that was sealed under an older key of ENCRYPTION_KEYS is
// sealed again under the first, while services keep reading and writing. A box is replaced only if
// it is still the one that was read, so no service's change is lost. Each box is always under a
// configured key, so a run may be interrupted anywhere and repeated. There is no index by key,
// because the command is rare and a walk by `_id` is enough.

import type { mongo } from "mongoose";
import type { Config } from "../config/config.ts";
import type { EncryptionKey } from "../config/env-values.ts";
import { errorType } from "../errors.ts";
import { MAJORITY } from "../storage/database.ts";
import { type Sealed, seal, unseal } from "./seal.ts";

/** A collection with sealed fields, described by the service that owns it. */
export interface SealedCollection<T extends { _id: string }> {
  /** The name of the sealed data, for the operator. */
  name: string;
  collection: mongo.Collection<T>;
  /** The path of the boxes; one of its parts may be a list. */
  path: string;
  /** The documents that have a box under any other key than this one. */
  notUnder(keyId: string): mongo.Filter<T>;
  readBoxes(document: T): { place: string; sealed: Sealed }[];
  /** Replaces a box by another, if it is still there. */
  replace(id: string, old: Sealed, fresh: Sealed): mongo.AnyBulkWriteOperation<T>;
}

export interface Resealed {
  /** The number of boxes that were sealed under the first key. */
  resealed: number;
  /**
   * The number of boxes that cannot be opened and stay unchanged; `reasons` has the first of their
   * errors.
   */
  unreadable: number;
  reasons: string[];
}

type Keys = Pick<Config, "encryptionKeys">;

const BATCH_DOCUMENTS = 500;
const MAX_REASONS = 10;

/** The number of boxes under each key's id. */
export async function countByKey<T extends { _id: string }>({
  collection,
  path,
}: SealedCollection<T>): Promise<Map<string, number>> {
  const list = path.split(".")[0] as string;
  const groups = await collection
    .aggregate<{ _id: string; count: number }>(
      [
        { $unwind: `$${list}` },
        { $group: { _id: `$${path}.keyId`, count: { $sum: 1 } } },
        { $sort: { _id: 1 } },
      ],
      MAJORITY,
    )
    .toArray();
  return new Map(groups.map(({ _id, count }) => [_id, count]));
}

/**
 * Seals all boxes of a collection under the first key.
 * @param onBatch called after each batch with the number of boxes read so far
 */
export async function reseal<T extends { _id: string }>(
  config: Keys,
  sealed: SealedCollection<T>,
  onBatch: (done: number) => void,
): Promise<Resealed> {
  const { collection, notUnder } = sealed;
  const { id: current } = config.encryptionKeys[0] as EncryptionKey;
  const total: Resealed = { resealed: 0, unreadable: 0, reasons: [] };
  let last = "";
  // Ids grow with time, so accounts linked meanwhile come last; a batch that is not full is the
  // last one.
  for (let isFull = true; isFull; ) {
    const after = { $and: [notUnder(current), { _id: { $gt: last } }] } as mongo.Filter<T>;
    const batch = (await collection
      .find(after, MAJORITY)
      .sort({ _id: 1 })
      .hint({ _id: 1 })
      .limit(BATCH_DOCUMENTS)
      .toArray()) as T[];
    const writes = batch.flatMap((document) => replacements(config, sealed, document, total));
    if (writes.length > 0) {
      total.resealed += (await collection.bulkWrite(writes, { ordered: false })).modifiedCount;
    }
    onBatch(total.resealed + total.unreadable);
    last = batch.at(-1)?._id ?? last;
    isFull = batch.length === BATCH_DOCUMENTS;
  }
  return total;
}

/** The writes that a document needs; boxes that cannot be opened are counted. */
function replacements<T extends { _id: string }>(
  config: Keys,
  { readBoxes, replace }: SealedCollection<T>,
  document: T,
  total: Resealed,
): mongo.AnyBulkWriteOperation<T>[] {
  const { id: current } = config.encryptionKeys[0] as EncryptionKey;
  const writes: mongo.AnyBulkWriteOperation<T>[] = [];
  for (const { place, sealed: old } of readBoxes(document)) {
    if (old.keyId === current) continue;
    try {
      const fresh = seal(config, place, unseal(config, place, old));
      writes.push(replace(document._id, old, fresh));
    } catch (error) {
      if (errorType(error) !== "UNREADABLE") throw error;
      total.unreadable += 1;
      if (total.reasons.length < MAX_REASONS) {
        total.reasons.push(`${place}: ${(error as Error).message}`);
      }
    }
  }
  return writes;
}
