// A database of its own for ledger processes.

import type { mongo } from "mongoose";
import { createLedger, ledgerSchemas } from "../../../services/wallet-ledger/ledger.ts";
import { systemClock } from "../../../shared/clock.ts";
import { database } from "../../../shared/storage/database.ts";
import { migrateConfigured } from "../../migrate/migrate.ts";
import { verifyLedger } from "../../verify/verify.ts";
import { type Setting, urlOf } from "./setting.ts";

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
  setting: Setting,
  name: string,
  work: (place: LedgerPlace) => Promise<T>,
): Promise<T> {
  const mongoUrl = urlOf(setting, name);
  const place = { ...setting.config, mongoUrl };
  // The services of the processes check all their collections.
  await migrateConfigured(place);
  const db = database(place, "bench", ledgerSchemas);
  await db.open();
  // Makes the partitions.
  await (await createLedger(db, systemClock, console.error)).stop();
  const raw = db.connection.getClient().db(db.connection.name);
  const environment = { ...setting.environment, MONGO_URL: mongoUrl };
  const result = await work({ environment, raw });
  const { ok, violations } = await verifyLedger(db.connection);
  await raw.dropDatabase();
  await db.close();
  if (!ok) throw new Error(`The books are wrong: ${JSON.stringify(violations)}`);
  return result;
}
