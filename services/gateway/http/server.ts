// Node's HTTP server under the gateway, with limits of connections. moleculer-web runs without one
// of its own (`server: false`), because that one has no time limits and ends the process if the
// port is in use.

import { randomUUID } from "node:crypto";
import { createServer, type RequestListener, type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "moleculer";
import type { ErrorType } from "../../../shared/errors.ts";
import { mapError, ORDINARY_ERRORS } from "./refusal.ts";

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

const DROPS_LOGGED_EVERY_MS = 60_000;
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
  const { maxConnections } = limits;
  const timeouts = {
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.checkedEveryMs,
  };
  const server = createServer(timeouts, receive);
  server.maxConnections = maxConnections;
  server.on("clientError", (error, socket) => refuseMalformed(error, socket as Socket, headers));
  let loggedAt = Number.NEGATIVE_INFINITY;
  server.on("drop", () => {
    // Not each, because there may be a flood of them.
    if (Date.now() - loggedAt < DROPS_LOGGED_EVERY_MS) return;
    loggedAt = Date.now();
    logger.warn({ maxConnections }, "connections are closed because too many are open");
  });
  return server;
}

const TYPES: Record<string, ErrorType> = {
  HPE_HEADER_OVERFLOW: "HEADERS_TOO_LARGE",
  ERR_HTTP_REQUEST_TIMEOUT: "SLOW_REQUEST",
};

/**
 * Answers bytes that are not HTTP in the API's error form, and closes the connection. They never
 * become a request, so the answer is written to the socket itself.
 */
function refuseMalformed(
  { code = "" }: NodeJS.ErrnoException,
  socket: Socket,
  headers: Record<string, string>,
): void {
  if (code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = mapError({ type: TYPES[code] ?? "MALFORMED_HTTP" });
  const requestId = randomUUID();
  const { status } = refusal;
  const body = JSON.stringify(ORDINARY_ERRORS.of(refusal, requestId));
  const all = {
    ...headers,
    "x-request-id": requestId,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
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
