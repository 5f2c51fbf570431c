// The state that a migration writes into a database: the mode before anything else, because one of
// two migrations that start at the same time decides it for good, and the schema's version after
// everything else.

import type { mongo } from "mongoose";
import type { Config } from "../../shared/config/config.ts";
import { fail } from "../../shared/errors.ts";
import { isDuplicate, MAJORITY } from "../../shared/storage/database.ts";
import {
  type DatabaseState,
  type Mode,
  type ModeDocument,
  modeOf,
  readState,
  requireUsable,
  type SchemaDocument,
  STATE,
} from "../../shared/storage/database-state.ts";
import { READABLE_FROM, SCHEMA_VERSION } from "../../shared/storage/schema-version.ts";

/** The collection that has documents in every database on which the ledger has ever started. */
const OF_ANY_LEDGER = "ledger_watermarks";
const DURABLE = { writeConcern: { w: "majority", j: true } } as const;

/**
 * Claims the configured mode for a database: writes it if the database has none, and only reads it
 * otherwise. It is the first write to a new database.
 * @throws ConfigError if the database has the other mode, or a newer schema that this code cannot
 *   read
 */
export async function claim(db: mongo.Db, config: Pick<Config, "sandbox">): Promise<DatabaseState> {
  const found = await readState(db);
  const mode = found.mode ?? (await writeMode(db, modeOf(config)));
  const state = { ...found, mode };
  requireUsable(db.databaseName, state, config);
  return state;
}

/** @returns the majority-committed mode, which may come from another migration */
async function writeMode(db: mongo.Db, asked: Mode): Promise<Mode> {
  // A ledger database without a mode is older than modes, and is a sandbox. Another migration may
  // write its mode after this read; the upsert below then leaves that mode as it is.
  const isOlder = await db.collection(OF_ANY_LEDGER).findOne({}, MAJORITY);
  try {
    const written = await db
      .collection<ModeDocument>(STATE)
      .findOneAndUpdate(
        { _id: "mode" },
        { $setOnInsert: { mode: isOlder ? "sandbox" : asked } },
        { upsert: true, returnDocument: "after", ...DURABLE },
      );
    return written?.mode ?? fail("UNAVAILABLE");
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return (await readState(db)).mode ?? fail("UNAVAILABLE");
  }
}

/** Writes the version of this code's schema. It never lowers a newer migration's version. */
export async function writeSchema(db: mongo.Db): Promise<void> {
  const numbers = { version: SCHEMA_VERSION, readableFrom: READABLE_FROM };
  const schemas = db.collection<SchemaDocument>(STATE);
  const write = () =>
    schemas.updateOne({ _id: "schema" }, { $max: numbers }, { upsert: true, ...DURABLE });
  try {
    await write();
  } catch (error) {
    // Another migration inserted it at the same moment, so this one updates it.
    if (!isDuplicate(error)) throw error;
    await write();
  }
}
