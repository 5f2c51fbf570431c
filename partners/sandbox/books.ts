// The sandbox's reads and writes of many documents of its books. The context's database writes and
// reads with a majority, so no election takes back an answer of the sandbox.

import { mongo } from "mongoose";

const DUPLICATE_KEY = 11_000;

/**
 * Inserts documents, each independently of the others.
 * @returns the positions of those whose id the book had already
 * @throws any other error, which leaves it unknown which documents are stored
 */
export async function insertNew<T extends { _id: string }>(
  book: mongo.Collection<T>,
  documents: readonly T[],
): Promise<number[]> {
  try {
    const inserts = documents as mongo.OptionalUnlessRequiredId<T>[];
    await book.insertMany(inserts, { ordered: false });
    return [];
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
    const refused = error.result.getWriteErrors();
    // Without the majority, an election can take back the documents beside the refused ones.
    const isDurable = error.result.getWriteConcernError() === undefined;
    // The driver throws a lost connection as a write error too, and then no document is refused.
    const isAnswer = refused.length > 0 && refused.every(({ code }) => code === DUPLICATE_KEY);
    if (!isDurable || !isAnswer) throw error;
    return refused.map(({ index }) => index);
  }
}

/** The documents with these ids, by their id. */
export async function readAll<T extends { _id: string }>(
  book: mongo.Collection<T>,
  ids: readonly string[],
): Promise<Map<string, T>> {
  const wanted = { _id: { $in: ids } } as mongo.Filter<T>;
  // One more than can be found: the server then closes the cursor with its first reply.
  const found = (await book.find(wanted, { batchSize: ids.length + 1 }).toArray()) as T[];
  return new Map(found.map((document) => [document._id, document]));
}
