// One service in its own process, for tests that kill it or start it wrongly. The argument is the
// service's name. The environment is a service's; TEST_NAMESPACE is the namespace of the system
// that it joins.

import { flushCompileCache } from "node:module";
import type { ServiceSchema } from "moleculer";
import type { Config } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { createBroker } from "../../shared/rpc/broker.ts";

type Create = (config: Config, instead?: object) => ServiceSchema;

const name = process.argv[2] as string;
const { default: create } = (await import(`../../services/${name}/${name}.service.ts`)) as {
  default: Create;
};
const config = loadConfig(process.env);
const broker = createBroker(config, name, process.env.TEST_NAMESPACE);
// Shorter than a customer's ten seconds, and long enough for a process's first request on a busy
// machine; only payment-links uses it.
broker.createService(create(config, { outcomeWithinMs: 5_000 }));
await broker.start();
// Now, because a killed process cannot write its compile cache at its end.
flushCompileCache();
// Ends with the test that started it.
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
