// Inserts and updates of the hot paths as plain commands, and the only reader of their replies. The
// driver's bulk API walks each document twice, and each statement of a retryable write costs the
// server a second write, into config.transactions.
//
// Nothing is sent twice. After an election or a lost connection the outcome is unknown, and the
// caller finds it out, or answers that it is unknown.
//
// Invariant: a statement counts as done only if the reply proves it. Unique indexes decide between
// nodes, so this reading decides whether money counts as moved. A reply proves it for the
// statements beside the refused ones, because the server answers for each of them, but only if the
// write concern was met: without it a majority may lack them, and an election can take them back.
// Any error (a lost connection, a timeout) proves nothing.

import { mongo } from "mongoose";

/** A write counts only after a majority has journalled it, because no election takes it back. */
const DURABLE = { w: "majority", j: true } as const;

export interface WriteOptions {
  session?: mongo.ClientSession;
  /** By default `DURABLE`. */
  writeConcern?: { w: "majority" | number; j: boolean; wtimeout?: number };
  /** Whether the write ends at the first refused statement; by default each is independent. */
  ordered?: boolean;
}

/** The server's error for one statement. */
export interface WriteRefusal extends mongo.MongoServerError {
  /** The statement's index in the call. */
  index: number;
  code: number;
}

export interface Statement<T extends mongo.Document> {
  filter: mongo.Filter<T>;
  update: mongo.UpdateFilter<T> | mongo.Document[];
  /** Whether it updates all documents that match, and not only the first one. */
  multi?: boolean;
  upsert?: boolean;
}

/** The numbers of documents of an update. */
export interface Updated {
  /** Those that matched, or were inserted by an upsert. */
  matched: number;
  modified: number;
}

/**
 * Inserts documents, at least one.
 * @returns the refused documents; all others are stored for good, in an ordered insert those before
 *   the refused one
 * @throws any error leaves it unknown which documents are stored
 */
export async function runInsert<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  documents: T[],
  options?: WriteOptions,
): Promise<WriteRefusal[]> {
  return (await run(collection, "insert", documents, options)).refused;
}

/**
 * Updates documents by at least one statement.
 * @throws any error leaves it unknown which statements are done; a refused statement is one
 */
export async function runUpdate<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  statements: Statement<T>[],
  options?: WriteOptions,
): Promise<Updated> {
  const updates = statements.map(({ filter: q, update: u, multi = false, upsert = false }) => {
    return { q, u, multi, upsert };
  });
  const { refused, ...updated } = await run(collection, "update", updates, options);
  for (const refusal of refused) throw refusal;
  return updated;
}

const LISTS = { insert: "documents", update: "updates" } as const;

interface Written extends Updated {
  refused: WriteRefusal[];
}

/** Sends a list in one command, or in halves if it is too large for one. */
async function run<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  kind: keyof typeof LISTS,
  list: mongo.Document[],
  options: WriteOptions = {},
): Promise<Written> {
  try {
    return await send(collection, kind, list, options);
  } catch (error) {
    if (list.length === 1 || !isTooLarge(error)) throw error;
  }
  const half = Math.ceil(list.length / 2);
  const first = await run(collection, kind, list.slice(0, half), options);
  if (options.ordered && first.refused.length > 0) return first;
  const second = await run(collection, kind, list.slice(half), options);
  for (const refusal of second.refused) refusal.index += half;
  return {
    matched: first.matched + second.matched,
    modified: first.modified + second.modified,
    refused: [...first.refused, ...second.refused],
  };
}

/**
 * Whether a command is larger than the 16 MB that it may have, so that nothing of it was done: the
 * driver's serializer could not hold it, or the server refused to read it.
 */
function isTooLarge(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "ERR_OUT_OF_RANGE" || code === 10_334;
}

async function send<T extends mongo.Document>(
  { db, collectionName }: mongo.Collection<T>,
  kind: keyof typeof LISTS,
  list: mongo.Document[],
  { session, writeConcern = DURABLE, ordered = false }: WriteOptions,
): Promise<Written> {
  const command = { [kind]: collectionName, [LISTS[kind]]: list, ordered, writeConcern };
  const reply = await db.command(command, session && { session });
  const { n, nModified = 0, writeErrors = [], writeConcernError } = reply;
  // The driver throws it, and a reply with `ok: 0`; no version of it may let one pass.
  if (writeConcernError) throw new mongo.MongoServerError(writeConcernError);
  const refused = writeErrors.map((each: mongo.Document) => new mongo.MongoServerError(each));
  return { matched: n, modified: nModified, refused };
}
