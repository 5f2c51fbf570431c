// The measured system: the services of the command line in one process.

import { loadConfig } from "../../../shared/config/env.ts";
import { createBroker } from "../../../shared/rpc/broker.ts";
import type { ServiceName } from "../../../shared/rpc/service-names.ts";
import { loadService } from "../../platform/services.ts";

const config = loadConfig(process.env);
const names = process.argv.slice(2) as ServiceName[];
// A service alone has the node id of production, because its packets then take production's way.
const broker = createBroker(config, names.length === 1 ? String(names[0]) : "bench");
for (const name of names) broker.createService(await loadService(name, config));
await broker.start();
const end = () => void broker.stop().then(() => process.exit());
process.on("disconnect", end).on("SIGTERM", end);
process.send?.("ready");
