// Connections: how many are open at a time, and how long one may take for a request.

import type { Server } from "node:http";
import type { Logger } from "moleculer";

/** Limits that stop one client from starving all others with connections that it leaves unused. */
export interface ConnectionLimits {
  /** Open connections; one more is closed at once. */
  maxConnections: number;
  /** From the connection, or the end of the request before, to the end of the headers. */
  headersTimeoutMs: number;
  /** The same to the end of the body. */
  requestTimeoutMs: number;
  /** How long a connection stays open without a request. Load balancers keep theirs for 60 s. */
  keepAliveTimeoutMs: number;
  /** How often Node looks for connections that are over the first two. */
  checkedEveryMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 72_000,
  checkedEveryMs: 5_000,
};

/** The limits in time, as options of the server. */
export function timeoutsOf(limits: ConnectionLimits) {
  return {
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.checkedEveryMs,
  };
}

const DROPS_LOGGED_EVERY_MS = 60_000;

/** Bounds the connections, and logs that some were closed; seldom, as they may come in a flood. */
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
