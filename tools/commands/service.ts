// npm run start:service -- NAME: one service alone, as Kubernetes starts it.

import { parseArgs } from "node:util";
import { loadConfig } from "../../shared/config/env.ts";
import { SERVICE_NAMES, type ServiceName } from "../../shared/rpc/service-names.ts";
import { withDevelopmentKeys } from "../platform/environment.ts";
import { live, say } from "../platform/lifetime.ts";
import { requireFreePort, requireMongo, requireNats } from "../platform/preflight.ts";
import { SetupError } from "../platform/processes.ts";
import { startServices } from "../platform/services.ts";

const USAGE = `Usage: npm run start:service -- NAME
Starts one service; needs NATS_URL, and MONGO_URL except for the gateway. NAME is one of ${SERVICE_NAMES.join(", ")}.
`;

await live(async (lifetime) => {
  const name = serviceName();
  if (name === null) {
    process.stdout.write(USAGE);
    return lifetime.end(0);
  }
  process.title = `payrail-${name}`;
  const config = loadConfig(withDevelopmentKeys(process.env, name), name);
  if ("port" in config) await requireFreePort(config);
  // The gateway has no database.
  const mongoUrl = "mongoUrl" in config ? config.mongoUrl : null;
  await Promise.all([mongoUrl && requireMongo(mongoUrl), requireNats(config)]);
  await startServices(config, name, [name], lifetime);
  if (process.send) followSupervisor(process.send.bind(process));
  else say(`${name} is running`);
});

/** The name on the command line; null if help is asked for. */
function serviceName(): ServiceName | null {
  const { values, positionals } = parseArgs({
    options: { help: { type: "boolean", short: "h" } },
    allowPositionals: true,
    strict: false,
  });
  if (values.help) return null;
  const name = SERVICE_NAMES.find((known) => known === positionals[0]);
  if (name && positionals.length === 1) return name;
  throw new SetupError(`Name one service: ${SERVICE_NAMES.join(", ")}.`);
}

/**
 * Tells tools/commands/cluster.ts that it is ready, and ends with it: immediately, because a
 * supervisor that was killed takes the database and NATS along.
 */
function followSupervisor(send: (message: string) => void): void {
  process.once("disconnect", () => process.exit(1));
  send("ready");
}
