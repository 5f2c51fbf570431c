// The gateway: HTTP for all other services, by moleculer-web. It has no domain rules and no
// database. Its endpoints are in routes/routes.ts. A request is judged in this order: 503 while the
// gateway stops, 404 and 405, 401 and the caller's access, 415, 413, 400, then the action.

import type { CallingOptions, Context, ServiceSchema } from "moleculer";
import ApiGateway, {
  type ApiSettingsSchema,
  type GatewayResponse,
  type IncomingRequest,
  type Route as WebRoute,
} from "moleculer-web";
import { type Clock, machineClock } from "../../shared/clock.ts";
import type { ConfigOf } from "../../shared/config/config.ts";
import { listen } from "../../shared/observability/listen.ts";
import { metricsOf } from "../../shared/observability/metrics.ts";
import { beginTrace, type OpenSpan } from "../../shared/observability/spans.ts";
import type { Log } from "../../shared/observability/throttled-warning.ts";
import { call } from "../../shared/rpc/actions.ts";
import { askAccounts, type Controls, followControls } from "../../shared/rpc/controls.ts";
import { workFor } from "../../shared/rpc/origin.ts";
import { defineService } from "../../shared/service.ts";
import { authorize, challenge } from "./access/access.ts";
import {
  type Authenticate,
  type AuthenticatedCaller,
  authenticator,
} from "./access/authentication.ts";
import { ofEnabledClients } from "./access/clients.ts";
import { type RefuseFrozen, refuserOfFrozen } from "./access/frozen.ts";
import { keyPages } from "./access/published-keys.ts";
import { requestLimit } from "./access/request-limit.ts";
import { identityProvider } from "./console/open-id.ts";
import { consolePages } from "./console/pages.ts";
import { consoleSessions, type MaybeConsoleRequest } from "./console/session.ts";
import { SIGNED_IN, signInPages } from "./console/sign-in.ts";
import { docsPages } from "./docs/pages.ts";
import { clientAddress } from "./http/address.ts";
import { aliasFinder, endpoints, type ServedRoute, unknownEndpoint } from "./http/aliases.ts";
import { commonHeaders, type HttpAnswer, preflight, write } from "./http/answer.ts";
import { greetingPage } from "./http/greeting.ts";
import { headError, isUnknownPath, readIds, targetOf } from "./http/incoming.ts";
import { openApi } from "./http/openapi.ts";
import { mapError } from "./http/refusal.ts";
import type { Route } from "./http/route.ts";
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  close,
  httpServer,
  leavesBody,
} from "./http/server.ts";
import { APPLIED, isStrict } from "./http/strict.ts";
import { payPage } from "./pay/serve.ts";
import { subscriptionPages } from "./pay/serve-subscription.ts";
import { createReadiness, type Readiness } from "./readiness.ts";
import { routes } from "./routes/routes.ts";

/** Kept with a response until it is answered. */
interface Locals {
  requestId: string;
  traceId: string;
  span: OpenSpan | null;
  startedAt: number;
}

interface Options {
  clock?: Clock;
  /** As the table of routes has it. */
  readiness?: Readiness;
  table?: Route[];
  limits?: ConnectionLimits;
}

/**
 * The options of moleculer-web's call for a request. Tracked, it would make the broker wait for all
 * requests to end before it stops the gateway. With an id, moleculer-web would set X-Request-Id on
 * its own; Node writes the headers faster if all are given together.
 */
function rootCallOptions(options: CallingOptions): void {
  options.tracking = false;
  options.requestID = "";
}

