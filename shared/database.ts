// Databases: one connection for each service, opened when it starts and closed when it stops, with
// the write concern that money needs. A service has collections of its own, and no service reads
// another's; verification/ reads all of them with a user that may only read.
//
// A database has a mode: sandbox or live. The first service that starts on a database writes the
// mode for good. A start in the other mode is refused, because it would pay out sandbox money for
// real.

import type { ServiceSchema } from "moleculer";
import mongoose, { type Connection, type Model, type mongo, type Schema } from "mongoose";
import { type Config, ConfigError } from "./config.ts";
import { fail } from "./errors.ts";

type Models<S extends Record<string, Schema>> = {
  [K in keyof S]: S[K] extends Schema<infer T> ? Model<T> : never;
};

export interface Database<S extends Record<string, Schema>> {
  /** The service's models; usable after `open`. */
  models: Models<S>;
  /** The driver's collection of a schema, for code that goes without mongoose; as `models`. */
  collection<K extends keyof S & string>(
    name: K,
  ): S[K] extends Schema<infer T extends mongo.Document> ? mongo.Collection<T> : never;
  connection: Connection;
  /**
   * Connects, claims the database's mode and makes the indexes. Fails within 20 s if no server
   * answers.
   * @throws ConfigError if the database has the other mode (claimMode)
   */
  open(): Promise<void>;
  close(): Promise<void>;
  /** @throws UNAVAILABLE if the database does not answer within two seconds */
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
    collection: (name) => connection.getClient().db(connection.name).collection(name) as never,
    async open() {
      await connection.openUri(config.mongoUrl as string, {
        appName: `payrail-${service}`,
        autoIndex: false,
        // mongoose would create the collections before the mode is claimed.
        autoCreate: false,
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
        Object.values(models).map(async (model: Model<unknown>) => {
          await model.createCollection();
          await model.createIndexes();
        }),
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

/**
 * The mixin of a service with a database. Moleculer runs a mixin's `started` before the service's
 * own and its `stopped` after it, so the database is open while the service works. A database that
 * cannot be opened fails the start. `ready` is an action of every such service's contracts.
 */
export function withDatabase({
  open,
  close,
  ping,
}: Pick<Database<never>, "open" | "close" | "ping">): Partial<ServiceSchema> {
  return {
    actions: {
      async ready() {
        await ping();
        return {};
      },
    },
    methods: {
      /** For the process's probe (shared/probes.ts). */
      async notReady(): Promise<string[]> {
        return ping().then(
          () => [],
          () => ["its database does not answer"],
        );
      },
    },
    started: open,
    stopped: close,
  };
}

type Mode = "sandbox" | "live";

interface ModeDocument {
  _id: "mode";
  mode: Mode;
}

const COLLECTION = "database_mode";
/** The collection that has documents in every database on which the ledger has ever started. */
const OF_ANY_LEDGER = "ledger_watermarks";

/**
 * Claims the configured mode for a database: writes it if the database has no mode, and only reads
 * it otherwise. It is the first write to a new database. One of the services that start at the same
 * time decides the mode.
 * @throws ConfigError if the database has the other mode
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

function modeCollection(connection: Connection) {
  return connection.getClient().db(connection.name).collection<ModeDocument>(COLLECTION);
}

async function readMode(connection: Connection): Promise<Mode | undefined> {
  return (await modeCollection(connection).findOne({ _id: "mode" }, MAJORITY))?.mode;
}

/** @returns the majority-committed mode, which may come from another service */
async function writeMode(connection: Connection, asked: Mode): Promise<Mode> {
  const db = connection.getClient().db(connection.name);
  // A ledger database without a mode is older than modes, and is a sandbox. Another service may
  // write its mode and start the ledger after this read; the upsert below then leaves that
  // service's mode as it is.
  const isOlder = await db.collection(OF_ANY_LEDGER).findOne({}, MAJORITY);
  try {
    const written = await modeCollection(connection).findOneAndUpdate(
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

/** Read options: data that no election takes back. All writes of the connection are majority. */
export const MAJORITY = { readConcern: { level: "majority" } } as const;

const DUPLICATE_KEY = 11_000;

/** Whether a unique index refused a write; with a field, whether that index has the field. */
export function isDuplicate(error: unknown, field?: string): boolean {
  const { code, keyPattern } = error as { code?: number; keyPattern?: Record<string, unknown> };
  return code === DUPLICATE_KEY && (field === undefined || Object.hasOwn(keyPattern ?? {}, field));
}
