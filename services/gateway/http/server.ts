// Node's HTTP server under the gateway, with limits of connections. moleculer-web runs without one
// of its own (`server: false`), because that one has no time limits and ends the process if the
// port is in use.

import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "moleculer";
import type { ErrorType } from "../../../shared/errors.ts";
import { mapError, ORDINARY_ERRORS } from "./refusal.ts";

/** Limits that stop one client from blocking all others with connections that it does not use. */
export interface ConnectionLimits {
  /** Open connections; a further one is closed immediately. */
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
  /** A connection ends after this time in which its client has read nothing of an answer. */
  answerTimeoutMs: number;
  /** The interval at which Node looks for connections that exceed the first two limits. */
  checkedEveryMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 72_000,
  answerTimeoutMs: 60_000,
  checkedEveryMs: 5_000,
};

const DROPS_LOGGED_EVERY_MS = 60_000;
/** More than any route's action may take. */
const CLOSE_WITHIN_MS = 20_000;
/** The time in which a client can read the last answer of its connection. */
const LINGER_MS = 1_000;
/** Of a body that nothing reads: enough for clients that send it whole before they read. */
const MAX_DISCARDED_BYTES = 64 * 1_024;

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
  // Without a Host it would answer in its own form.
  const answer: RequestListener = (request, response) => {
    const { socket } = request;
    responses.set(socket, [response, responses.get(socket)?.[0]]);
    receive(request, response);
  };
  const server = createServer({ ...timeouts, requireHostHeader: false }, answer);
  server.maxConnections = maxConnections;
  server.on("connection", (socket) => {
    // Node calls it after the last answer of a connection.
    socket.destroySoon = () => closeGently(socket);
  });
  server.on("checkExpectation", answer);
  server.on("checkContinue", (request, response) => {
    waiting.set(request, response);
    answer(request, response);
  });
  server.on("connect", (_request, socket) =>
    refuseOn(socket as Socket, "METHOD_NOT_ALLOWED", { ...headers, allow: METHODS }),
  );
  server.on("clientError", ({ code = "" }: NodeJS.ErrnoException, socket) => {
    if (code === "ECONNRESET") socket.destroy();
    else refuseOn(socket as Socket, TYPES[code] ?? "MALFORMED_HTTP", headers);
  });
  let loggedAt = Number.NEGATIVE_INFINITY;
  server.on("drop", () => {
    // Not each, because there may be a flood of them.
    if (performance.now() - loggedAt < DROPS_LOGGED_EVERY_MS) return;
    loggedAt = performance.now();
    logger.warn({ maxConnections }, "connections are closed because too many are open");
  });
  return server;
}

/** The methods of all endpoints together. */
const METHODS = "GET, HEAD, POST, PATCH, DELETE";

const TYPES: Record<string, ErrorType> = {
  HPE_HEADER_OVERFLOW: "HEADERS_TOO_LARGE",
  ERR_HTTP_REQUEST_TIMEOUT: "SLOW_REQUEST",
};

/** The newest responses of a connection: the last one, and the one before it. */
const responses = new WeakMap<Socket, [ServerResponse, ServerResponse | undefined]>();

/**
 * Answers in the API's error form and closes the connection. What is no request, such as bytes that
 * are not HTTP, has no response, so the answer is written to the socket itself: after the answers
 * to the requests before it, because a client takes the first answer for that of its first request.
 */
function refuseOn(socket: Socket, type: ErrorType, headers: Record<string, string>): void {
  // What follows is not read, because nothing says where it ends.
  socket.pause();
  const [last, before] = responses.get(socket) ?? [];
  // A request that is cut off by the error gets no other answer.
  const awaited = last?.req.complete ? last : before;
  if (!awaited || awaited.writableFinished || awaited.closed) writeRefusal(socket, type, headers);
  else awaited.once("close", () => writeRefusal(socket, type, headers));
}

function writeRefusal(socket: Socket, type: ErrorType, headers: Record<string, string>): void {
  if (!socket.writable) return;
  const refusal = mapError({ type });
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
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  closeGently(socket);
}

/**
 * Ends the answers of a connection, and the connection soon after them whether the client closes
 * its half or not. At once would lose an answer that the client has not read (RFC 9112, 9.6).
 */
function closeGently(socket: Socket): void {
  if (socket.writableEnded) return;
  socket.end(() => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once("close", () => clearTimeout(timer));
  });
}

/** The responses to clients that wait for `100 Continue` before they send a body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Asks for the body of a request, if its client waits for that. */
export function askForBody(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
}

/**
 * Whether an answer comes before the whole body. Then it is the connection's last one, and the rest
 * of the body is not read: an unknown caller could make payrail read without an end.
 */
export function leavesBody(request: IncomingMessage): boolean {
  const { headers, complete } = request;
  const { "content-length": length = "0", "transfer-encoding": coding } = headers;
  if (complete || (length === "0" && coding === undefined)) return false;
  let left = MAX_DISCARDED_BYTES;
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.pause();
  });
  return true;
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
