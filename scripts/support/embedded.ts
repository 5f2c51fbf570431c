// The MongoDB and the nats-server of a development start, if the environment names none.

import { join } from "node:path";
import type { Config } from "../../shared/config.ts";
import { loadConfig } from "../../shared/env.ts";
import type { Environment } from "../../shared/env-reader.ts";
import { migrateConfigured } from "../migrate/migrate.ts";
import { provideBinary } from "./binaries.ts";
import { quietly, withDevelopmentKeys } from "./environment.ts";
import { type Lifetime, say } from "./lifetime.ts";
import { startMongod } from "./mongod.ts";
import { startNats } from "./nats.ts";
import { requireFreePort, requireMongo, requireNats } from "./preflight.ts";

/**
 * Prepares a start of all services: their environment, with a database that answers and has this
 * version's schema.
 * @param needsNats whether to start a nats-server if the environment names none
 */
export async function prepareStart(
  lifetime: Lifetime,
  needsNats: boolean,
): Promise<{ environment: Environment; config: Config }> {
  const environment = quietly(withDevelopmentKeys(process.env));
  const configured = loadConfig(environment);
  await requireFreePort(configured);
  const complete = { ...environment };
  const mongoUrl = await provideMongo(configured, lifetime);
  if (configured.mongoUrl === null) complete.MONGO_URL = mongoUrl;
  if (needsNats && configured.natsUrl === null)
    complete.NATS_URL = await startOwnNats(configured, lifetime);
  const config = loadConfig(complete);
  await requireMongo(mongoUrl);
  await migrateConfigured(config, { say });
  if (config.natsUrl) await requireNats(config);
  return { environment: complete, config };
}

/** @returns MONGO_URL, or the address of a mongod that lives as long as the script */
export async function provideMongo(
  { mongoUrl, dataDir }: Pick<Config, "mongoUrl" | "dataDir">,
  lifetime: Lifetime,
): Promise<string> {
  if (mongoUrl) return mongoUrl;
  const binary = await provideBinary("mongod", join(dataDir, "bin"), say);
  say(`Starting MongoDB (data in ${dataDir})`);
  const mongod = await startMongod({ binary, directory: dataDir, say });
  lifetime.onStop(() => mongod.stop());
  return mongod.url;
}

async function startOwnNats({ dataDir }: Config, lifetime: Lifetime): Promise<string> {
  const binary = await provideBinary("nats-server", join(dataDir, "bin"), say);
  say("Starting nats-server");
  const server = await startNats({ binary, say });
  lifetime.onStop(() => server.stop());
  return server.url;
}
