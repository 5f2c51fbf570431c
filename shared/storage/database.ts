// Databases: one connection for each service, opened when it starts and closed when it stops, with
// the write concern that money needs. A service has collections of its own, and no service reads
// another's; tools/verify/ reads all of them with a user that may only read.
//
// A service makes no collection and no index: `npm run migrate` does. A service waits for them,
// because without a unique index a second of two payments would be stored, and without a plain one
// each search would read all documents.

import { setTimeout as pause } from "node:timers/promises";
import type { Service, ServiceSchema } from "moleculer";
import mongoose, { type Connection, type Model, type mongo, type Schema } from "mongoose";
import type { Config } from "../config/config.ts";
import { fail } from "../errors.ts";
import { type Gauge, gauge } from "../observability/metrics.ts";
import { traceCommands } from "../observability/tracing-mongo.ts";
import { followDatabaseClock } from "./database-clock.ts";
import { findUnmigrated, readState, requireUsable } from "./database-state.ts";
import { findMissing } from "./indexes.ts";
import { type Pool, watchPool } from "./mongo-pool.ts";
import { requireRights, rightsOf } from "./mongo-rights.ts";
import { SCHEMA_VERSION } from "./schema-version.ts";

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
   * Connects, and waits until the database is migrated; `waitingFor` names the lack meanwhile.
   * Fails within 20 s if no server answers. Corrects the process's clock by the database's until it
   * is closed.
   * @param onLine called with a line for the log: once if it has to wait, and after each correction
   *   of the clock
   * @throws ConfigError if the user lacks a right (requireRights), or the database has the other
   *   mode or a newer schema (requireUsable)
   */
  open(onLine?: (line: string) => void): Promise<void>;
  /** The lack that `open` waits for; null if it does not wait. */
  waitingFor(): string | null;
  /** Also ends an `open` that waits; it then fails. */
  close(): Promise<void>;
  /** @throws UNAVAILABLE if the database does not answer within 1.2 seconds */
  ping(): Promise<void>;
}

/**
 * The database of one service.
 * @param service names the connection, for the server's log
 * @param schemas by the name of their collection
 */
export function database<S extends Record<string, Schema>>(
  config: Pick<Config, "mongoUrl" | "sandbox" | "tracing">,
  service: string,
  schemas: S,
): Database<S> {
  setMongoose();
  const connection = mongoose.createConnection();
  const models = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, connection.model(name, schema, name)]),
  ) as unknown as Models<S>;
  const closed = new AbortController();
  let waits: string | null = null;
  const driverDb = () => connection.getClient().db(connection.name);

  /** @returns the lack, in words; null if the service may work */
  async function findLack(): Promise<string | null> {
    const db = driverDb();
    const state = await readState(db);
    requireUsable(connection.name, state, config);
    const unmigrated = findUnmigrated(connection.name, state);
    if (unmigrated !== null) return unmigrated;
    // A newer version may have replaced indexes. Its schema says that this version works with them.
    if (state.schema && state.schema.version > SCHEMA_VERSION) return null;
    const [first, ...others] = await findMissing(db, schemas);
    if (first === undefined) return null;
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    return `the database ${connection.name} lacks ${first}${more}`;
  }

  return {
    models,
    connection,
    collection: (name) => driverDb().collection(name) as never,
    async open(onLine = () => {}) {
      await connection.openUri(config.mongoUrl as string, {
        appName: `payrail-${service}`,
        autoIndex: false,
        autoCreate: false,
        bufferCommands: false,
        serverSelectionTimeoutMS: 5_000,
        // A primary that falls silent is given up, and the commands that wait for it end, after the
        // sum of the two. The driver's default heartbeat of 10 s would keep them for that longer.
        connectTimeoutMS: 3_000,
        heartbeatFrequencyMS: 2_000,
        // The other mode measures round trips beside the heartbeats. After a server was silent it
        // may keep the silence as its last measurement (the driver's NODE-7859), and then the
        // driver refuses each command that has a time limit, because that is shorter.
        serverMonitoringMode: "poll",
        w: "majority",
        journal: true,
        readPreference: "primary",
        maxPoolSize: 20,
        monitorCommands: Boolean(config.tracing),
      });
      if (config.tracing) traceCommands(connection.getClient());
      await followDatabaseClock(driverDb(), onLine, closed.signal);
      await requireRights(driverDb(), service, rightsOf(Object.keys(schemas)));
      const note = (lack: string | null) => {
        if (waits === null && lack !== null) onLine(`${service} ${lack}`);
        waits = lack;
      };
      await untilMigrated(findLack, note, closed.signal);
    },
    waitingFor: () => waits,
    async close() {
      closed.abort();
      await connection.close();
    },
    async ping() {
      try {
        await connection.db?.command({ ping: 1 }, { timeoutMS: PING_WITHIN_MS });
      } catch {
        fail("UNAVAILABLE");
      }
    },
  };
}

