// A NATS server that falls silent while its connections stay open: it hangs, or its host lost
// power.

import type { ServiceBroker } from "moleculer";
import type { NatsConnection } from "nats";
import { loadConfig } from "../../shared/config/env.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { binDirectory, provideBinary } from "../../tools/platform/binaries.ts";
import { startNats } from "../../tools/platform/nats.ts";
import type { Server } from "../../tools/platform/supervisor.ts";
import { testEnvironment, until } from "../support/system.ts";

/** A few intervals of pings, on a busy machine; without the pings it takes minutes. */
const LEFT_WITHIN_MS = 30_000;

const signal = (server: Server, name: NodeJS.Signals) => process.kill(server.pid() as number, name);

function clientOf({ transit }: ServiceBroker): NatsConnection {
  const transporter = transit?.tx as unknown;
  return (transporter as { client: NatsConnection }).client;
}

let servers: Server[] = [];
let broker: ServiceBroker | undefined;

afterEach(async () => {
  for (const server of servers) signal(server, "SIGCONT");
  await broker?.stop();
  await Promise.all(servers.map((server) => server.stop()));
  servers = [];
});

test("a process leaves a NATS server that falls silent for another one", async () => {
  const say = () => {};
  const binary = await provideBinary("nats-server", binDirectory(), say);
  servers = [await startNats({ binary, say }), await startNats({ binary, say })];
  const NATS_URL = servers.map(({ url }) => url).join(",");
  const config = loadConfig(testEnvironment({ NATS_URL, LOG_LEVEL: "fatal" }));
  broker = createBroker(config, "payouts");
  await broker.start();
  const client = clientOf(broker);
  const current = () => servers.find(({ url }) => url.endsWith(client.getServer()));
  const silent = current();
  signal(silent as Server, "SIGSTOP");
  await until(() => current() !== silent, { within: LEFT_WITHIN_MS });
  expect(current()).toBe(servers.find((each) => each !== silent));
  // The server answers again.
  await client.flush();
});
