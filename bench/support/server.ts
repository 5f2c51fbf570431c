// The measured system: the services of the command line in one process, and beside payouts an empty
// action that is reached through the gateway like a withdrawal or a payment. Answers over the
// channel with its use of CPU and memory.

import type { ServiceSchema } from "moleculer";
import { loadService } from "../../scripts/support/services.ts";
import gateway from "../../services/gateway/gateway.service.ts";
import {
  type Access,
  composed,
  type Endpoint,
  EXTERNAL_APIS,
  PUBLIC,
} from "../../services/gateway/http/route.ts";
import { routes } from "../../services/gateway/routes/routes.ts";
import { createBroker } from "../../shared/broker.ts";
import { object } from "../../shared/compound-fields.ts";
import { action } from "../../shared/contracts/contract.ts";
import type { ActionName } from "../../shared/contracts.ts";
import { loadConfig } from "../../shared/env.ts";
import { anything, text } from "../../shared/fields.ts";
import type { ServiceName } from "../../shared/service-names.ts";

/** CPU since its start. */
export interface Usage {
  cpuUs: number;
  heapBytes: number;
  rssBytes: number;
}

const empty: ServiceSchema = { name: "bench", actions: { empty: () => ({}) } };

const emptyRoute = (endpoint: Endpoint, access: Access | null, inPath: string[]) =>
  composed(
    endpoint,
    access,
    `bench.empty ${endpoint}`,
    action({
      does: "Nothing",
      params: { ...Object.fromEntries(inPath.map((name) => [name, text()])), body: anything() },
      result: object({}),
    }),
    (params, call) => call("bench.empty" as ActionName, params as never) as Promise<never>,
    { from: { body: ({ body }) => body }, body: { amount: anything() } },
  );

const emptyRoutes = [
  emptyRoute("POST /v1/bench/:currency/:linkedAccountId/empty", EXTERNAL_APIS, [
    "currency",
    "linkedAccountId",
  ]),
  emptyRoute("POST /v1/bench/:token/empty", PUBLIC, ["token"]),
];

const config = loadConfig(process.env);
const names = process.argv.slice(2) as ServiceName[];
// A service alone has the node id of production, because its packets then take production's way.
const broker = createBroker(config, names.length === 1 ? String(names[0]) : "bench");
for (const name of names) {
  const schema =
    name === "gateway"
      ? gateway(config, { table: [...routes(config), ...emptyRoutes] })
      : await loadService(name, config);
  broker.createService(schema);
  if (name === "payouts") broker.createService(empty);
}
await broker.start();
process.send?.("ready");
process.on("message", () => {
  const { heapUsed, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const usage: Usage = { cpuUs: user + system, heapBytes: heapUsed, rssBytes: rss };
  process.send?.(usage);
});
process.on("disconnect", () => void broker.stop().then(() => process.exit()));
