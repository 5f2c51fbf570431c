// The MongoDB and the nats-server of a development start, where the environment names none.

import { join } from "node:path";
import type { Config } from "../../shared/env.ts";
import { provideBinary } from "./binaries.ts";
import { type Lifetime, say } from "./lifetime.ts";
import { startMongod } from "./mongod.ts";
import { startNats } from "./nats.ts";

/** @returns MONGO_URL, or the address of a mongod that lives as long as the script */
export async function provideMongo(config: Config, lifetime: Lifetime): Promise<string> {
  const { mongoUrl, dataDir } = config;
  if (mongoUrl) return mongoUrl;
  const binary = await provideBinary("mongod", join(dataDir, "bin"), say);
  say(`Starting MongoDB (data in ${dataDir})`);
  const mongod = await startMongod({ binary, directory: dataDir, say });
  lifetime.onStop(() => mongod.stop());
  return mongod.url;
}

/** @returns NATS_URL, or the address of a nats-server that lives as long as the script */
export async function provideNats(config: Config, lifetime: Lifetime): Promise<string> {
  const { natsUrl, dataDir } = config;
  if (natsUrl) return natsUrl;
  const binary = await provideBinary("nats-server", join(dataDir, "bin"), say);
  say("Starting nats-server");
  const server = await startNats({ binary, say });
  lifetime.onStop(() => server.stop());
  return server.url;
}
