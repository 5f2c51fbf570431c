// Access: reads the bearer token of a request and decides whether the caller may use the route. A
// refusal tells nothing of what lies behind it: a business that is another's answers as one that does
// not exist.

import type { FastifyRequest } from "fastify";
import { ALL_SCOPES } from "../../../shared/contracts/accounts.ts";
import { type ErrorType, fail } from "../../../shared/errors.ts";
import type { Access } from "../http/route.ts";
import type { Authenticate, Caller } from "./authentication.ts";

/**
 * Who calls, if they may.
 * @throws UNAUTHORIZED (wrong roles too), INSUFFICIENT_SCOPE; BUSINESS_NOT_FOUND, or what the route
 *   has in its place, where the path's business is not the merchant
 */
export async function admit(
  access: Access,
  authenticate: Authenticate,
  request: FastifyRequest,
): Promise<Caller> {
  const caller = await authenticate(bearerToken(request) ?? fail("UNAUTHORIZED"));
  if (!access.roles.includes(caller.role)) fail("UNAUTHORIZED");
  if (!hasScope(caller, access)) fail("INSUFFICIENT_SCOPE");
  const { businessId } = request.params as { businessId?: string };
  const isBound = access.ownBusiness && caller.role === "merchant";
  if (isBound && businessId !== caller.sub) fail(access.otherwise ?? "BUSINESS_NOT_FOUND");
  return caller;
}

function hasScope({ scopes }: Caller, { scope }: Access): boolean {
  return scope === undefined || scopes.includes(scope) || scopes.includes(ALL_SCOPES);
}

/** What WWW-Authenticate says of a refusal with 401 (RFC 6750, 3; for OAuth clients RFC 6749, 5.2). */
export function challenge(type: ErrorType, access: Access | null, request: FastifyRequest): string {
  if (type === "INVALID_CLIENT") return 'Basic realm="payrail"';
  if (type === "INSUFFICIENT_SCOPE") {
    return `Bearer error="insufficient_scope", scope="${access?.scope}"`;
  }
  return bearerToken(request) ? 'Bearer error="invalid_token"' : "Bearer";
}

function bearerToken({ headers }: FastifyRequest): string | null {
  return /^Bearer +([\w\-.~+/]+=*)$/i.exec(headers.authorization ?? "")?.[1] ?? null;
}
