// The parameters that a route takes from path, query and body. A parameter is read from one place
// only, so that a query never replaces a body. The action's contract checks the values.

import { type Fields, isObject } from "../../../shared/contracts/field.ts";
import { fail, failFields, wrongField } from "../../../shared/errors.ts";
import { normalId } from "../../../shared/ids.ts";
import { NOT_AN_OBJECT } from "./json.ts";
import type { Route, RouteRequest } from "./route.ts";

/**
 * Reads the parameters of a route from a request.
 * @throws VALIDATION for a missing body of a route that needs one, an empty PATCH, a repeated or
 *   bracketed query parameter
 */
export function readParameters(route: Route, request: RouteRequest): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  if (route.inQuery.length > 0) {
    refuseRepeated(route.inQuery, request.query);
    // An empty parameter counts as absent.
    copy(
      route.inQuery.filter((name) => request.query[name] !== ""),
      request.query,
      params,
    );
  }
  if (route.body) {
    const body = request.body ?? noBody(route.body, request);
    copy(route.inBody, body as Record<string, unknown>, params);
    if (route.method === "PATCH" && Object.keys(params).length === 0) {
      fail("VALIDATION", `The body must have at least one of ${route.inBody.join(", ")}`);
    }
  }
  copy(route.inPath, request.params, params);
  for (const [name, read] of Object.entries(route.from)) {
    const value = read(request);
    if (value !== undefined) params[name] = value;
  }
  return params;
}

/**
 * Writes the ids of a body in lower case, so that a repeat with an id in another case is the same
 * request to an Idempotency-Key, and composed routes compare the ids that are stored.
 */
export function normalizeIds({ body: fields }: Route, body: unknown): void {
  if (fields === null || !isObject(body)) return;
  for (const [name, { schema }] of Object.entries(fields)) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    if (schema.format === "uuid" && typeof value === "string") body[name] = normalId(value);
  }
}

/** A request without a body and without a content type counts as `{}` if no field is required. */
function noBody(fields: Fields, { headers }: RouteRequest): object {
  const isNone = headers["content-type"] === undefined;
  return isNone && isOptional(fields) ? {} : fail("VALIDATION", NOT_AN_OBJECT);
}

/** Whether a body has no required field. */
export function isOptional(body: Fields): boolean {
  return Object.values(body).every(({ optional }) => optional);
}

function copy(names: string[], from: Record<string, unknown>, to: Record<string, unknown>): void {
  for (const name of names) {
    if (Object.hasOwn(from, name)) to[name] = from[name];
  }
}

function refuseRepeated(names: string[], query: Record<string, unknown>): void {
  const wrong = Object.keys(query)
    .filter((key) => key.includes("[") || typeof query[key] !== "string")
    .map((key) => key.split("[")[0] as string)
    .filter((name) => names.includes(name));
  if (wrong.length === 0) return;
  failFields([...new Set(wrong)].map((name) => wrongField(name, "must be given once", "repeated")));
}
