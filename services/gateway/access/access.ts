// Access: reads the bearer token of a request and decides whether the caller may use the route. A
// refusal shows nothing of the resource: another merchant's business answers like one that does not
// exist.

import type { IncomingHttpHeaders } from "node:http";
import { ALL_SCOPES } from "../../../shared/contracts/accounts.ts";
import { type ErrorType, fail } from "../../../shared/errors.ts";
import type { Access } from "../http/route.ts";
import type { AuthenticatedCaller } from "./authentication.ts";

/**
 * Refuses a caller without access to a route.
 * @param businessId from the path, if it has one
 * @throws UNAUTHORIZED for a wrong role, INSUFFICIENT_SCOPE; BUSINESS_NOT_FOUND, or the route's own
 *   error in its place, for a business that is not the merchant
 */
export function authorize(
  access: Access,
  caller: AuthenticatedCaller,
  businessId: string | undefined,
): void {
  if (!access.roles.includes(caller.role)) fail("UNAUTHORIZED");
  const { scope } = access;
  const isInScope = !scope || caller.scopes.some((each) => each === scope || each === ALL_SCOPES);
  if (!isInScope) fail("INSUFFICIENT_SCOPE");
  const isBound = access.ownBusiness && caller.role === "merchant";
  if (isBound && businessId !== caller.sub) fail(access.otherwise ?? "BUSINESS_NOT_FOUND");
}

/**
 * The WWW-Authenticate header of a refusal with 401 (RFC 6750, 3; for OAuth clients RFC 6749, 5.2).
 */
export function challenge(
  type: ErrorType,
  access: Access | null,
  headers: IncomingHttpHeaders,
): string {
  if (type === "INVALID_CLIENT") return 'Basic realm="payrail"';
  if (type === "INSUFFICIENT_SCOPE") {
    return `Bearer error="insufficient_scope", scope="${access?.scope}"`;
  }
  return bearerToken(headers) ? 'Bearer error="invalid_token"' : "Bearer";
}

/** The token of an Authorization header; null without one. */
export function bearerToken({ authorization = "" }: IncomingHttpHeaders): string | null {
  return /^Bearer +([\w\-.~+/]+=*)$/i.exec(authorization)?.[1] ?? null;
}
