// npm start: everything on one machine in one process, with nothing to install first.

import { loadConfig } from "../shared/env.ts";
import { welcome } from "./support/banner.ts";
import { startServices } from "./support/broker-life.ts";
import { provideMongo } from "./support/embedded.ts";
import { quietly, withDevelopmentKeys } from "./support/environment.ts";
import { live, say } from "./support/lifetime.ts";
import { requireFreePort, requireMongo, requireNats } from "./support/preflight.ts";
import { SERVICE_NAMES } from "./support/services.ts";

process.title = "payrail";

await live(async (lifetime) => {
  const environment = quietly(withDevelopmentKeys(process.env));
  const configured = loadConfig(environment);
  await requireFreePort(configured);
  const mongoUrl = await provideMongo(configured, lifetime);
  const config = loadConfig({ ...environment, MONGO_URL: mongoUrl });
  await requireMongo(mongoUrl);
  if (config.natsUrl) await requireNats(config);

  say("Starting the services");
  await startServices(config, "payrail", SERVICE_NAMES, lifetime);
  await welcome(config);
});
