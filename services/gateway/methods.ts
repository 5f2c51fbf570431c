// Other methods: a known path with a method that it does not have is a 405 with `Allow`, before anybody
// asks for a token or reads a body. HEAD and OPTIONS are methods like any other: they run no action.

import { METHODS } from "node:http";
import type { FastifyInstance } from "fastify";
import { fail } from "../../shared/errors.ts";

/** Notes the methods of each path that is added from now on; the result refuses all others. */
export function methodGuard(app: FastifyInstance): () => void {
  const known = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = known.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    known.set(url, methods);
  });
  return () => {
    addAllMethods(app);
    for (const [url, methods] of [...known]) refuseOthers(app, url, methods);
  };
}

function addAllMethods(app: FastifyInstance): void {
  const supported: readonly string[] = app.supportedMethods;
  for (const method of METHODS) {
    // Node never makes a request of a CONNECT.
    if (!supported.includes(method) && method !== "CONNECT") app.addHttpMethod(method);
  }
}

function refuseOthers(app: FastifyInstance, url: string, methods: Set<string>): void {
  const allow = [...methods].join(", ");
  app.route({
    url,
    method: app.supportedMethods.filter((method) => !methods.has(method)),
    onRequest: async (_request, reply) => {
      reply.header("allow", allow);
      fail("METHOD_NOT_ALLOWED");
    },
    handler: () => fail("METHOD_NOT_ALLOWED"),
  });
}
