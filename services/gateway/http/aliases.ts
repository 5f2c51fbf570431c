// moleculer-web's routes, made from the table and the pages. Each endpoint is a route with one
// alias, which is a function and no action name, because moleculer-web picks the node of a named
// action before it authenticates: a request without a token would learn which services are down,
// and a slow body could go to a node that has stopped meanwhile.

import type { IncomingMessage } from "node:http";
import type { ServiceBroker } from "moleculer";
import type { ApiRouteSchema, GatewayResponse, IncomingRequest } from "moleculer-web";
import { type ErrorType, fail } from "../../../shared/errors.ts";
import { normalId } from "../../../shared/ids.ts";
import type { HttpAnswer } from "./answer.ts";
import { refuseByAccept } from "./plain-page.ts";
import { ORDINARY_ERRORS, type Refuse, refuseIn } from "./refusal.ts";
import type { Access, HttpMethod, Route } from "./route.ts";
import { type ServeDeps, serveRoute } from "./serve.ts";

/** A page: the answer at a path that is not in the table, to GET and HEAD by default. */
export interface PageRoute {
  method?: HttpMethod;
  path: string;
  /** @param params the parameters of the path */
  serve(
    params: Record<string, string>,
    broker: ServiceBroker,
    request: IncomingMessage,
  ): Promise<HttpAnswer> | HttpAnswer;
  /** The answer to an error; by default a plain page or the ordinary JSON, by `Accept`. */
  refuse?: Refuse;
}

/** A moleculer-web route, with the fields of the endpoint that the gateway's methods need. */
export interface EndpointSchema extends ApiRouteSchema, ServedRoute {
  /** Options for path-to-regexp; missing in moleculer-web's types. */
  pathToRegexpOptions: { sensitive: boolean; trailing: boolean };
}

export interface ServedRoute {
  access: Access | null;
  unknownAs?: ErrorType | undefined;
  /** Whether `Prefer: handling=strict` is honoured. */
  takesStrict?: boolean;
  /** Answers a request of an authorized caller. */
  serve(request: IncomingRequest, broker: ServiceBroker): Promise<HttpAnswer> | HttpAnswer;
  /** The answer to an error. */
  refuse: Refuse;
}

const REFUSE = refuseIn(ORDINARY_ERRORS);
/** The API's paths, whose errors are JSON for every client. */
const API = /^\/v\d/;

/**
 * The endpoint of unknown paths. Outside the API's paths a browser gets a page, because a person
 * has opened it: the error page of the pages that begin as the path does, or a plain one.
 */
export function unknownEndpoint(pages: PageRoute[]): ServedRoute {
  const own = new Map(
    pages.flatMap(({ path, refuse }) => (refuse ? [[firstPart(path), refuse]] : [])),
  );
  return {
    access: null,
    serve: () => fail("NOT_FOUND"),
    refuse: (refusal, requestId, request) => {
      const { url = "" } = request;
      const refuse = API.test(url) ? REFUSE : refuseByAccept(REFUSE, own.get(firstPart(url)));
      return refuse(refusal, requestId, request);
    },
  };
}

