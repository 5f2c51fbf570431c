// One service in a process of its own, for tests that kill it or start it wrongly: its name is the
// argument. The environment is a service's; TEST_NAMESPACE is the system's that it joins.

import { flushCompileCache } from "node:module";
import type { ServiceSchema } from "moleculer";
import { createBroker } from "../../shared/broker.ts";
import { type Config, loadConfig } from "../../shared/env.ts";

type Create = (config: Config, instead?: object) => ServiceSchema;

const name = process.argv[2] as string;
const { default: create } = (await import(`../../services/${name}/${name}.service.ts`)) as {
  default: Create;
};
const config = loadConfig(process.env);
const broker = createBroker(config, name, process.env.TEST_NAMESPACE);
// Less than a customer's ten seconds, and enough for the first request of a process on a busy machine;
// the other services know of none.
broker.createService(create(config, { outcomeWithinMs: 5_000 }));
await broker.start();
// Who is killed leaves the next one nothing at its end.
flushCompileCache();
// The test that it belongs to is gone.
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
