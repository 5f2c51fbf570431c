// A ledger node in a separate process. Answers over the channel with the bytes of its heap after a
// collection.

import walletLedger from "../../../services/wallet-ledger/wallet-ledger.service.ts";
import { loadConfig } from "../../../shared/config/env.ts";
import { createBroker } from "../../../shared/rpc/broker.ts";

const config = loadConfig(process.env);
const broker = createBroker(config, "ledger", process.env.BENCH_NAMESPACE);
broker.createService(walletLedger(config));
await broker.start();
process.on("message", () => {
  global.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
process.on("disconnect", () => void broker.stop().then(() => process.exit()));
process.send?.("ready");