const firstPart = (path: string): string => path.split(/[/?#]/, 2)[1] ?? "";

/** The routes of a gateway, in the order in which moleculer-web tries them. */
export function endpoints(table: Route[], pages: PageRoute[], deps: ServeDeps): EndpointSchema[] {
  const ofTable = table.map((route) => {
    const { method, path, access, unknownAs, errorForm } = route;
    return schema(`${method} ${path}`, {
      access,
      unknownAs,
      takesStrict: true,
      serve: (request, broker) => serveRoute(route, request, broker, deps),
      refuse: refuseIn(errorForm),
    });
  });
  const ofPages = pages.map(({ method = "GET", path, serve, refuse = refuseByAccept(REFUSE) }) =>
    schema(`${method} ${path}`, {
      access: null,
      serve: (request, broker) => serve(request.$params.params, broker, request),
      refuse,
    }),
  );
  return [...ofTable, ...ofPages, ...otherMethods(table, pages)];
}

function schema(name: string, endpoint: ServedRoute): EndpointSchema {
  return {
    name,
    path: "/",
    aliases: { [name]: serveAlias },
    authentication: endpoint.access !== null,
    authorization: endpoint.access !== null,
    bodyParsers: false,
    mergeParams: false,
    logging: false,
    // Otherwise /ECHO and /echo/ would match /echo.
    pathToRegexpOptions: { sensitive: true, trailing: false },
    ...endpoint,
  };
}

/**
 * Given to moleculer-web's `next` after the answer is sent, so that its functions that wait for the
 * alias return; moleculer-web drops it. V8 optimises only functions that return: without it a
 * request costs 20 us more.
 */
const ANSWERED = Symbol("answered");

/**
 * The handler of all aliases. It is no async function, because lodash takes 5 us to recognise one,
 * and moleculer-web asks at each request.
 */
function serveAlias(
  this: { answer(request: IncomingRequest, response: GatewayResponse): void },
  request: IncomingRequest,
  response: GatewayResponse,
  next: (end: unknown) => void,
): void {
  response.once("finish", () => next(ANSWERED));
  this.answer(request, response);
}

/**
 * For each path, an endpoint that refuses all other methods with 405 and Allow, OPTIONS too. Its
 * errors have the form of the path's GET; those of a page's path are a page for browsers.
 */
function otherMethods(table: Route[], pages: PageRoute[]): EndpointSchema[] {
  const ofPages = pages.map(({ method = "GET", path }) => ({
    method,
    path,
    errorForm: ORDINARY_ERRORS,
  }));
  return [...Map.groupBy([...table, ...ofPages], ({ path }) => path)].map(([path, routes]) => {
    const allow = routes
      .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))
      .join(", ");
    const { errorForm = ORDINARY_ERRORS } = routes.find(({ method }) => method === "GET") ?? {};
    const isOfApi = table.some((route) => route.path === path);
    const refuse = isOfApi ? refuseIn(errorForm) : refuseByAccept(REFUSE);
    return schema(`* ${path}`, {
      access: null,
      serve: () => fail("METHOD_NOT_ALLOWED"),
      refuse: (refusal, requestId, request) =>
        refuse({ ...refusal, headers: { allow } }, requestId, request),
    });
  });
}

/** An alias that moleculer-web made; its types leave out the methods. */
interface MadeAlias {
  path: string;
  isMethod(method: string): boolean;
  match(url: string): Record<string, string> | false;
  toString(): string;
}

/**
 * Finds aliases by method and path; the alias of GET answers HEAD too. It tries only the aliases
 * with as many parts in their paths.
 * @throws moleculer-web's UNABLE_DECODE_PARAM for a malformed percent-encoding
 */
export function aliasFinder(aliases: MadeAlias[]) {
  const byLength = Map.groupBy(aliases, ({ path }) => countParts(`/${path}`));
  // moleculer-web builds this text, with colours, for each request, although it does not log it.
  for (const alias of aliases) alias.toString = () => alias.path;

  return (url: string, asked: string) => {
    const method = asked === "HEAD" ? "GET" : asked;
    for (const alias of byLength.get(countParts(url)) ?? []) {
      const params = alias.isMethod(method) && alias.match(url);
      if (params) return { alias, params: withNormalIds(params) };
    }
    return false;
  };
}

const ID = /^id$|Id$/;

/**
 * The ids of a path in lower case, so that access, the audit log and idempotency keys compare the
 * ids that are stored. Other parameters, such as an Idempotency-Key, may look like an id and count
 * as they are written.
 */
function withNormalIds(params: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(params)) {
    if (ID.test(name)) params[name] = normalId(value);
  }
  return params;
}

function countParts(path: string): number {
  return path.split("/").length;
}
