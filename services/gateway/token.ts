// The token endpoint's own manners (RFC 6749, 4.4 and 5): credentials by HTTP Basic or in the body, an
// answer at the top level, errors as `{error}`.

import type { FastifyRequest } from "fastify";
import { contractOf, type Result } from "../../shared/contracts.ts";
import { ERRORS, type ErrorType, fail } from "../../shared/errors.ts";
import { type Fields, oneOf, optional, text, uuid } from "../../shared/fields.ts";
import type { Refusal } from "./refusal.ts";
import type { AnswerForm } from "./route.ts";

export const tokenBody: Fields = {
  grant_type: oneOf(["client_credentials"]),
  scope: optional(text({ note: "Space-separated; external.apis by default" })),
  subject: optional(
    uuid({ note: "An end user of the business, for a token that acts as the user" }),
  ),
  client_id: optional(uuid({ note: "Where HTTP Basic is not used" })),
  client_secret: optional(text({ note: "Where HTTP Basic is not used" })),
};

const field = (name: string) => (request: FastifyRequest) =>
  (request.body as Record<string, unknown> | undefined)?.[name];

/** Where the parameters of accounts.issueToken come from. */
export const tokenParams = {
  grantType: field("grant_type"),
  scope: field("scope"),
  subject: field("subject"),
  clientId: (request: FastifyRequest) => credentials(request).id,
  clientSecret: (request: FastifyRequest) => credentials(request).secret,
  address: (request: FastifyRequest) => request.ip,
};

/** @throws INVALID_REQUEST where a client uses both ways (RFC 6749, 2.3) */
function credentials(request: FastifyRequest): { id: unknown; secret: unknown } {
  const { authorization } = request.headers;
  const inBody = { id: field("client_id")(request), secret: field("client_secret")(request) };
  if (authorization === undefined) return inBody;
  if (inBody.secret !== undefined) return fail("INVALID_REQUEST");
  return basic(authorization) ?? fail("INVALID_CLIENT");
}

/** Id and secret are each form-encoded before they are joined (RFC 6749, 2.3.1). */
function basic(authorization: string): { id: string; secret: string } | null {
  const base64 = /^Basic +([\w+/-]+=*)$/i.exec(authorization)?.[1];
  const [, id, secret] =
    /^([^:]*):(.*)$/.exec(Buffer.from(base64 ?? "", "base64").toString()) ?? [];
  if (id === undefined || secret === undefined) return null;
  try {
    return { id: formDecoded(id), secret: formDecoded(secret) };
  } catch {
    return null;
  }
}

function formDecoded(value: string): string {
  return decodeURIComponent(value.replaceAll("+", " "));
}

const issued = contractOf("accounts.issueToken").result;

export const tokenAnswer: AnswerForm<Result<"accounts.issueToken">> = {
  statuses: [200],
  schema: issued.schema,
  of: (body) => ({ status: 200, body, headers: { pragma: "no-cache" } }),
};

const CODES: Partial<Record<ErrorType, string>> = {
  VALIDATION: "invalid_request",
  UNSUPPORTED_MEDIA_TYPE: "invalid_request",
  BODY_TOO_LARGE: "invalid_request",
  RATE_LIMITED: "slow_down",
  UNAVAILABLE: "temporarily_unavailable",
  INTERNAL: "server_error",
  NOT_CONFIGURED: "server_error",
};

/** The codes of RFC 6749, 5.2 are the messages of their types; the others have their nearest one. */
export function refuseToken({ type, message }: Refusal): Record<string, unknown> {
  const error = CODES[type] ?? ERRORS[type].message;
  return { error, ...(message !== error && { error_description: message }) };
}
