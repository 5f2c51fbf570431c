// Limits of connections: how many are open at a time, and how long one may take for a request.

import type { Server } from "node:http";
import type { Logger } from "moleculer";

/** Limits that stop one client from blocking all others with connections that it does not use. */
export interface ConnectionLimits {
  /** Open connections; a further one is closed at once. */
  maxConnections: number;
  /**
   * The time from the start of the connection, or from the end of the previous request, to the end
   * of the headers.
   */
  headersTimeoutMs: number;
  /** The same, to the end of the body. */
  requestTimeoutMs: number;
  /**
   * A connection stays open for this time without a request. Load balancers keep theirs for 60 s.
   */
  keepAliveTimeoutMs: number;
  /** The interval at which Node looks for connections that exceed the first two limits. */
  checkedEveryMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 72_000,
  checkedEveryMs: 5_000,
};

/** The time limits, as options of the server. */
export function timeoutsOf(limits: ConnectionLimits) {
  return {
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.checkedEveryMs,
  };
}

const DROPS_LOGGED_EVERY_MS = 60_000;

/** Limits the connections, and logs closed ones; not each, because there may be a flood of them. */
export function limitConnections(
  server: Server,
  logger: Logger,
  { maxConnections }: ConnectionLimits,
): void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  server.maxConnections = maxConnections;
  server.on("drop", () => {
    if (Date.now() - loggedAt < DROPS_LOGGED_EVERY_MS) return;
    loggedAt = Date.now();
    logger.warn({ maxConnections }, "connections are closed because too many are open");
  });
}
