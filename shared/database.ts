// Databases: one connection for each service, opened when it starts and closed when it stops, with the
// write concern that money needs. A service has collections of its own; nobody reads another's.

import mongoose, { type Connection, type Model, type Schema } from "mongoose";
import type { Config } from "./env.ts";
import { fail } from "./errors.ts";

type Models<S extends Record<string, Schema>> = {
  [K in keyof S]: S[K] extends Schema<infer T> ? Model<T> : never;
};

export interface Database<S extends Record<string, Schema>> {
  /** The service's models; usable once `open` is through. */
  models: Models<S>;
  connection: Connection;
  /** Connects and makes the indexes; ends within 20 s where nobody answers. */
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

/** Read options: only what no election takes back. Writes are majority by the connection's own. */
export const MAJORITY = { readConcern: { level: "majority" } } as const;

const DUPLICATE_KEY = 11_000;

/** Whether a write was refused by a unique index; by that one, where its first field is named. */
export function isDuplicate(error: unknown, field?: string): boolean {
  const { code, keyPattern } = error as { code?: number; keyPattern?: Record<string, unknown> };
  return code === DUPLICATE_KEY && (field === undefined || Object.hasOwn(keyPattern ?? {}, field));
}
