// A payment-links service in a process of its own, for tests that kill it. The environment is a
// service's; TEST_NAMESPACE is the system's that it joins.

import paymentLinks from "../../services/payment-links/payment-links.service.ts";
import { createBroker } from "../../shared/broker.ts";
import { loadConfig } from "../../shared/env.ts";

const config = loadConfig(process.env);
const broker = createBroker(config, "payment-links", process.env.TEST_NAMESPACE);
broker.createService(paymentLinks(config, { outcomeWithinMs: 1_000 }));
await broker.start();
// The test that it belongs to is gone.
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
