// Finds the database of a command: MONGO_URL, or the running one of DATA_DIR, or one that is
// started for the duration of the command.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../shared/env.ts";
import { provideBinary } from "./binaries.ts";
import { type Lifetime, say } from "./lifetime.ts";
import { runningMongod, startMongod } from "./mongod.ts";
import { SetupError } from "./processes.ts";

/** @throws SetupError if there is no database */
export async function databaseUrl(
  { mongoUrl, dataDir }: Pick<Config, "mongoUrl" | "dataDir">,
  lifetime: Lifetime,
): Promise<string> {
  const running = mongoUrl ?? (await runningMongod(dataDir));
  if (running) return running;
  if (!existsSync(join(dataDir, "db"))) {
    throw new SetupError(
      `DATA_DIR ${dataDir} holds no database; set MONGO_URL, or DATA_DIR to where payrail ran.`,
    );
  }
  const binary = await provideBinary("mongod", join(dataDir, "bin"), say);
  say(`Starting MongoDB (data in ${dataDir})`);
  const mongod = await startMongod({ binary, directory: dataDir, say });
  lifetime.onStop(() => mongod.stop());
  return mongod.url;
}
