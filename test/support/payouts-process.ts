// A payouts service in a process of its own, for tests that kill it. The environment is a service's;
// TEST_NAMESPACE is the system's that it joins.

import payouts from "../../services/payouts/payouts.service.ts";
import { createBroker } from "../../shared/broker.ts";
import { loadConfig } from "../../shared/env.ts";

const config = loadConfig(process.env);
const broker = createBroker(config, "payouts", process.env.TEST_NAMESPACE);
broker.createService(payouts(config));
await broker.start();
// The test that it belongs to is gone.
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
