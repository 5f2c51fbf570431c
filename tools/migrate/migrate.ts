// Migration: brings a database to this version's schema, while services run. It may be interrupted
// and repeated. Two at the same time do no harm, because each step only adds missing things or drops
// unused ones, and MongoDB builds an index once for all that ask for it.

import mongoose, { type mongo, type Schema } from "mongoose";
import type { Config } from "../../shared/config/config.ts";
import { READABLE_FROM, SCHEMA_VERSION } from "../../shared/storage/schema-version.ts";
import type { Say } from "../platform/processes.ts";
import { DATA_MIGRATIONS } from "./data.ts";
import { dropRetired, makeCollection } from "./indexes.ts";
import { RETIRED, type RetiredIndex } from "./retired.ts";
import { SCHEMAS } from "./schemas.ts";
import { claim, writeSchema } from "./state.ts";

type Schemas = Record<string, Schema>;

/** The collections of all services. */
const ALL: Schemas = Object.assign({}, ...Object.values(SCHEMAS));

interface Options {
  say?: Say;
  /** The collections to make, by name; those of all services by default. */
  schemas?: Schemas;
  retired?: RetiredIndex[];
}

/**
 * Migrates a database.
 * @throws ConfigError if it has the other mode, or a newer schema that this code cannot read;
 *   SetupError if documents contradict a unique index
 */
export async function migrate(
  db: mongo.Db,
  config: Pick<Config, "sandbox">,
  { say = () => {}, schemas = ALL, retired = RETIRED }: Options = {},
): Promise<void> {
  const { schema } = await claim(db, config);
  const before = schema?.version ?? 0;
  if (before > SCHEMA_VERSION) {
    // After a rollback. Its indexes are the newer version's, and this version works with them.
    say(`${db.databaseName} has the newer schema ${before}; nothing is changed`);
    return;
  }
  const collections = Object.entries(schemas);
  await Promise.all(collections.map(([name, each]) => makeCollection(db, name, each, say)));
  for (const { unusedSince, ...each } of retired) {
    if (unusedSince <= READABLE_FROM) await dropRetired(db, each, say);
  }
  for (const { version, does, run } of DATA_MIGRATIONS) {
    if (version <= before) continue;
    // A new database has nothing to change, so its user is not told of it.
    if (before > 0) say(does);
    await run(db);
  }
  await writeSchema(db);
}

/** Migrates the configured database over a connection of its own. */
export async function migrateConfigured(
  { mongoUrl, ...config }: Pick<Config, "mongoUrl" | "sandbox">,
  options: Options = {},
): Promise<void> {
  const client = new mongoose.mongo.MongoClient(mongoUrl as string);
  try {
    await migrate(client.db(), config, options);
  } finally {
    await client.close();
  }
}
