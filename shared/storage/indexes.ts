// Indexes: options that several collections use, and the comparison of the indexes that the models
// define with those that a database has.

import { isDeepStrictEqual } from "node:util";
import type { mongo, Schema } from "mongoose";

/** The options of an index of the documents that have a field. */
export const whereSet = (field: string) => ({
  partialFilterExpression: { [field]: { $exists: true } },
});

/**
 * The options of an expiring index whose term is a setting. It begins with the longest term that
 * MongoDB knows, 68 years, so that nothing expires before the service sets the configured term.
 */
export const EXPIRES_BY_SETTING = { expireAfterSeconds: 2_147_483_647 };

/** An index as MongoDB's createIndexes takes it and listIndexes shows it. */
export interface Index {
  name: string;
  key: Record<string, unknown>;
  unique?: boolean;
  sparse?: boolean;
  partialFilterExpression?: object;
  expireAfterSeconds?: number;
}

/** The indexes of a model, under MongoDB's default names. */
export function indexesOf(schema: Schema): Index[] {
  return schema.indexes().map(([key, { background: _background, ...options }]) => ({
    ...(options as Partial<Index>),
    key: key as Index["key"],
    name: Object.entries(key).flat().join("_"),
  }));
}

const NO_SUCH_COLLECTION = 26;

/**
 * The indexes of a collection; null if there is no such collection. An index that is being built is
 * not one of them, although the driver's own method lists it, because a unique one refuses no
 * document before the end of its build.
 */
export async function readIndexes(db: mongo.Db, collection: string): Promise<Index[] | null> {
  try {
    const { cursor } = await db.command({ listIndexes: collection, includeBuildUUIDs: true });
    const listed: (Index & { buildUUID?: unknown })[] = cursor.firstBatch;
    return listed.filter(({ buildUUID }) => buildUUID === undefined);
  } catch (error) {
    if ((error as { code?: number }).code === NO_SUCH_COLLECTION) return null;
    throw error;
  }
}

/** Whether an index is the wanted one, under any name. */
export function hasSameDefinition(wanted: Index, found: Index): boolean {
  return isDeepStrictEqual(terms(wanted), terms(found)) && expiresAs(wanted, found);
}

/** The order of the fields of a key matters. */
function terms({ key, unique = false, sparse = false, partialFilterExpression }: Index) {
  return { key: JSON.stringify(key), unique, sparse, partialFilterExpression };
}

function expiresAs(wanted: Index, found: Index): boolean {
  const isBySetting = wanted.expireAfterSeconds === EXPIRES_BY_SETTING.expireAfterSeconds;
  if (isBySetting) return found.expireAfterSeconds !== undefined;
  return found.expireAfterSeconds === wanted.expireAfterSeconds;
}

export function describeIndex({ key, unique }: Index): string {
  return `${unique ? "unique " : ""}${JSON.stringify(key)}`;
}

/**
 * The collections and indexes that models define and the database has not, or has with other
 * options, in words.
 */
export async function findMissing(
  db: mongo.Db,
  schemas: Record<string, Schema>,
): Promise<string[]> {
  const missing = Object.entries(schemas).map(async ([name, schema]) => {
    const found = await readIndexes(db, name);
    if (found === null) return [`the collection ${name}`];
    const wanted = indexesOf(schema);
    const others = wanted.filter((index) => !found.some((each) => hasSameDefinition(index, each)));
    return others.map((index) => `the index ${describeIndex(index)} of ${name}`);
  });
  return (await Promise.all(missing)).flat();
}
