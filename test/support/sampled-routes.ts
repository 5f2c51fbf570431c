// The gateway's routes for tests that go through all of them, and requests made from their samples.

import type { Route } from "../../services/gateway/http/route.ts";
import { routes } from "../../services/gateway/routes/routes.ts";
import type { Answer, RequestOptions } from "./http.ts";
import type { Sample } from "./samples.ts";
import type { World } from "./world.ts";

export const TABLE = routes({ sandbox: true });
/** Valid path parameters other than ids and tokens. */
export const IN_PATH_NO_ID: Record<string, string> = { currency: "USD", step: "1" };
export const withBody = TABLE.filter(({ body }) => body !== null);

/** The routes as rows of `test.each`. */
export const named = (list: Route[]): [string, Route][] => list.map((route) => [route.name, route]);

/** The route's path with the sample's parameters. */
export function fillPath(route: Route, { path }: Sample): string {
  return route.path.replaceAll(/:(\w+)/g, (_, name) => path[name] as string);
}

/** A changed query follows that of the sample. */
export type Changes = Partial<Sample> & {
  options?: RequestOptions;
  method?: string;
};

/** Sends the route's sample request with changes. */
export function sendSample(
  { http }: Pick<World, "http">,
  route: Route,
  sample: Sample,
  changes: Changes = {},
): Promise<Answer> {
  const changed = { ...sample, ...changes };
  const { body, token } = changed;
  const query = [sample.query, changes.query].filter(Boolean).join("&");
  const options = { ...(token && { token }), ...(body && { body }), ...changes.options };
  return http.request(
    changes.method ?? route.method,
    `${fillPath(route, changed)}${query && `?${query}`}`,
    options,
  );
}
