// The HTTP server: the order in which a request is judged (the route's 404 and 405, 401, 415, 413,
// 400, then the action), the headers of every answer, and one log line for each. What the routes are
// is in routes.ts.

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import cors, { type FastifyCorsOptions } from "@fastify/cors";
import formbody from "@fastify/formbody";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger, ServiceBroker } from "moleculer";
import { call } from "../../../shared/actions.ts";
import type { Config } from "../../../shared/env.ts";
import { fail } from "../../../shared/errors.ts";
import { admit, challenge } from "../access/access.ts";
import { type Authenticate, authenticator, type Caller } from "../access/authentication.ts";
import { ofEnabledClients } from "../access/clients.ts";
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  limitConnections,
  timeoutsOf,
} from "./connections.ts";
import { parametersOf, parseJson } from "./incoming.ts";
import { refuseMalformed } from "./malformed.ts";
import { methodGuard } from "./methods.ts";
import { errorFormOf, refusalOf } from "./refusal.ts";
import { type Call, HTTP_METHODS, type Route } from "./route.ts";

const BODY_LIMIT_BYTES = 256 * 1024;
/** Longer than any id or token that a path may carry; a path with a longer part is unknown. */
const MAX_PATH_PART = 4_096;
const SANE_REQUEST_ID = /^[\w.:-]{1,64}$/;

declare module "fastify" {
  interface FastifyInstance {
    closing: boolean;
  }
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Of the table; absent for pages and for what answers 404. */
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
  limits?: ConnectionLimits;
}

/** The server, ready to listen. */
export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { config, broker, logger, routes, pages, limits = CONNECTION_LIMITS } = parts;
  const headers = headersOfAll(config);
  const app = fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    ...timeoutsOf(limits),
    requestIdHeader: false,
    trustProxy: config.trustedProxies,
    genReqId: requestIdOf,
    exposeHeadRoutes: false,
    // Refused in our own form, by the first hook.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PATH_PART },
    // A path that cannot be decoded or is too long is unknown. It passes no hook, and its error is not
    // used, because its message has the path.
    frameworkErrors: (_error, request, reply) => {
      reply.headers(headers).header("x-request-id", request.id);
      refuse(logger, { type: "NOT_FOUND" }, request, reply);
    },
    clientErrorHandler: (error, socket) => refuseMalformed(error, socket, headers),
  });
  limitConnections(app.server, logger, limits);
  app.decorate("closing", false);
  app.decorateRequest("caller", null);
  app.setErrorHandler((error, request, reply) => refuse(logger, error, request, reply));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (_request: FastifyRequest, body: Buffer) => parseJson(body),
  );
  addFirstHook(app, headers);
  addLog(app, logger);
  if (config.corsOrigin) await app.register(cors, corsOptions(config.corsOrigin));

  const refuseOtherMethods = methodGuard(app);
  const authenticate = ofEnabledClients(authenticator(config), broker);
  for (const route of routes.filter(({ takesForm }) => !takesForm)) {
    addRoute(app, route, broker, authenticate);
  }
  await app.register(async (withForms) => {
    await withForms.register(formbody, { bodyLimit: BODY_LIMIT_BYTES });
    for (const route of routes.filter(({ takesForm }) => takesForm)) {
      addRoute(withForms, route, broker, authenticate);
    }
  });
  await app.register(pages);
  refuseOtherMethods();
  return app;
}

/** One origin, and every OPTIONS request is a preflight: it is answered before any route hears of it. */
function corsOptions(origin: string): FastifyCorsOptions {
  const exposedHeaders = ["X-Request-Id", "Retry-After", "RateLimit", "RateLimit-Policy"];
  return { origin, methods: [...HTTP_METHODS], exposedHeaders, strictPreflight: false };
}

function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && SANE_REQUEST_ID.test(given) ? given : randomUUID();
}

/** The headers of every answer, whatever it is. */
function headersOfAll({ production }: Config): Record<string, string> {
  return {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    ...(production && { "strict-transport-security": "max-age=63072000; includeSubDomains" }),
  };
}

/** Before anything else: 503 while closing, 404 of the route. */
function addFirstHook(app: FastifyInstance, headers: Record<string, string>): void {
  app.addHook("preClose", async () => {
    app.closing = true;
  });
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headers).header("x-request-id", request.id);
    if (app.closing) fail("UNAVAILABLE");
    if (request.is404) fail("NOT_FOUND");
    done();
  });
}

/** One line per request; the route's pattern, never the path, because paths carry tokens. */
function addLog(app: FastifyInstance, logger: Logger): void {
  app.addHook("onResponse", (request, reply, done) => {
    const { method, id: requestId, routeOptions } = request;
    const durationMs = Math.round(reply.elapsedTime * 10) / 10;
    const { statusCode: status } = reply;
    logger.info(
      { method, route: routeOptions.url ?? null, status, durationMs, requestId },
      "request",
    );
    done();
  });
}

function addRoute(
  app: FastifyInstance,
  route: Route,
  broker: ServiceBroker,
  authenticate: Authenticate,
): void {
  const { method, path: url, access } = route;
  app.route({
    method,
    url,
    config: { route },
    ...(access && {
      onRequest: async (request) => {
        request.caller = await admit(access, authenticate, request);
      },
    }),
    handler: async (request, reply) => {
      const result = await route.run(parametersOf(route, request), callFor(request, route, broker));
      const { status, body, headers = {} } = route.answer.of(result);
      return send(reply, status, headers, body);
    },
  });
}

/** Calls actions for whom the request is from, while somebody waits for its answer. */
function callFor({ caller }: FastifyRequest, { contract }: Route, broker: ServiceBroker): Call {
  const { timeoutMs: withinMs } = contract;
  // Without a bound the action itself knows when it is no use to wait any longer.
  const deadline = withinMs === 0 ? undefined : Date.now() + withinMs;
  const actor = caller && { sub: caller.sub, role: caller.role };
  const meta = { ...(actor && { actor }), ...(deadline !== undefined && { deadline }) };
  return (name, params, { timeoutMs = withinMs } = {}) => {
    const left = deadline === undefined ? Infinity : Math.max(1, deadline - Date.now());
    return call(broker, name, params, { meta, timeoutMs: Math.min(timeoutMs, left) });
  };
}

/** Says what went wrong, and no more than the caller may know. */
function refuse(
  logger: Logger,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { config, url } = request.routeOptions;
  const route = config.route ?? null;
  const refusal = refusalOf(error, route);
  if (refusal.unexpected) {
    logger.error({ requestId: request.id, route: url, cause: error }, "request failed");
  }
  if (refusal.status === 401) {
    reply.header("www-authenticate", challenge(refusal.type, route?.access ?? null, request));
  }
  const { status, headers } = refusal;
  return send(reply, status, headers, errorFormOf(route).of(refusal));
}

/** While closing, a connection ends with its answer: kept open it would keep us from ending. */
function send(
  reply: FastifyReply,
  status: number,
  headers: Record<string, string>,
  body: unknown,
): FastifyReply {
  if (reply.server.closing) reply.header("connection", "close");
  return reply.code(status).headers(headers).send(body);
}
