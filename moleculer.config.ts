// Configuration of moleculer-runner, which starts services with the broker options of our scripts:
//
//   MONGO_URL=… NATS_URL=… npm run runner -- services/payouts
//
// The runner finds this file by --config alone (package.json): without it, it starts nothing.

import type { BrokerOptions } from "moleculer";
import { ConfigError } from "./shared/config/config.ts";
import { loadConfig } from "./shared/config/env.ts";
import { brokerOptions } from "./shared/rpc/broker.ts";
import { withDevelopmentKeys } from "./tools/platform/environment.ts";

interface Runner {
  flags: { mask?: string };
}

/** Runs once, with the runner as `this`, before the runner loads the services. */
export default function options(this: Runner): BrokerOptions {
  // Without a mask the runner looks for *.service.js, starts nothing and exits with 0.
  this.flags.mask ??= "**/*.service.ts";
  // The services read the environment too (shared/service.ts).
  Object.assign(process.env, withDevelopmentKeys(process.env));
  const config = loadConfig(process.env);
  if (!config.mongoUrl) throw new ConfigError("moleculer-runner needs MONGO_URL.");
  return {
    ...brokerOptions(config, "runner"),
    // The runner has no handlers of signals, so the broker stops itself at SIGTERM.
    skipProcessEventRegistration: false,
  };
}
