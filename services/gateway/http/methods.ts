// Other methods: a known path with a method that it does not have is a 405 with `Allow`, before anybody
// asks for a token or reads a body. HEAD and OPTIONS are methods like any other: they run no action.
// The body of a 405 has the form that the path's GET has for errors.

import { METHODS } from "node:http";
import type { FastifyInstance } from "fastify";
import { fail } from "../../../shared/errors.ts";
import type { Route } from "./route.ts";

/** Notes the methods of each path that is added from now on; the result refuses all others. */
export function methodGuard(app: FastifyInstance): () => void {
  const known = new Map<string, Path>();
  app.addHook("onRoute", ({ url, method, config }) => {
    const path = known.get(url) ?? { methods: new Set(), read: undefined };
    for (const each of [method].flat()) path.methods.add(each);
    if (method === "GET") path.read = config?.route;
    known.set(url, path);
  });
  return () => {
    addAllMethods(app);
    for (const [url, path] of [...known]) refuseOthers(app, url, path);
  };
}

interface Path {
  methods: Set<string>;
  /** The route of its GET. */
  read: Route | undefined;
}

function addAllMethods(app: FastifyInstance): void {
  const supported: readonly string[] = app.supportedMethods;
  for (const method of METHODS) {
    // Node never makes a request of a CONNECT.
    if (!supported.includes(method) && method !== "CONNECT") app.addHttpMethod(method);
  }
}

function refuseOthers(app: FastifyInstance, url: string, { methods, read }: Path): void {
  const allow = [...methods].join(", ");
  app.route({
    url,
    method: app.supportedMethods.filter((method) => !methods.has(method)),
    config: read ? { route: read } : {},
    onRequest: async (_request, reply) => {
      reply.header("allow", allow);
      fail("METHOD_NOT_ALLOWED");
    },
    handler: () => fail("METHOD_NOT_ALLOWED"),
  });
}
