// A ledger node in a separate process. Answers over the channel with its use of CPU and memory.

import walletLedger from "../../services/wallet-ledger/wallet-ledger.service.ts";
import { createBroker } from "../../shared/broker.ts";
import { loadConfig } from "../../shared/env.ts";

const config = loadConfig(process.env);
const broker = createBroker(config, "ledger", process.env.BENCH_NAMESPACE);
broker.createService(walletLedger(config));
await broker.start();
process.on("message", (asked) => {
  const { user, system } = process.cpuUsage();
  // Not during CPU measurements, because a collection costs as much as thousands of posts.
  if (asked === "heap") global.gc?.();
  process.send?.({ cpuUs: user + system, heapBytes: process.memoryUsage().heapUsed });
});
process.on("disconnect", () => void broker.stop().then(() => process.exit()));
process.send?.("ready");
