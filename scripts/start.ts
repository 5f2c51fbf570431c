// npm start: everything on one machine in one process, with nothing to install first.

import { join } from "node:path";
import { loadConfig } from "../shared/env.ts";
import { welcome } from "./support/banner.ts";
import { provideBinary } from "./support/binaries.ts";
import { startServices } from "./support/broker-life.ts";
import { quietly, withDevelopmentKeys } from "./support/environment.ts";
import { live, say } from "./support/lifetime.ts";
import { startMongod } from "./support/mongod.ts";
import { requireFreePort, requireMongo, requireNats } from "./support/preflight.ts";
import { SERVICE_NAMES } from "./support/services.ts";

process.title = "payrail";

await live(async (lifetime) => {
  const environment = quietly(withDevelopmentKeys(process.env));
  const configured = loadConfig(environment);
  await requireFreePort(configured);

  let mongoUrl = configured.mongoUrl;
  if (mongoUrl === null) {
    const binary = await provideBinary("mongod", join(configured.dataDir, "bin"), say);
    say(`Starting MongoDB (data in ${configured.dataDir})`);
    const mongod = await startMongod({ binary, directory: configured.dataDir, say });
    lifetime.onStop(() => mongod.stop());
    mongoUrl = mongod.url;
  }
  const config = loadConfig({ ...environment, MONGO_URL: mongoUrl });
  await requireMongo(mongoUrl);
  if (config.natsUrl) await requireNats(config);

  say("Starting the services");
  await startServices(config, "payrail", SERVICE_NAMES, lifetime);
  await welcome(config);
});
