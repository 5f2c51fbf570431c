// Inserts of many documents at once, with what became of each: unique indexes are how several nodes
// agree on who was first.

import type { mongo } from "mongoose";
import { isDuplicate } from "./database.ts";

/** `taken`: a unique index has it already. An Error leaves it unknown whether it was inserted. */
export type Inserted = "inserted" | "taken" | Error;

/** Inserts documents, each on its own. @returns what became of each, in order */
export async function insertAll<T extends { _id: string }>(
  collection: mongo.Collection<T>,
  documents: T[],
): Promise<Inserted[]> {
  if (documents.length === 0) return [];
  try {
    const all = documents as mongo.OptionalUnlessRequiredId<T>[];
    await collection.insertMany(all, { ordered: false });
    return documents.map(() => "inserted");
  } catch (error) {
    const { writeErrors, result } = error as mongo.MongoBulkWriteError;
    const refusals = Array.isArray(writeErrors) ? writeErrors : [];
    // With write errors alone the others are in; with anything else beside them nobody knows.
    const othersAreIn = refusals.length > 0 && !result?.getWriteConcernError();
    const results: Inserted[] = documents.map(() => (othersAreIn ? "inserted" : (error as Error)));
    for (const refusal of refusals) {
      const isTaken = isDuplicate(refusal);
      results[refusal.index] = isTaken ? "taken" : new Error(refusal.errmsg ?? "Not inserted");
    }
    return results;
  }
}