/** Sets the options that mongoose has for the whole process. */
function setMongoose(): void {
  // Otherwise mongoose formats a stack for each query, which takes longer than the rest of its
  // work.
  mongoose.set("skipOriginalStackTraces", true);
  // The adapter of records.ts turns this on when it is loaded. A filter by a field that a schema
  // does not have would then lose that condition and match more documents.
  mongoose.set("strictQuery", false);
}

const CHECK_EVERY_MS = 2_000;
/** Less than a probe waits for its service, so that the probe names a database that hangs. */
const PING_WITHIN_MS = 1_200;

/**
 * Waits until nothing is missing. Fails if the signal aborts.
 * @param onWait called with each lack, and with null at the end
 */
async function untilMigrated(
  findLack: () => Promise<string | null>,
  onWait: (waits: string | null) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (;;) {
      const lack = await findLack();
      if (lack === null) return;
      onWait(`waits: ${lack}; npm run migrate makes it`);
      await pause(CHECK_EVERY_MS, undefined, { signal });
    }
  } finally {
    onWait(null);
  }
}

/**
 * The mixin of a service with a database. Moleculer runs a mixin's `started` before the service's
 * own and its `stopped` after it, so the database is open while the service works. While it waits
 * for `npm run migrate`, Moleculer has not published the service, so no action of it can be called.
 * A database that cannot be opened fails the start. `ready` is an action of every such service's
 * contracts.
 */
export function withDatabase({
  open,
  waitingFor,
  close,
  ping,
  connection,
}: Omit<Database<never>, "models" | "collection">): Partial<ServiceSchema> {
  let pool: Pool | undefined;
  return {
    actions: {
      async ready() {
        await ping();
        return {};
      },
    },
    methods: {
      /** For the process's probe (shared/observability/probes.ts). */
      async notReady(): Promise<string[]> {
        const lack = waitingFor();
        if (lack !== null) return [lack];
        return ping().then(
          () => [],
          () => ["its database does not answer"],
        );
      },
      /** For the process's metrics (shared/observability/scrape.ts). */
      poolGauges(this: Service): Gauge[] {
        if (!pool) return [];
        const { name: service } = this;
        return [
          gauge("payrail_mongodb_connections_in_use", pool.inUse, { service }),
          gauge("payrail_mongodb_waiting_operations", pool.waiting, { service }),
        ];
      },
    },
    async started(this: Service) {
      await open((line) => this.logger.warn(line));
      if (this.broker.isMetricsEnabled()) pool = watchPool(connection.getClient());
    },
    stopped: close,
  };
}

/** Read options: data that no election takes back. All writes of the connection are majority. */
export const MAJORITY = { readConcern: { level: "majority" } } as const;

/**
 * Read options: up to `count` documents in one reply; more than 100 would otherwise take two. The
 * server closes the cursor, because one more document would have fitted.
 */
export function inOneReply(count: number) {
  return { batchSize: count + 1 };
}

const DUPLICATE_KEY = 11_000;

/** Whether a unique index refused a write; with a field, whether that index has the field. */
export function isDuplicate(error: unknown, field?: string): boolean {
  const { code, keyPattern } = error as { code?: number; keyPattern?: Record<string, unknown> };
  return code === DUPLICATE_KEY && (field === undefined || Object.hasOwn(keyPattern ?? {}, field));
}

/** The time of reads that may be too broad; the contract's 5 s leave time for an error answer. */
export const BROAD_READ_MS = 4_000;
const MAX_TIME_EXPIRED = 50;

/**
 * Runs reads that the database ends after their time.
 * @throws TOO_BROAD if it has ended one
 */
export async function orTooBroad<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isExpired(error)) fail("TOO_BROAD");
    throw error;
  }
}

/** Whether the database ended a read after its time. */
export function isExpired(error: unknown): boolean {
  return (error as { code?: unknown }).code === MAX_TIME_EXPIRED;
}
