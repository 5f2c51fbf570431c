// Reads of documents by their ids, as the majority has them: those that are asked for at the same time
// share one.

import type { mongo } from "mongoose";
import { MAJORITY } from "./database.ts";
import { gather } from "./gather.ts";

const BATCH = { maxItems: 500 };

/** Reads a document; null where it is not there. */
export function gatherById<T extends { _id: string }>(
  documents: mongo.Collection<T>,
  bounds = BATCH,
): (id: string) => Promise<T | null> {
  return gather<string, T | null>(async (ids) => {
    const wanted = { _id: { $in: ids } } as unknown as mongo.Filter<T>;
    const found = (await documents.find(wanted, MAJORITY).toArray()) as T[];
    const byId = new Map(found.map((document) => [document._id, document]));
    return ids.map((id) => byId.get(id) ?? null);
  }, bounds);
}

/** Reads a document of which somebody knows. @param what it is, for the error where it is not there */
export function gatherKnown<T extends { _id: string }>(
  documents: mongo.Collection<T>,
  what: string,
  bounds = BATCH,
): (id: string) => Promise<T> {
  const find = gatherById(documents, bounds);
  return async (id) => {
    const found = await find(id);
    if (!found) throw new Error(`There is no ${what} ${id}`);
    return found;
  };
}
