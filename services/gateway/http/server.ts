// Node's HTTP server under the gateway. moleculer-web runs without one of its own (`server:
// false`), because that one has no time limits and ends the process if the port is in use.

import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Logger } from "moleculer";
import { type Config, ConfigError } from "../../../shared/env.ts";
import { type ConnectionLimits, limitConnections, timeoutsOf } from "./connections.ts";
import { refuseMalformed } from "./malformed.ts";

/** More than any route's action may take. */
const CLOSE_WITHIN_MS = 20_000;

interface Parts {
  receive: RequestListener;
  logger: Logger;
  limits: ConnectionLimits;
  /** The headers of every answer. */
  headers: Record<string, string>;
}

/** A server that does not listen yet. */
export function httpServer({ receive, logger, limits, headers }: Parts): Server {
  const server = createServer(timeoutsOf(limits), receive);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) =>
    refuseMalformed(error, socket as Socket, headers),
  );
  limitConnections(server, logger, limits);
  return server;
}

/**
 * Listens.
 * @returns the port, also if 0 let the system choose one
 * @throws ConfigError for a port or a host that cannot be used
 */
export async function listen(server: Server, { host, port }: Config): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ host, port }, resolve);
  try {
    await promise;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "EADDRINUSE")
      throw new ConfigError(`PORT ${port} is in use; set PORT to a free one.`);
    if (code === "EACCES")
      throw new ConfigError(`PORT ${port} is not allowed; set PORT above 1023.`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new ConfigError(`HOST ${host} is not an address of this machine.`);
    }
    throw error;
  } finally {
    server.off("error", reject);
  }
  return (server.address() as AddressInfo).port;
}

/**
 * Refuses new connections and finishes the requests under way; it cuts off those that take too
 * long.
 */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS);
  await new Promise((resolve) => {
    server.close(resolve);
  });
  clearTimeout(cut);
}
