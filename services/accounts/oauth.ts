// The client credentials grant (RFC 6749, 4.4): a token for the client's business, or for one of
// its end users. Errors have the names of RFC 6749, 5.2; the gateway formats them.

import { ALL_SCOPES, SCOPES, type Scope } from "../../shared/contracts/accounts.ts";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { normalId } from "../../shared/ids.ts";
import { rangesOf } from "../../shared/security/address-ranges.ts";
import { canSign, type Grant, signToken } from "../../shared/security/jwt.ts";
import type { ApiClient } from "./api-client.model.ts";
import { authenticate } from "./client-secrets.ts";
import type { Deps } from "./deps.ts";
import { PRESENT } from "./entities.ts";

const LIFETIME_S = 3_600;

/**
 * Issues an access token.
 * @throws NOT_CONFIGURED if another system issues the tokens; INVALID_REQUEST, INVALID_CLIENT,
 *   RATE_LIMITED, UNSUPPORTED_GRANT_TYPE, INVALID_SCOPE, INVALID_GRANT, in this order
 */
export async function issueToken(
  deps: Deps,
  { address, exactAddress = address, ...request }: Params<"accounts.issueToken">,
): Promise<Result<"accounts.issueToken">> {
  if (!canSign(deps.config)) fail("NOT_CONFIGURED");
  const grantType = parameter(request.grantType) ?? fail("INVALID_REQUEST");
  const asked = { scope: parameter(request.scope), subject: idParameter(request.subject) };
  const clientId = idParameter(request.clientId);
  const clientSecret = parameter(request.clientSecret);
  if (clientId === null || clientSecret === null) return fail("INVALID_CLIENT");

  const credentials = { clientId, clientSecret, address };
  const client = await authenticate(deps, credentials);
  // `tokensFromS` as it was when the secret was compared: if the secret is rotated meanwhile, the
  // new token has ended already. A disabled client has null.
  const { _id: id, tokensFromS, allowedAddresses = [] } = client;
  if (tokensFromS === null) return fail("INVALID_CLIENT");
  const isAllowed = allowedAddresses.length === 0 || rangesOf(allowedAddresses)(exactAddress);
  if (!isAllowed) fail("INVALID_CLIENT");
  if (grantType !== "client_credentials") fail("UNSUPPORTED_GRANT_TYPE");
  const scope = grantedScope(asked.scope, client.scopes);
  const actor = await chooseActor(deps, client, asked.subject);
  const grant = { ...actor, scope, client: { id, tokensFromS }, expiresInS: LIFETIME_S };
  return {
    access_token: signToken(deps.config, grant),
    token_type: "Bearer",
    expires_in: LIFETIME_S,
    ...(scope !== "" && { scope }),
  };
}

/** A parameter without a value counts as absent (RFC 6749, 3.2); a repeated one is a list. */
function parameter(value: unknown): string | null {
  if (value === undefined || value === "") return null;
  return typeof value === "string" ? value : fail("INVALID_REQUEST");
}

function idParameter(value: unknown): string | null {
  const id = parameter(value);
  return id === null ? null : normalId(id);
}

/**
 * The requested scopes without repeats (RFC 6749, 3.3); all scopes of the client if none is
 * requested.
 */
function grantedScope(asked: string | null, own: readonly Scope[]): string {
  if (asked === null) return own.join(" ");
  const scopes = [...new Set(asked.split(" "))];
  const mayHave = own.includes(ALL_SCOPES) ? SCOPES : own;
  const isOwn = (scope: string) => mayHave.some((each) => each === scope);
  return scopes.every(isOwn) ? scopes.join(" ") : fail("INVALID_SCOPE");
}

async function chooseActor(
  { models }: Deps,
  { businessId }: ApiClient,
  subject: string | null,
): Promise<Pick<Grant, "sub" | "role">> {
  if (subject === null) return { sub: businessId, role: "merchant" };
  const user = await models.entities.findOne({
    _id: subject,
    businessId,
    entityType: "USER",
    ...PRESENT,
  });
  return user ? { sub: subject, role: "user" } : fail("INVALID_GRANT");
}
