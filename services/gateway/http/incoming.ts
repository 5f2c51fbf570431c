// What comes in: the body's bytes, and the parameters that a route takes from path, query and body.
// Values are checked by the action's own contract; here only what HTTP itself can get wrong.

import { isUtf8 } from "node:buffer";
import type { FastifyRequest } from "fastify";
import { fail } from "../../../shared/errors.ts";
import type { Fields } from "../../../shared/field.ts";
import type { Route } from "./route.ts";

/** Deeper than any body of ours; without a bound, the encoder between services runs out of stack. */
const MAX_DEPTH = 16;
/** More than any body of ours has; what checks it would be busy for long with many more. */
const MAX_VALUES = 10_000;
/** Harmless as JSON.parse leaves them, but not where somebody merges what they stand in. */
const PROTOTYPE_KEYS = ["__proto__", "constructor", "prototype"];

/**
 * The JSON object that a body is; undefined where it is empty.
 * @throws VALIDATION for anything else, and for keys that could reach a prototype
 */
export function parseJson(bytes: Buffer): object | undefined {
  if (bytes.length === 0) return undefined;
  const value = isUtf8(bytes) ? parse(bytes.toString()) : undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return fail("VALIDATION", NOT_AN_OBJECT);
  }
  inspect(value, MAX_DEPTH, { values: 0 });
  return value;
}

const NOT_AN_OBJECT = "The body must be a JSON object";

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function inspect(value: object, depth: number, seen: { values: number }): void {
  if (depth === 0) fail("VALIDATION", "The body is nested too deeply");
  const entries = Object.entries(value);
  seen.values += entries.length;
  if (seen.values > MAX_VALUES) fail("VALIDATION", "The body has too many values");
  for (const [key, inner] of entries) {
    if (PROTOTYPE_KEYS.includes(key)) fail("VALIDATION", `The body must not have a key ${key}`);
    if (typeof inner === "object" && inner !== null) inspect(inner, depth - 1, seen);
  }
}

/**
 * The parameters of a route in a request.
 * @throws VALIDATION for a missing body that has to say something, an empty PATCH, a repeated or
 *   bracketed query parameter
 */
export function parametersOf(route: Route, request: FastifyRequest): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  if (route.inQuery.length > 0) {
    const query = request.query as Record<string, unknown>;
    refuseRepeated(route.inQuery, query);
    copy(route.inQuery, query, params);
  }
  if (route.body) {
    const body = request.body ?? noBody(route.body, request);
    copy(route.inBody, body as Record<string, unknown>, params);
    if (route.method === "PATCH" && Object.keys(params).length === 0) {
      fail("VALIDATION", `The body must have at least one of ${route.inBody.join(", ")}`);
    }
  }
  copy(route.inPath, request.params as Record<string, unknown>, params);
  for (const [name, read] of Object.entries(route.from)) {
    const value = read(request);
    if (value !== undefined) params[name] = value;
  }
  return params;
}

/** No body at all (not an empty one that calls itself JSON) is as good as `{}` where that is. */
function noBody(fields: Fields, { headers }: FastifyRequest): object {
  const isNone = headers["content-type"] === undefined;
  return isNone && isOptional(fields) ? {} : fail("VALIDATION", NOT_AN_OBJECT);
}

/** Whether a body has no field that it needs. */
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
    .filter((key) => key.includes("[") || Array.isArray(query[key]))
    .map((key) => key.split("[")[0] as string)
    .filter((name) => names.includes(name));
  if (wrong.length === 0) return;
  fail("VALIDATION", [...new Set(wrong)].map((name) => `${name} must be given once`).join("; "));
}
