// The Idempotency-Key of a request (draft-ietf-httpapi-idempotency-key-header), and a fingerprint
// of the request, by which a service tells a repeat from another request with the same key.

import { checker } from "../../../shared/contracts/checker.ts";
import { idempotencyKey } from "../../../shared/contracts/contract.ts";
import type { Idempotency } from "../../../shared/rpc/actions.ts";
import { digestOf } from "../../../shared/security/secrets.ts";
import type { Route, RouteRequest } from "./route.ts";

const HEADER = "Idempotency-Key";
const check = checker({ [HEADER]: idempotencyKey });

/**
 * Whether a route takes a key for its caller: every POST of an authorized caller that changes data.
 * The checkout has no caller, so its keys belong to the link.
 */
export function takesKey({
  method,
  access,
  isRead,
}: Pick<Route, "method" | "access" | "isRead">): boolean {
  return method === "POST" && access !== null && isRead !== true;
}

/**
 * Reads the key of a request; undefined without a key, and on a route that takes no key.
 * @throws VALIDATION if the key is not 1 to 255 visible ASCII characters
 */
export function readIdempotency(
  route: Route,
  { params, headers, body }: RouteRequest,
): Idempotency | undefined {
  const given = headers[HEADER.toLowerCase()];
  if (given === undefined || !takesKey(route)) return undefined;
  const { [HEADER]: key } = check({ [HEADER]: given });
  const ofRoute = Object.keys(route.headers ?? {}).map((name) => headers[name.toLowerCase()]);
  const request = digestOf([params, body ?? {}, ofRoute]);
  return { route: route.name, key, request, ...(route.asksInTurn && { asksInTurn: true }) };
}
