// Opens the database of a command: MONGO_URL, or the running one of DATA_DIR, or one that is
// started for the duration of the command.

import { existsSync } from "node:fs";
import { join } from "node:path";
import mongoose, { type Connection, type ConnectOptions } from "mongoose";
import type { Config } from "../../shared/config/config.ts";
import { binDirectory, provideBinary } from "./binaries.ts";
import { type Lifetime, say } from "./lifetime.ts";
import { runningMongod, startMongod } from "./mongod.ts";
import { requireMongo } from "./preflight.ts";
import { SetupError } from "./processes.ts";

/** @throws SetupError if there is no database, or it does not answer */
export async function openDatabase(
  { mongoUrl, dataDir }: Pick<Config, "mongoUrl" | "dataDir">,
  lifetime: Lifetime,
  options: ConnectOptions = {},
): Promise<Connection> {
  const running = mongoUrl ?? (await runningMongod(dataDir));
  if (!running && !existsSync(join(dataDir, "db"))) {
    throw new SetupError(
      `DATA_DIR ${dataDir} holds no database; set MONGO_URL, or DATA_DIR to where payrail ran.`,
    );
  }
  const url = await provideMongo({ mongoUrl: running, dataDir }, lifetime);
  await requireMongo(url);
  const connection = mongoose.createConnection(url, { autoIndex: false, ...options });
  lifetime.onStop(() => connection.close());
  return connection.asPromise();
}

/** @returns MONGO_URL, or the address of a mongod that lives as long as the script */
export async function provideMongo(
  { mongoUrl, dataDir }: Pick<Config, "mongoUrl" | "dataDir">,
  lifetime: Lifetime,
): Promise<string> {
  if (mongoUrl) return mongoUrl;
  const binary = await provideBinary("mongod", binDirectory(), say);
  say(`Starting MongoDB (data in ${dataDir})`);
  const mongod = await startMongod({ binary, directory: dataDir, say });
  lifetime.onStop(() => mongod.stop());
  return mongod.url;
}
