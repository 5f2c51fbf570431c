// The token endpoint (RFC 6749, 4.4 and 5): credentials are in HTTP Basic or in the body, the
// answer is at the top level, errors are `{error}`.

import { contractFor, type Result } from "../../../shared/contracts/contracts.ts";
import { type Fields, IN_DOCUMENT, optional } from "../../../shared/contracts/field.ts";
import { oneOf, text, uuid } from "../../../shared/contracts/fields.ts";
import { ERRORS, type ErrorType, fail } from "../../../shared/errors.ts";
import { normalId } from "../../../shared/ids.ts";
import type { ErrorForm } from "../http/refusal.ts";
import { type AnswerForm, PUBLIC, type Route, type RouteRequest, route } from "../http/route.ts";

const tokenBody: Fields = {
  grant_type: oneOf(["client_credentials"], { note: "How the token is obtained" }),
  scope: optional(
    text({
      note: "The scopes of the token, separated by spaces; all that the client has if left out",
      example: "external.apis",
    }),
  ),
  subject: optional(uuid({ note: "The id of an end user, for a token of that user" })),
  client_id: optional(uuid({ note: "The id of the API client, unless it is in HTTP Basic" })),
  client_secret: optional(
    text({
      note: "The secret of the API client, unless it is in HTTP Basic",
      example: "4u1jJQbX0mYt2kWc7h3vS9oEr8nZqLpAiDgFyHxUaKM",
    }),
  ),
};

const field = (name: string) => (request: RouteRequest) =>
  (request.body as Record<string, unknown> | undefined)?.[name];

/** The sources of the parameters of accounts.issueToken. */
const tokenParams = {
  grantType: field("grant_type"),
  scope: field("scope"),
  subject: field("subject"),
  clientId: (request: RouteRequest) => credentials(request).id,
  clientSecret: (request: RouteRequest) => credentials(request).secret,
  address: ({ address }: RouteRequest) => address().network,
  exactAddress: ({ address }: RouteRequest) => address().exact,
};

/**
 * Reads the client's credentials. Only one way to authenticate is allowed (RFC 6749, 2.3): beside
 * Basic the body may repeat the same client_id, but contain no secret. A parameter without a value
 * counts as absent (RFC 6749, 3.2).
 * @throws INVALID_REQUEST if both ways are used, INVALID_CLIENT if neither is
 */
function credentials(request: RouteRequest): { id: unknown; secret: unknown } {
  const { authorization } = request.headers;
  const inBody = { id: field("client_id")(request), secret: field("client_secret")(request) };
  if (authorization === undefined) return inBody;
  const given = basic(authorization) ?? fail("INVALID_CLIENT");
  const isOnce = isAbsent(inBody.secret) && (isAbsent(inBody.id) || isSameId(inBody.id, given.id));
  return isOnce ? given : fail("INVALID_REQUEST");
}

function isSameId(one: unknown, other: string): boolean {
  return typeof one === "string" && normalId(one) === normalId(other);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === "";
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

const issued = contractFor("accounts.issueToken").result;

const tokenAnswer: AnswerForm<Result<"accounts.issueToken">> = {
  statuses: [200],
  schema: issued.schema,
  of: (body) => ({ status: 200, body, headers: { pragma: "no-cache" } }),
};

const tokenExample = {
  request: {
    grant_type: "client_credentials",
    client_id: "0198c0de-7a52-7000-8000-5b0e8c61d2f4",
    client_secret: "4u1jJQbX0mYt2kWc7h3vS9oEr8nZqLpAiDgFyHxUaKM",
    scope: "external.apis",
  },
  response: {
    access_token: "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMTk4In0.c2lnbmF0dXJl",
    token_type: "Bearer",
    expires_in: 3600,
    scope: "external.apis",
  },
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

const FORM_OR_JSON =
  "The content type must be application/x-www-form-urlencoded or application/json";

/**
 * Some error types have a code of RFC 6749, 5.2 as their message; the others get the nearest code.
 */
const tokenErrors: ErrorForm = {
  schema: {
    type: "object",
    properties: {
      error: { type: "string", description: "The code of the error (RFC 6749, 5.2)" },
      error_description: { type: "string", description: "The cause" },
    },
    required: ["error"],
    description: "An error of the token endpoint (RFC 6749, 5.2)",
    [IN_DOCUMENT]: { name: "TokenError" },
  },
  of: ({ type, message }) => {
    const error = CODES[type] ?? ERRORS[type].message;
    const description = type === "UNSUPPORTED_MEDIA_TYPE" ? FORM_OR_JSON : message;
    return { error, ...(message !== error && { error_description: description }) };
  },
};

export const tokenRoute: Route = route(
  "POST /v1/oauth/token",
  PUBLIC,
  "createToken",
  "accounts.issueToken",
  {
    from: tokenParams,
    body: tokenBody,
    takesForm: true,
    answer: tokenAnswer,
    errorForm: tokenErrors,
    example: tokenExample,
  },
);
