// Databases: one connection for each service, opened when it starts and closed when it stops, with the
// write concern that money needs. A service has collections of its own, and no service reads another's;
// verification/ reads all of them with a user that may only read.
//
// A database has a mode: a sandbox's or live. The first service that starts on it writes the mode, for
// good, and a start in the other mode is refused, because money that was funded in the sandbox would be
// paid out for real.

import mongoose, { type Connection, type Model, type Schema } from "mongoose";
import { type Config, ConfigError } from "./env.ts";
import { fail } from "./errors.ts";

type Models<S extends Record<string, Schema>> = {
  [K in keyof S]: S[K] extends Schema<infer T> ? Model<T> : never;
};

export interface Database<S extends Record<string, Schema>> {
  /** The service's models; usable once `open` is through. */
  models: Models<S>;
  connection: Connection;
  /**
   * Connects, claims the database's mode and makes the indexes; ends within 20 s where no server answers.
   * @throws ConfigError where the database is of the other mode (claimMode)
   */
  open(): Promise<void>;
  close(): Promise<void>;
  /** Fails with UNAVAILABLE where the database does not answer within two seconds. */
  ping(): Promise<void>;
}

/**
 * The database of one service.
 * @param service names the connection, for the server's log
 * @param schemas by the name of their collection
 */
export function database<S extends Record<string, Schema>>(
  config: Config,
  service: string,
  schemas: S,
): Database<S> {
  const connection = mongoose.createConnection();
  const models = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, connection.model(name, schema, name)]),
  ) as unknown as Models<S>;
  return {
    models,
    connection,
    async open() {
      await connection.openUri(config.mongoUrl as string, {
        appName: `payrail-${service}`,
        autoIndex: false,
        bufferCommands: false,
        serverSelectionTimeoutMS: 5_000,
        connectTimeoutMS: 5_000,
        w: "majority",
        journal: true,
        readPreference: "primary",
        maxPoolSize: 20,
      });
      await claimMode(connection, config);
      await Promise.all(
        Object.values(models).map((model: Model<unknown>) => model.createIndexes()),
      );
    },
    async close() {
      await connection.close();
    },
    async ping() {
      try {
        await connection.db?.command({ ping: 1 }, { timeoutMS: 2_000 });
      } catch {
        fail("UNAVAILABLE");
      }
    },
  };
}

type Mode = "sandbox" | "live";

interface ModeDocument {
  _id: "mode";
  mode: Mode;
}

const COLLECTION = "database_mode";
/** Has documents in every database that the ledger ever started on. */
const OF_ANY_LEDGER = "ledger_watermarks";

/**
 * Has a database in the mode of the configuration: writes the mode where the database has none. Comes
 * before any other write to the database. Of services that start at the same time on a new database, one
 * decides; where the mode is written already, it is only read.
 * @throws ConfigError where the database is of the other mode
 */
export async function claimMode(
  connection: Connection,
  { sandbox }: Pick<Config, "sandbox">,
): Promise<void> {
  const asked: Mode = sandbox ? "sandbox" : "live";
  const mode = (await readMode(connection)) ?? (await writeMode(connection, asked));
  if (mode === asked) return;
  const { name } = connection;
  throw new ConfigError(
    mode === "live"
      ? `The database ${name} is a live system's and SANDBOX is true: set SANDBOX=false, or set MONGO_URL or DATA_DIR to another database for the sandbox.`
      : `The database ${name} is a sandbox's and SANDBOX is false: set SANDBOX=true, or set MONGO_URL or DATA_DIR to another database for the live system.`,
  );
}

function collectionOf(connection: Connection) {
  return connection.getClient().db(connection.name).collection<ModeDocument>(COLLECTION);
}

async function readMode(connection: Connection): Promise<Mode | undefined> {
  return (await collectionOf(connection).findOne({ _id: "mode" }, MAJORITY))?.mode;
}

/** @returns the mode that a majority has, whichever service wrote it */
async function writeMode(connection: Connection, asked: Mode): Promise<Mode> {
  const db = connection.getClient().db(connection.name);
  // Databases from before modes were written are sandboxes. A service that has written its mode
  // meanwhile may have gone on to the ledger, but then the mode is there and stays.
  const isOlder = await db.collection(OF_ANY_LEDGER).findOne({}, MAJORITY);
  try {
    const written = await collectionOf(connection).findOneAndUpdate(
      { _id: "mode" },
      { $setOnInsert: { mode: isOlder ? "sandbox" : asked } },
      { upsert: true, returnDocument: "after", writeConcern: { w: "majority", j: true } },
    );
    return written?.mode ?? fail("UNAVAILABLE");
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return (await readMode(connection)) ?? fail("UNAVAILABLE");
  }
}

/** Read options: only what no election takes back. Writes are majority by the connection's own. */
export const MAJORITY = { readConcern: { level: "majority" } } as const;

const DUPLICATE_KEY = 11_000;

/** Whether a write was refused by a unique index; by that one, where its first field is named. */
export function isDuplicate(error: unknown, field?: string): boolean {
  const { code, keyPattern } = error as { code?: number; keyPattern?: Record<string, unknown> };
  return code === DUPLICATE_KEY && (field === undefined || Object.hasOwn(keyPattern ?? {}, field));
}
