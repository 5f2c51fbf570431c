// Reads documents by id or another unique field, by default as the majority has them; concurrent
// reads share one query.

import type { mongo } from "mongoose";
import { gather } from "../resumable/gather.ts";
import { inOneReply, MAJORITY } from "./database.ts";

const BATCH = { maxItems: 500 };

/** Reads a document; null if it does not exist. */
export function gatherById<T extends { _id: string }>(
  documents: mongo.Collection<T>,
  bounds = BATCH,
  options: mongo.FindOptions = MAJORITY,
): (id: string) => Promise<T | null> {
  return gatherBy(documents, "_id", bounds, options);
}

/** Reads a document by a field that is unique; null if it does not exist. */
export function gatherBy<T extends mongo.Document>(
  documents: mongo.Collection<T>,
  field: keyof T & string,
  bounds = BATCH,
  options: mongo.FindOptions = MAJORITY,
): (value: string) => Promise<T | null> {
  return gather<string, T | null>(async (values) => {
    const wanted = { [field]: { $in: values } } as mongo.Filter<T>;
    const whole = { ...options, ...inOneReply(values.length) };
    const found = (await documents.find(wanted, whole).toArray()) as T[];
    const byValue = new Map(found.map((document) => [document[field] as string, document]));
    return values.map((value) => byValue.get(value) ?? null);
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
