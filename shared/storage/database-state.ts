// The state of a database, which `npm run migrate` writes and every service reads at its start: its
// mode, sandbox or live, for good, and the version of its schema. A service in the other mode is
// refused, because it would pay out sandbox money for real. A service that is too old for the
// schema is refused, because it would misread documents.

import type { mongo } from "mongoose";
import { type Config, ConfigError } from "../config/config.ts";
import { SCHEMA_VERSION } from "./schema-version.ts";

export type Mode = "sandbox" | "live";

export interface ModeDocument {
  _id: "mode";
  mode: Mode;
}

/** Both numbers are those of shared/storage/schema-version.ts, in the code that migrated last. */
export interface SchemaDocument {
  _id: "schema";
  version: number;
  readableFrom: number;
}

/** The collection of both documents. */
export const STATE = "database_mode";

export interface DatabaseState {
  mode: Mode | undefined;
  schema: SchemaDocument | undefined;
}

/** Reads majority-committed data. */
export async function readState(db: mongo.Db): Promise<DatabaseState> {
  const documents = await db
    .collection<{ _id: string }>(STATE)
    .find({ _id: { $in: ["mode", "schema"] } }, { readConcern: { level: "majority" } })
    .toArray();
  const find = (wanted: string) => documents.find(({ _id }) => _id === wanted);
  const mode = find("mode") as ModeDocument | undefined;
  return { mode: mode?.mode, schema: find("schema") as SchemaDocument | undefined };
}

/** The configured mode. */
export function modeOf({ sandbox }: Pick<Config, "sandbox">): Mode {
  return sandbox ? "sandbox" : "live";
}

/**
 * Accepts a database that this code may use, whether it is migrated or not.
 * @throws ConfigError if it has the other mode, or a newer schema that this code cannot read
 */
export function requireUsable(
  name: string,
  { mode, schema }: DatabaseState,
  config: Pick<Config, "sandbox">,
): void {
  if (mode !== undefined && mode !== modeOf(config)) {
    throw new ConfigError(
      mode === "live"
        ? `The database ${name} is a live system's and SANDBOX is true: set SANDBOX=false, or set MONGO_URL or DATA_DIR to another database for the sandbox.`
        : `The database ${name} is a sandbox's and SANDBOX is false: set SANDBOX=true, or set MONGO_URL or DATA_DIR to another database for the live system.`,
    );
  }
  if (schema && schema.readableFrom > SCHEMA_VERSION) {
    throw new ConfigError(
      `The database ${name} has schema ${schema.version}, which versions from schema ${schema.readableFrom} on can read; this version has schema ${SCHEMA_VERSION}: start a newer version of payrail.`,
    );
  }
}

/** The part that `npm run migrate` still has to write, in words; null if nothing. */
export function findUnmigrated(name: string, { mode, schema }: DatabaseState): string | null {
  if (mode === undefined) return `the database ${name} is not set up`;
  if (schema && schema.version >= SCHEMA_VERSION) return null;
  const has = schema ? `schema ${schema.version}` : "no schema version";
  return `the database ${name} has ${has}, and this version needs schema ${SCHEMA_VERSION}`;
}
