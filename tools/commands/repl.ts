// npm run repl: Moleculer's REPL on a node without services that joins the cluster at NATS_URL. Its
// command `exit` stops the node and ends the process.

import { ConfigError } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { quietly } from "../platform/environment.ts";
import { live } from "../platform/lifetime.ts";
import { requireNats } from "../platform/preflight.ts";

process.title = "payrail-repl";

await live(async (lifetime) => {
  const config = loadConfig(quietly(process.env), "repl");
  if (!config.natsUrl) {
    throw new ConfigError("The REPL joins a cluster: set NATS_URL, which start:cluster prints.");
  }
  await requireNats(config);
  const broker = createBroker(config, "repl");
  lifetime.onStop(() => broker.stop());
  await broker.start();
  broker.repl();
});
