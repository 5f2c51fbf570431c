// The measured system: the services of the command line in one process. Answers over the channel
// with its use of CPU and memory.

import { loadConfig } from "../../../shared/config/env.ts";
import { createBroker } from "../../../shared/rpc/broker.ts";
import type { ServiceName } from "../../../shared/rpc/service-names.ts";
import { loadService } from "../../platform/services.ts";

/** CPU since its start. */
export interface Usage {
  cpuUs: number;
  rssBytes: number;
}

const config = loadConfig(process.env);
const names = process.argv.slice(2) as ServiceName[];
// A service alone has the node id of production, because its packets then take production's way.
const broker = createBroker(config, names.length === 1 ? String(names[0]) : "bench");
for (const name of names) broker.createService(await loadService(name, config));
await broker.start();
process.send?.("ready");
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  const usage: Usage = { cpuUs: user + system, rssBytes: process.memoryUsage.rss() };
  process.send?.(usage);
});
process.on("disconnect", () => void broker.stop().then(() => process.exit()));
