// The HTTP server: the order in which a request is judged (the route's 404 and 405, 401, 415, 413,
// 400, then the action), the headers of every answer, and one log line for each. What the routes are
// is in routes.ts.

import { randomUUID } from "node:crypto";
import { type IncomingMessage, METHODS } from "node:http";
import cors from "@fastify/cors";
import formbody from "@fastify/formbody";
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from "fastify";
import type { Logger, ServiceBroker } from "moleculer";
import { call } from "../../shared/actions.ts";
import type { Config } from "../../shared/env.ts";
import { fail } from "../../shared/errors.ts";
import { admit, challenge } from "./access.ts";
import { type Authenticate, authenticator, type Caller } from "./authentication.ts";
import { parametersOf, parseJson } from "./incoming.ts";
import { errorBody, refusalOf } from "./refusal.ts";
import type { Call, Route } from "./route.ts";

const BODY_LIMIT_BYTES = 256 * 1024;
/** A request that is not in by then is given up. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than any id or token that a path may carry. */
const MAX_PATH_PART = 4_096;

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Of the table; absent for pages and for what answers 404 and 405. */
    route?: Route;
  }
}

export interface ServerParts {
  config: Config;
  broker: ServiceBroker;
  logger: Logger;
  routes: Route[];
  /** What is served beside the table. */
  pages: (app: FastifyInstance) => Promise<void>;
}

/** The server, ready to listen. */
export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { config, routes, pages } = parts;
  const app = fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    requestIdHeader: false,
    genReqId: requestId,
    // HEAD never runs an action.
    exposeHeadRoutes: false,
    // Refused in our own form, by the first hook.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PATH_PART },
    frameworkErrors: (error, request, reply) => refuse(parts, error, request, reply),
    clientErrorHandler: refuseMalformed,
  });
  app.decorateRequest("caller", null);
  app.setErrorHandler((error, request, reply) => refuse(parts, error, request, reply));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (_request: FastifyRequest, body: Buffer) => parseJson(body),
  );
  addFirstHook(app, config);
  addLog(app, parts.logger);
  const { corsOrigin } = config;
  if (corsOrigin) await app.register(cors, { origin: corsOrigin, exposedHeaders: EXPOSED_HEADERS });

  const allowed = collectMethods(app);
  const authenticate = authenticator(config);
  await app.register(async (scope) => {
    addRoutes(
      scope,
      routes.filter(({ takesForm }) => !takesForm),
      parts.broker,
      authenticate,
    );
  });
  await app.register(async (scope) => {
    await scope.register(formbody, { bodyLimit: BODY_LIMIT_BYTES });
    addRoutes(
      scope,
      routes.filter(({ takesForm }) => takesForm),
      parts.broker,
      authenticate,
    );
  });
  await app.register(pages);
  refuseOtherMethods(app, allowed);
  return app;
}

const SANE_REQUEST_ID = /^[\w.:-]{1,64}$/;

function requestId({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && SANE_REQUEST_ID.test(given) ? given : randomUUID();
}

const EXPOSED_HEADERS = ["X-Request-Id", "Retry-After", "RateLimit", "RateLimit-Policy"];

/** Before anything else: the headers of every answer, 503 while closing, 404 of the route. */
function addFirstHook(app: FastifyInstance, { production }: Config): void {
  const headers = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    ...(production && { "strict-transport-security": "max-age=63072000; includeSubDomains" }),
  };
  let closing = false;
  app.addHook("preClose", (done) => {
    closing = true;
    done();
  });
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headers).header("x-request-id", request.id);
    if (closing) fail("UNAVAILABLE");
    if (request.is404) fail("NOT_FOUND");
    done();
  });
}

/** One line per request; the route's pattern, never the path, because paths carry tokens. */
function addLog(app: FastifyInstance, logger: Logger): void {
  app.addHook("onResponse", (request, reply, done) => {
    logger.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        requestId: request.id,
      },
      "request",
    );
    done();
  });
}

function addRoutes(
  app: FastifyInstance,
  routes: Route[],
  broker: ServiceBroker,
  authenticate: Authenticate,
): void {
  for (const route of routes) {
    const { method, path, access } = route;
    app.route({
      method,
      url: path,
      config: { route },
      ...(access && {
        onRequest: async (request) => {
          request.caller = await admit(access, authenticate, request);
        },
      }),
      handler: async (request, reply) => {
        const result = await route.run(
          parametersOf(route, request),
          caller(broker, route, request),
        );
        const { status, body, headers = {} } = route.answer.of(result);
        return reply.code(status).headers(headers).send(body);
      },
    });
  }
}

/** Calls actions with who acts and until when somebody waits. */
function caller(broker: ServiceBroker, { contract }: Route, { caller }: FastifyRequest): Call {
  const deadline = Date.now() + contract.timeoutMs;
  const meta = { ...(caller && { actor: { sub: caller.sub, role: caller.role } }), deadline };
  return (name, params, { timeoutMs = Number.POSITIVE_INFINITY } = {}) => {
    const left = Math.max(1, Math.min(timeoutMs, deadline - Date.now()));
    return call(broker, name, params, { meta, timeoutMs: left });
  };
}

/** Says what went wrong, and no more than the caller may know. */
function refuse(
  { logger }: Pick<ServerParts, "logger">,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const route = request.routeOptions.config.route ?? null;
  const refusal = refusalOf(error, route);
  if (refusal.unexpected) {
    const { name, message, type, code, stack } = error as Error & { type?: string; code?: unknown };
    const cause = { name, message, type, code, stack };
    logger.error({ requestId: request.id, route: request.routeOptions.url, cause }, "failed");
  }
  if (refusal.status === 401 && route?.access) {
    reply.header("www-authenticate", challenge(refusal.type, route.access, request));
  }
  const { status, headers } = refusal;
  return reply.code(status).headers(headers).send(errorBody(refusal, route));
}

/** Notes the methods of every path as routes are added. */
function collectMethods(app: FastifyInstance): Map<string, Set<string>> {
  const allowed = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = allowed.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    allowed.set(url, methods);
  });
  return allowed;
}

/** Every other method of a known path: 405, before anybody asks for a token or reads a body. */
function refuseOtherMethods(app: FastifyInstance, allowed: Map<string, Set<string>>): void {
  const supported: readonly string[] = app.supportedMethods;
  for (const method of METHODS) {
    if (!supported.includes(method) && method !== "CONNECT") app.addHttpMethod(method);
  }
  const all: readonly string[] = app.supportedMethods;
  for (const [url, methods] of [...allowed]) {
    const allow = [...methods].join(", ");
    app.route({
      method: all.filter((method) => !methods.has(method)) as HTTPMethods[],
      url,
      onRequest: async (_request, reply) => {
        reply.header("allow", allow);
        fail("METHOD_NOT_ALLOWED");
      },
      handler: () => fail("METHOD_NOT_ALLOWED"),
    });
  }
}

/** What is not HTTP at all never becomes a request. */
function refuseMalformed(
  error: Error & { code?: string },
  socket: import("node:net").Socket,
): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ["431 Request Header Fields Too Large", "The headers are too large"]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ["408 Request Timeout", "The request took too long"]
        : ["400 Bad Request", "The request is not valid HTTP"];
  const body = JSON.stringify({ success: false, message, fatal: true });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
