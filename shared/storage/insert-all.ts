// Inserts many documents together, with a result for each: if several nodes insert the same
// document, a unique index accepts one.

import type { mongo } from "mongoose";
import { gather } from "../resumable/gather.ts";
import { runInsert } from "./commands.ts";
import { isDuplicate } from "./database.ts";

/**
 * `taken`: another document has the unique key. An Error leaves it unknown whether the document was
 * inserted.
 */
export type Inserted = "inserted" | "taken" | Error;

/** Inserts documents, each independently of the others. @returns a result for each, in order */
export async function insertAll<T extends { _id: string }>(
  collection: mongo.Collection<T>,
  documents: T[],
): Promise<Inserted[]> {
  if (documents.length === 0) return [];
  try {
    const results: Inserted[] = documents.map(() => "inserted");
    for (const refusal of await runInsert(collection, documents)) {
      results[refusal.index] = isDuplicate(refusal) ? "taken" : refusal;
    }
    return results;
  } catch (error) {
    return documents.map(() => error as Error);
  }
}

const BATCH = { maxItems: 500 };

/**
 * Inserts a document, together with others; rejects if it is unknown whether the document was
 * inserted.
 */
export function gatherInserts<T extends { _id: string }>(
  collection: mongo.Collection<T>,
  bounds = BATCH,
): (document: T) => Promise<Exclude<Inserted, Error>> {
  return gather((documents: T[]) => insertAll(collection, documents), bounds);
}
