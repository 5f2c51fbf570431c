// A database of its own for ledger processes.

import type { mongo } from "mongoose";
import { migrateConfigured } from "../../scripts/migrate/migrate.ts";
import { createLedger, ledgerSchemas } from "../../services/wallet-ledger/ledger.ts";
import { systemClock } from "../../shared/clock.ts";
import { database } from "../../shared/database.ts";
import { verifyLedger } from "../../verification/verify.ts";
import type { Setting } from "./setting.ts";

/** A separate database and the environment of its processes. */
export interface LedgerPlace {
  environment: Setting["environment"];
  raw: mongo.Db;
}

/**
 * Runs work on a new database, verifies the books and drops the database.
 * @throws if verification finds a violation
 */
export async function inLedgerPlace<T>(
  { config, environment }: Setting,
  name: string,
  work: (place: LedgerPlace) => Promise<T>,
): Promise<T> {
  const url = new URL(config.mongoUrl as string);
  url.pathname += `_${name}`;
  const place = { ...config, mongoUrl: url.href };
  // The services of the processes check all their collections.
  await migrateConfigured(place);
  const db = database(place, "bench", ledgerSchemas);
  await db.open();
  // Makes the partitions.
  await (await createLedger(db, systemClock, console.error)).stop();
  const raw = db.connection.getClient().db(db.connection.name);
  const result = await work({ environment: { ...environment, MONGO_URL: url.href }, raw });
  const { ok, violations } = await verifyLedger(db.connection);
  await raw.dropDatabase();
  await db.close();
  if (!ok) throw new Error(`The books are wrong: ${JSON.stringify(violations)}`);
  return result;
}
