// A NATS server that accepts a connection and stays silent: it hangs, or its host lost power.
// silent-nats.deep.test.ts has a server that falls silent later.

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { ServiceBroker } from "moleculer";
import type { NatsConnection } from "nats";
import { natsTransporter } from "../../shared/rpc/transporter.ts";
import { binDirectory, provideBinary } from "../../tools/platform/binaries.ts";
import { startNats } from "../../tools/platform/nats.ts";
import type { Server } from "../../tools/platform/supervisor.ts";
import { until } from "../support/system.ts";

/** The address of the broker's NATS server. */
function serverOf({ transit }: ServiceBroker): string {
  const transporter = transit?.tx as unknown;
  return (transporter as { client: NatsConnection }).client.getServer();
}

let server: Server | undefined;
let broker: ServiceBroker | undefined;

afterEach(async () => {
  await broker?.stop();
  await server?.stop();
});

test("an attempt to connect to a silent NATS server is closed", async () => {
  const say = () => {};
  const binary = await provideBinary("nats-server", binDirectory(), say);
  server = await startNats({ binary, say });
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  try {
    const { port } = silent.address() as AddressInfo;
    const urls = [`127.0.0.1:${port}`, new URL(server.url).host];
    const transporter = natsTransporter({ servers: urls, noRandomize: true });
    broker = new ServiceBroker({ transporter, logger: false });
    await broker.start();
    const [socket] = sockets as [Socket];
    // The socket is read, because otherwise its end is not seen.
    socket.resume();
    await until(() => socket.readableEnded || socket.destroyed);
    expect(serverOf(broker)).toBe(urls[1]);
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});