/** The service. Nothing else starts a gateway, and it needs no other service to start. */
export default defineService(function gateway(
  config: ConfigOf<"gateway">,
  {
    clock = machineClock,
    readiness = createReadiness(),
    table = routes(config, readiness),
    limits = CONNECTION_LIMITS,
  }: Options = {},
): ServiceSchema<ApiSettingsSchema> {
  const docs = docsPages(() => openApi(table));
  // Set when the service is created, because they need its broker.
  let authenticate: Authenticate;
  let controls: Controls;
  let refuseFrozen: RefuseFrozen;
  let log: Log;
  const warnings: Log = { warn: (message, details) => log.warn(message, details) };
  const provider = config.openId
    ? identityProvider(config.openId, clock, config.publicUrl + SIGNED_IN, warnings)
    : null;
  const sessions = consoleSessions(config, (...of) => authenticate(...of), provider);
  const findAddress = clientAddress(config.trustedProxies, warnings);
  const limitRequests = requestLimit(config.apiLimit, clock);
  const pages = [
    greetingPage,
    ...docs,
    ...keyPages(config),
    payPage(config),
    ...subscriptionPages,
    ...consolePages(config),
    ...signInPages(sessions, provider, config, findAddress, clock),
  ];
  const unknown = unknownEndpoint(pages);
  const headers = commonHeaders(config);

  return {
    name: "gateway",
    mixins: [ApiGateway],

    settings: {
      // Settings are sent to all nodes, and no other node needs these.
      $secureSettings: ["routes", "qsOptions", "rootCallOptions"],
      ip: config.host,
      // The port that the gateway listens on, once it has started.
      port: config.port,
      server: false,
      routes: endpoints(table, pages, {
        clock,
        findAddress,
        refuseFrozen: (caller) => refuseFrozen(caller),
      }),
      optimizeOrder: false,
      // A parameter such as a[$ne]=x stays a name with brackets, and does not become an object.
      qsOptions: { depth: 0, parameterLimit: Number.POSITIVE_INFINITY },
      // A function, because moleculer-web inspects an object for 10 us at each request; its types
      // know only the object.
      rootCallOptions: rootCallOptions as object,
      // `reply` logs one line for each request. moleculer-web's lines have the path, and paths
      // contain tokens.
      logRequest: null,
      logRequestParams: null,
      logResponse: null,
      logRouteRegistration: null,
    },

    actions: { listAliases: false, addRoute: false, removeRoute: false },

    methods: {
      /** Receives each request, and begins its trace. */
      receive(request: IncomingRequest, response: GatewayResponse) {
        sessions.enter(request);
        const method = request.method as string;
        const { origin, span } = beginTrace(readIds(request, config), method, {
          kind: "server",
          attributes: { "http.request.method": method, "url.scheme": "http" },
        });
        const { requestId, traceId } = origin;
        response.locals = { requestId, traceId, span, startedAt: performance.now() };
        return workFor([origin], () => this.route(request, response));
      },

      /** Hands a request to moleculer-web, unless it can be answered earlier. */
      route(request: IncomingRequest, response: GatewayResponse) {
        // moleculer-web runs an OPTIONS request as the method that this header names.
        if (request.method === "OPTIONS")
          request.headers["access-control-request-method"] = "OPTIONS";
        if (!this.server.listening)
          return this.errorHandler(request, response, { type: "UNAVAILABLE" });
        const isApi = (request as MaybeConsoleRequest).session === undefined;
        const wrong = headError(request);
        if (wrong) return this.errorHandler(request, response, wrong);
        request.url = targetOf(request);
        if (config.corsOrigin && isApi && request.method === "OPTIONS")
          return this.reply(request, response, preflight(request));
        if (isUnknownPath(request))
          return this.errorHandler(request, response, { type: "NOT_FOUND" });
        return this.httpHandler(request, response);
      },

      /**
       * Answers a request of an authorized caller. Errors are not thrown to moleculer-web, because
       * it drops them once the client has gone.
       */
      async answer(request: IncomingRequest, response: GatewayResponse) {
        const { serve }: ServedRoute = request.$route.opts;
        try {
          this.reply(request, response, await serve(request, this.broker));
        } catch (error) {
          this.errorHandler(request, response, error);
        }
      },

      /**
       * Authenticates the caller, and refuses more requests than the limit allows. moleculer-web
       * calls it for each route that is not public.
       */
      async authenticate(_context: Context, _route: WebRoute, request: MaybeConsoleRequest) {
        const caller = await sessions.findCaller(request);
        limitRequests(caller);
        return caller;
      },

      /**
       * Refuses a caller without access to the route; moleculer-web calls it after `authenticate`.
       */
      authorize(
        { meta }: Context<unknown, { user: AuthenticatedCaller }>,
        { opts }: WebRoute,
        { $params }: IncomingRequest,
      ) {
        authorize(opts.access, meta.user, $params.params.businessId);
      },

      /** Answers an error. moleculer-web's own answer would show its message and its data. */
      errorHandler(request: IncomingRequest, response: GatewayResponse, error: unknown) {
        const alias = request.$alias;
        const { access, unknownAs, refuse }: ServedRoute = alias ? request.$route.opts : unknown;
        const refusal = mapError(error, unknownAs);
        const { type, status, unexpected } = refusal;
        const { requestId, traceId } = response.locals as unknown as Locals;
        if (unexpected) {
          const route = `/${alias?.path}`;
          this.logger.error({ requestId, traceId, route, cause: error }, "request failed");
        }
        if (status === 401) {
          refusal.headers["www-authenticate"] = challenge(type, access, request.headers);
        }
        // Another reader of the same bytes may see other requests in what follows.
        if (type === "MALFORMED_HTTP") refusal.headers.connection = "close";
        this.reply(request, response, refuse(refusal, requestId, request));
      },

      /** Answers an unknown path; moleculer-web calls it. */
      sendError(request: IncomingRequest, response: GatewayResponse, error: unknown) {
        this.errorHandler(request, response, error);
      },

      /**
       * Answers and logs. A connection ends with an answer that comes before the whole body, and
       * with any answer while the gateway stops.
       */
      reply(request: IncomingRequest, response: GatewayResponse, answer: HttpAnswer) {
        const { requestId, traceId, span, startedAt } = response.locals as unknown as Locals;
        const isLast = leavesBody(request) || !this.server.listening;
        const { method, $alias: alias } = request;
        const wasStrict = isStrict(request.headers) && alias && request.$route.opts.takesStrict;
        response.setTimeout(limits.answerTimeoutMs);
        // The pattern, never the path, because paths contain tokens.
        const route = alias ? `/${alias.path}` : null;
        const always = {
          ...headers,
          "x-request-id": requestId,
          ...(wasStrict && APPLIED),
          ...(isLast && { connection: "close" }),
        };
        write(response, answer, always, (cause) =>
          this.logger.error({ requestId, traceId, route, cause }, "answer cut off"),
        );
        const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
        const { status } = answer;
        const of = { route: route ?? "none", method: method ?? "", status: String(status) };
        this.metrics.count("payrail_http_requests_total", of);
        this.metrics.observe("payrail_http_request_seconds", durationMs / 1_000, of);
        this.logger.info({ method, route, status, durationMs, requestId, traceId }, "request");
        span?.end({
          ...(route && { name: `${method} ${route}` }),
          attributes: {
            ...(route && { "http.route": route }),
            "http.response.status_code": status,
          },
          ...(status >= 500 && { failure: String(status) }),
        });
      },

      /** For the process's probe (shared/observability/probes.ts). */
      async notReady(): Promise<string[]> {
        if (!this.server.listening) return ["it does not listen"];
        const { status, away } = await readiness.ask((name, params, options) =>
          call(this.broker, name, params, options),
        );
        return status === "ready" ? [] : [`no answer from ${away.join(", ")}`];
      },

      /** Tells load balancers to send no more requests; those that come are served. */
      leave: readiness.leave,
    },

    created() {
      // No alias comes from another service, so the aliases need no update when services change.
      this.regenerateAllAutoAliases = () => undefined;
      // moleculer-web's own search tries each pattern of the table in turn.
      this.resolveAlias = aliasFinder(this.aliases);
      this.metrics = metricsOf(this.broker);
      authenticate = ofEnabledClients(authenticator(config, clock), this.broker, findAddress);
      log = this.logger;
      const { logger, receive } = this;
      this.server = httpServer({ receive, logger, limits, headers });
    },

    async started() {
      const { broker, logger } = this;
      controls = followControls({
        clock,
        read: askAccounts(broker),
        log: logger,
      });
      refuseFrozen = refuserOfFrozen(controls, broker);
      const { host, port } = config;
      this.settings.port = await listen(this.server, { host, port, variable: "PORT" });
    },

    async stopped() {
      await close(this.server);
      await controls?.stop();
    },
  };
});
