// The only reader of the error of a bulk insert. Unique indexes decide between nodes, so this
// reading decides whether money counts as moved.
//
// Invariant: a document counts as stored only if the error proves it. The error proves it for the
// documents beside the refused ones, because the server answered for each of them, but only if the
// write concern was met: without it a majority may lack them, and an election can take them back.
// Any other error (a lost connection, a timeout) proves nothing.

import type { mongo } from "mongoose";

/** The part of a bulk insert's error that a decision may rest on. */
export interface BulkRefusals {
  /** The refused documents: their indexes in the call, with the server's code and message. */
  refused: mongo.WriteError[];
  /**
   * Whether all others are stored for good; in an ordered insert, all before the first refused one.
   * False: it is not known which documents are stored, and a refusal as a duplicate does not prove
   * that a majority has the other document.
   */
  othersStored: boolean;
}

/** Reads the error of `insertMany`, of any kind. */
export function readBulkError(error: unknown): BulkRefusals {
  const { writeErrors = [], result } = error as Partial<mongo.MongoBulkWriteError>;
  const refused = [writeErrors].flat();
  return { refused, othersStored: refused.length > 0 && !result?.getWriteConcernError() };
}
