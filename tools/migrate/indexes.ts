// Makes a collection and its indexes. An index with other options than the model's is replaced: the
// new one is built first, and the old one dropped after it, so that a unique index never leaves a
// gap while services write. Of the indexes that no model names only the retired ones are dropped.
//
// A build blocks neither reads nor writes, except for a moment at its beginning and its end
// (MongoDB 4.4 and later). If the command is interrupted, the server completes the build, and the
// next run waits for it.

import type { mongo, Schema } from "mongoose";
import { isDuplicate } from "../../shared/storage/database.ts";
import {
  describeIndex,
  hasSameDefinition,
  type Index,
  indexesOf,
  readIndexes,
} from "../../shared/storage/indexes.ts";
import { duration, grouped } from "../platform/output.ts";
import { type Say, SetupError } from "../platform/processes.ts";
import type { RetiredIndex } from "./retired.ts";

const COLLECTION_EXISTS = 48;
const NO_SUCH_INDEX = 27;
const OPTIONS_CONFLICT = 85;
const STILL_BUILDING_EVERY_MS = 10_000;

/** @throws SetupError if documents contradict a unique index */
export async function makeCollection(
  db: mongo.Db,
  name: string,
  schema: Schema,
  say: Say,
): Promise<void> {
  const collection = db.collection(name);
  const wanted = indexesOf(schema);
  let found = await readIndexes(db, name);
  if (found === null) {
    await db.createCollection(name).catch(ignore(COLLECTION_EXISTS));
    found = [];
  }
  const missing = wanted.filter((index) => !found.some((each) => hasSameDefinition(index, each)));
  if (missing.length === 0) return;
  const replaced = found.filter(
    (each) =>
      !wanted.some((index) => hasSameDefinition(index, each)) &&
      missing.some((index) => namesOf(index).includes(each.name)),
  );
  const taken = found.map((each) => each.name);
  const named = missing.map((index) => ({ ...index, name: freeName(index, taken) }));
  const count = found.length > 0 ? await collection.estimatedDocumentCount() : 0;
  await withProgress(name, missing, count, say, () => build(collection, named, replaced, say));
  for (const { name: old } of replaced) {
    await collection.dropIndex(old).catch(ignore(NO_SUCH_INDEX));
    say(`${name}: dropped the old index ${old}`);
  }
}

/** Drops an index, under any name, if the collection has it. */
export async function dropRetired(
  db: mongo.Db,
  { collection, index }: Pick<RetiredIndex, "collection" | "index">,
  say: Say,
): Promise<void> {
  const found = (await readIndexes(db, collection)) ?? [];
  for (const { name } of found.filter((each) => hasSameDefinition({ name: "", ...index }, each))) {
    await db.collection(collection).dropIndex(name).catch(ignore(NO_SUCH_INDEX));
    say(`${collection}: dropped the index ${name}, which no query uses`);
  }
}

/** The name of an index, and that of the index that replaces it, which swap with each change. */
function namesOf({ name }: Index): [string, string] {
  return [name, `${name}_changed`];
}

function freeName(index: Index, taken: string[]): string {
  const [usual, other] = namesOf(index);
  return taken.includes(usual) ? other : usual;
}

async function build(
  collection: mongo.Collection,
  indexes: Index[],
  replaced: Index[],
  say: Say,
): Promise<void> {
  try {
    await collection.createIndexes(indexes as mongo.IndexDescription[]);
  } catch (error) {
    if (isDuplicate(error)) {
      throw new SetupError(
        `${collection.collectionName} has documents that a unique index forbids: ${(error as Error).message}; correct them and run npm run migrate again.`,
      );
    }
    if ((error as { code?: number }).code !== OPTIONS_CONFLICT) throw error;
    for (const index of indexes) await buildInPlace(collection, index, replaced, say);
  }
}

/**
 * Builds an index that MongoDB does not keep beside the old one, because they differ only in their
 * expiry. The old one is dropped first.
 */
async function buildInPlace(
  collection: mongo.Collection,
  index: Index,
  replaced: Index[],
  say: Say,
): Promise<void> {
  try {
    await collection.createIndexes([index] as mongo.IndexDescription[]);
  } catch (error) {
    const key = JSON.stringify(index.key);
    const old = replaced.find((each) => JSON.stringify(each.key) === key);
    if ((error as { code?: number }).code !== OPTIONS_CONFLICT || index.unique) throw error;
    if (!old) {
      throw new SetupError(
        `${collection.collectionName} has an index on ${key} that payrail did not make and that differs in its expiry; drop it and run npm run migrate again.`,
      );
    }
    say(`${collection.collectionName}: ${key} is missing until it is built again`);
    await collection.dropIndex(old.name).catch(ignore(NO_SUCH_INDEX));
    await collection.createIndexes([index] as mongo.IndexDescription[]);
  }
}

/** Names an index of a collection with documents while it is being built. */
async function withProgress(
  name: string,
  indexes: Index[],
  count: number,
  say: Say,
  work: () => Promise<void>,
): Promise<void> {
  if (count === 0) return work();
  const began = Date.now();
  const all = indexes.map(describeIndex).join(", ");
  say(`${name}: building ${all} over about ${grouped(count)} documents`);
  const still = setInterval(() => {
    say(`${name}: still building after ${duration(Date.now() - began)}`);
  }, STILL_BUILDING_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(still);
  }
  say(`${name}: built in ${duration(Date.now() - began)}`);
}

/** Ignores the error of a command that another migration has run at the same moment. */
function ignore(ignored: number) {
  return (error: unknown) => {
    if ((error as { code?: number }).code !== ignored) throw error;
  };
}
