// The NATS of a plant: three nats-servers in a cluster, with a user for each service. Every client
// and every server reaches each of them through a proxy of its own. The servers do not tell their
// addresses to clients, so no gossip goes past the proxies.

import { join } from "node:path";
import type { ServiceName } from "../../../shared/rpc/service-names.ts";
import type { NatsUsers } from "../../../tools/platform/nats-users.ts";
import { freePort } from "../../../tools/platform/ports.ts";
import { createDaemon, type Daemon } from "../../support/daemon.ts";
import type { Network } from "./network.ts";
import type { NodeName } from "./rules.ts";

const SERVERS = 3;

export interface NatsCluster {
  servers: Daemon[];
  /** NATS_URL of a node: all three servers, each through a proxy that knows the node. */
  urlFor(node: NodeName, user: ServiceName): Promise<string>;
}

interface Options {
  binary: string;
  /** The folder of the logs. */
  logs: string;
  users: NatsUsers;
  network: Network;
}

export async function startNatsCluster(
  { binary, logs, users, network }: Options,
  onStop: (stop: () => Promise<void>) => void,
): Promise<NatsCluster> {
  const nodes = await Promise.all(
    Array.from({ length: SERVERS }, async (_, i) => {
      const [port, routePort] = [await freePort(), await freePort()];
      return { name: `nats-${i}`, port, routePort };
    }),
  );
  // A server that hears of another from the third would dial it here, and is refused.
  const unreachable = await freePort();

  const servers = await Promise.all(
    nodes.map(async ({ name, port, routePort }) => {
      const others = nodes.filter((other) => other.name !== name);
      const routes = await Promise.all(
        others.map((other) => network.link({ from: name, to: other.name, port: other.routePort })),
      );
      const log = join(logs, `${name}.log`);
      const command = [
        ...[binary, "--addr", "127.0.0.1", "--port", String(port), "--name", name],
        ...["--config", users.configPath, "--log", log],
        ...["--cluster_name", "payrail", "--cluster", `nats://127.0.0.1:${routePort}`],
        ...["--routes", routes.map((route) => `nats://127.0.0.1:${route}`).join(",")],
        ...["--no_advertise", "--cluster_advertise", `127.0.0.1:${unreachable}`],
      ];
      const server = createDaemon({ name, port, command, explain: `its log is ${log}` });
      onStop(server.kill);
      await server.start();
      return server;
    }),
  );
  return {
    servers,
    async urlFor(node, user) {
      const urls = servers.map(async ({ name, port }) =>
        users.urlOf(user, await network.link({ from: node, to: name, port })),
      );
      return (await Promise.all(urls)).join(",");
    },
  };
}
