// The network between the nodes of a plant: every connection runs through a proxy, which knows its
// two ends by name. Rules drop, delay or reset what flows from one node to another, so a fault may
// hit one direction alone. A dropped byte is kept and arrives after the heal, as TCP sends it
// again.

import { connect, createServer, type Server, type Socket } from "node:net";
import { type Flow, startFlow } from "./flow.ts";
import { createRules, type Matches, type NodeName, type Rule } from "./rules.ts";

export interface Network {
  /**
   * Opens a proxy in front of a node's port, and returns the proxy's port.
   * @param from the node that connects, or a function that reads its name from the first bytes and
   *   answers null while it needs more of them
   */
  link(options: { from: NodeName | Identify; to: NodeName; port: number }): Promise<number>;
  /** Imposes a rule on flows between nodes; the strictest of several holds. @returns the heal */
  impose(rule: Rule, matches: Matches): () => void;
  close(): Promise<void>;
}

export type Identify = (first: Buffer) => NodeName | null;

interface Connection {
  from: NodeName;
  to: NodeName;
  /** Applies the rules as they are now. */
  update(): void;
  reset(): void;
}

export function createNetwork(): Network {
  const rules = createRules();
  const connections = new Set<Connection>();
  const sockets = new Set<Socket>();
  const servers: Server[] = [];

  const isReset = ({ from, to }: Connection) =>
    [rules.of(from, to), rules.of(to, from)].some((rule) => rule?.kind === "reset");
  const update = (connection: Connection) => {
    if (isReset(connection)) connection.reset();
    else connection.update();
  };

  function open(source: Socket, from: NodeName, to: NodeName, port: number, first: Buffer[]) {
    let target: Socket | undefined;
    let flows: Flow[] = [];
    const connection: Connection = {
      from,
      to,
      update() {
        // A connection is not established while its first packets do not arrive.
        const isCut = rules.of(from, to)?.kind === "drop" || rules.of(to, from)?.kind === "drop";
        if (!target && !isCut) establish();
        for (const flow of flows) flow.update();
      },
      reset() {
        source.resetAndDestroy();
        target?.resetAndDestroy();
      },
    };

    function establish(): void {
      target = track(connect({ host: "127.0.0.1", port, allowHalfOpen: true, noDelay: true }));
      target.once("error", () => source.resetAndDestroy());
      const forth = startFlow(source, target, () => rules.of(from, to), first);
      flows = [forth, startFlow(target, source, () => rules.of(to, from))];
      target.once("close", () => connections.delete(connection));
    }

    source.once("close", () => {
      if (!target) connections.delete(connection);
    });
    connections.add(connection);
    update(connection);
  }

  function track(socket: Socket): Socket {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
    return socket;
  }

  return {
    async link({ from, to, port }) {
      const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
        track(socket);
        if (typeof from === "string") open(socket, from, to, port, []);
        else identified(socket, from, (name, first) => open(socket, name, to, port, first));
      });
      servers.push(server);
      return listening(server);
    },
    impose(rule, matches) {
      const takeBack = rules.add(rule, matches);
      for (const connection of connections) update(connection);
      return () => {
        takeBack();
        for (const connection of connections) update(connection);
      };
    },
    async close() {
      for (const server of servers) server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Reads from a socket until the name of its node is known. */
function identified(
  socket: Socket,
  identify: Identify,
  done: (name: NodeName, first: Buffer[]) => void,
): void {
  const first: Buffer[] = [];
  const read = (chunk: Buffer) => {
    first.push(chunk);
    const name = identify(Buffer.concat(first));
    if (name === null) return;
    socket.off("data", read);
    socket.pause();
    done(name, first);
  };
  socket.on("data", read);
  socket.once("end", () => {
    // Such as a look whether the port is open.
    if (socket.listeners("data").includes(read)) socket.destroy();
  });
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as { port: number }).port;
}
