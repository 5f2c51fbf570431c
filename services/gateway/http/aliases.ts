// moleculer-web's routes, made from the table and the pages. Each endpoint is a route with one
// alias, which is a function and no action name, because moleculer-web picks the node of a named
// action before it authenticates: a request without a token would learn which services are down,
// and a slow body could go to a node that has stopped meanwhile.

import type { ServiceBroker } from "moleculer";
import type { ApiRouteSchema, GatewayResponse, IncomingRequest } from "moleculer-web";
import { type ErrorType, fail } from "../../../shared/errors.ts";
import type { AddressOf } from "./address.ts";
import type { Answer } from "./answer.ts";
import type { Page } from "./page.ts";
import { type Refusal, refusingAs } from "./refusal.ts";
import type { Access, Route } from "./route.ts";
import { serveRoute } from "./serve.ts";

/** A moleculer-web route, with the fields of the endpoint that the gateway's methods need. */
export interface EndpointSchema extends ApiRouteSchema, Endpoint {
  /** Options for path-to-regexp; missing in moleculer-web's types. */
  pathToRegexpOptions: { sensitive: boolean; trailing: boolean };
}

export interface Endpoint {
  access: Access | null;
  unknownAs?: ErrorType | undefined;
  /** The answer to an error. */
  refuse(refusal: Refusal): Answer;
}

/** The endpoint that is used for an unknown path. */
export const UNKNOWN: Endpoint = { access: null, refuse: refusingAs() };

/** The methods of the gateway that aliases use. */
interface Gateway {
  broker: ServiceBroker;
  reply(request: IncomingRequest, response: GatewayResponse, answer: Answer): void;
  errorHandler(request: IncomingRequest, response: GatewayResponse, error: unknown): void;
}

type Serve = (
  request: IncomingRequest,
  response: GatewayResponse,
  gateway: Gateway,
) => Promise<Answer> | Answer;

/** The routes of a gateway, in the order in which moleculer-web tries them. */
export function endpoints(table: Route[], pages: Page[], addressOf: AddressOf): EndpointSchema[] {
  const ofTable = table.map((route) => {
    const serve: Serve = (request, _, { broker }) =>
      serveRoute(route, request, { broker, addressOf });
    const { method, path, access, unknownAs } = route;
    const refuse = refusingAs(route);
    return schemaOf(`${method} ${path}`, serve, { access, unknownAs, refuse });
  });
  const ofPages = pages.map((page) => {
    const serve: Serve = (request, _, { broker }) => page.serve(request.$params.params, broker);
    const refuse = page.refuse ?? refusingAs();
    return schemaOf(`GET ${page.path}`, serve, { access: null, refuse });
  });
  return [...ofTable, ...ofPages, ...otherMethods(table, pages)];
}

function schemaOf(name: string, serve: Serve, endpoint: Endpoint): EndpointSchema {
  return {
    name,
    path: "/",
    aliases: Object.fromEntries([[name, aliasOf(serve)]]),
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
 * Ends the functions of moleculer-web that wait for an alias; they drop it, because the answer is
 * sent. V8 optimises only functions that return, and these cost 20 us more as long as they wait.
 */
const ANSWERED = Symbol("answered");

/**
 * The handler of an alias. It is no async function, because lodash takes 5 us to recognise one, and
 * moleculer-web asks at each request.
 */
function aliasOf(serve: Serve) {
  return function serveAlias(
    this: Gateway,
    request: IncomingRequest,
    response: GatewayResponse,
    next: (end: unknown) => void,
  ): void {
    response.once("finish", () => next(ANSWERED));
    void answer(this, serve, request, response);
  };
}

/**
 * Errors go to the gateway and not to `next`, because `next` drops them once the client has gone.
 */
async function answer(
  gateway: Gateway,
  serve: Serve,
  request: IncomingRequest,
  response: GatewayResponse,
): Promise<void> {
  try {
    gateway.reply(request, response, await serve(request, response, gateway));
  } catch (error) {
    gateway.errorHandler(request, response, error);
  }
}

/**
 * For each path, an endpoint that refuses all other methods with 405 and Allow, HEAD and OPTIONS
 * too. Its errors have the form of the path's GET.
 */
function otherMethods(table: Route[], pages: Page[]): EndpointSchema[] {
  const all: Pick<Route, "method" | "path" | "errorForm">[] = [
    ...table,
    ...pages.map(({ path }) => ({ method: "GET" as const, path })),
  ];
  return [...Map.groupBy(all, ({ path }) => path)].map(([path, routes]) => {
    const allow = routes.map(({ method }) => method).join(", ");
    const serve: Serve = (_, response) => {
      response.setHeader("allow", allow);
      return fail("METHOD_NOT_ALLOWED");
    };
    const refuse = refusingAs(routes.find(({ method }) => method === "GET"));
    return schemaOf(`* ${path}`, serve, { access: null, refuse });
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
 * Finds aliases by method and path. It tries only the aliases with as many parts in their paths.
 * @throws moleculer-web's UNABLE_DECODE_PARAM for a malformed percent-encoding
 */
export function aliasFinder(aliases: MadeAlias[]) {
  const byLength = Map.groupBy(aliases, ({ path }) => countParts(`/${path}`));
  // moleculer-web builds this text, with colours, for each request, although it does not log it.
  for (const alias of aliases) alias.toString = () => alias.path;

  return (method: string, url: string) => {
    for (const alias of byLength.get(countParts(url)) ?? []) {
      const params = alias.isMethod(method) && alias.match(url);
      if (params) return { alias, params };
    }
    return false;
  };
}

function countParts(path: string): number {
  return path.split("/").length;
}
