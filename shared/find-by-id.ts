// Reads documents by id, by default as the majority has them; concurrent reads share one query.

import type { mongo } from "mongoose";
import { MAJORITY } from "./database.ts";
import { gather } from "./gather.ts";

const BATCH = { maxItems: 500 };

/** Reads a document; null if it does not exist. */
export function gatherById<T extends { _id: string }>(
  documents: mongo.Collection<T>,
  bounds = BATCH,
  options: mongo.FindOptions = MAJORITY,
): (id: string) => Promise<T | null> {
  return gather<string, T | null>(async (ids) => {
    const wanted = { _id: { $in: ids } } as unknown as mongo.Filter<T>;
    const found = (await documents.find(wanted, options).toArray()) as T[];
    const byId = new Map(found.map((document) => [document._id, document]));
    return ids.map((id) => byId.get(id) ?? null);
  }, bounds);
}

/**
 * Reads a document that must exist.
 * @param kind of document, for the error if it does not exist
 */
export function gatherKnown<T extends { _id: string }>(
  documents: mongo.Collection<T>,
  kind: string,
  bounds = BATCH,
): (id: string) => Promise<T> {
  const find = gatherById(documents, bounds);
  return async (id) => {
    const found = await find(id);
    if (!found) throw new Error(`There is no ${kind} ${id}`);
    return found;
  };
}
