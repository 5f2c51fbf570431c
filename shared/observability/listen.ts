// Listening on a port that a variable names, with its problems in the operator's words.

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigError } from "../config/config.ts";

interface Address {
  host: string;
  port: number;
  /** The variable that sets the port. */
  variable: "PORT" | "PROBE_PORT";
}

/**
 * Listens.
 * @returns the port, also if 0 let the system choose one
 * @throws ConfigError for a port or a host that cannot be used
 */
export async function listen(server: Server, { host, port, variable }: Address): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ host, port }, resolve);
  try {
    await promise;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "EADDRINUSE")
      throw new ConfigError(`${variable} ${port} is in use; set ${variable} to a free one.`);
    if (code === "EACCES")
      throw new ConfigError(`${variable} ${port} is not allowed; set ${variable} above 1023.`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new ConfigError(`HOST ${host} is not an address of this machine.`);
    }
    throw error;
  } finally {
    server.off("error", reject);
  }
  return (server.address() as AddressInfo).port;
}
