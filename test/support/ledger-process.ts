// A node of the ledger in a process of its own, for tests that kill it. The environment is a service's;
// TEST_NAMESPACE is the system's that it joins.

import walletLedger from "../../services/wallet-ledger/wallet-ledger.service.ts";
import { createBroker } from "../../shared/broker.ts";
import { loadConfig } from "../../shared/env.ts";

const config = loadConfig(process.env);
const broker = createBroker(config, "ledger", process.env.TEST_NAMESPACE);
broker.createService(walletLedger(config));
await broker.start();
// The test that it belongs to is gone.
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
