// The OpenAPI document (3.1), made from the table of routes and the contracts that validate, so
// that it always matches the behaviour.

import { idempotencyKey } from "../../../shared/contracts/contract.ts";
import { limitUse } from "../../../shared/contracts/controls.ts";
import {
  documented,
  type Field,
  type Fields,
  IN_DOCUMENT,
  type JsonSchema,
  objectSchema,
  optional,
} from "../../../shared/contracts/field.ts";
import { anyText, text } from "../../../shared/contracts/fields.ts";
import { ERRORS, type ErrorType, wrongField } from "../../../shared/errors.ts";
import { isChange } from "./audit.ts";
import { takesKey } from "./idempotency.ts";
import { exampleOf } from "./openapi-examples.ts";
import { pascal, withComponents } from "./openapi-schemas.ts";
import { describeAccess, SECURITY_SCHEMES, securityRequirements } from "./openapi-security.ts";
import { describeWebhooks } from "./openapi-webhooks.ts";
import { isOptional } from "./parameters.ts";
import { type HttpRefusal, mapError } from "./refusal.ts";
import type { Route } from "./route.ts";

const KEY: Fields = { "Idempotency-Key": optional(idempotencyKey) };

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: unknown;
  schema: JsonSchema;
}

const JSON_TYPE = "application/json";
const CSV_TYPE = "text/csv";
const FORM_TYPE = "application/x-www-form-urlencoded";

const INFO = {
  title: "payrail",
  version: "1",
  summary: "Payouts to bank accounts and cards, and collections through payment links",
  description:
    "Pays out money from end users' wallets to bank accounts and cards, and collects it from customers through payment links. Amounts come in as numbers and go out as decimal strings; times are ISO 8601, UTC. Ignore fields that you do not know, because more will come.",
  contact: { name: "The operator of this payrail" },
  license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
};

/** The heading of the webhooks alone, because generators write one file of operations for each. */
const EVENTS = {
  name: "Events",
  description: "The requests that payrail sends to your endpoints.",
};

/** The document of these routes. */
export function openApi(routes: Route[]) {
  const paths: Record<string, Record<string, ReturnType<typeof operation>>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return withComponents({
    openapi: "3.1.0",
    info: INFO,
    servers: [{ url: "/", description: "The payrail that this document comes from" }],
    tags: [...new Map(routes.map(({ area }) => [area.name, area])).values(), EVENTS],
    paths,
    webhooks: describeWebhooks(EVENTS.name),
    components: { securitySchemes: SECURITY_SCHEMES },
  });
}

function operation(route: Route) {
  const { name, area, contract, body } = route;
  const [summary = "", ...further] = contract.does.split(". ");
  const description = [further.join(". "), describeAccess(route)]
    .filter((part) => part !== "")
    .map((part) => (part.endsWith(".") ? part : `${part}.`));
  return {
    operationId: name,
    tags: [area.name],
    summary,
    description: description.join(" "),
    security: securityRequirements(route),
    parameters: parameters(route),
    ...(body && { requestBody: requestBody(route, body) }),
    ...(route.takesText && { requestBody: TEXT_BODY }),
    responses: { ...successes(route), ...failures(route) },
  };
}

function parameters(route: Route): Parameter[] {
  const { contract, inPath, inQuery } = route;
  const { params } = contract;
  const headers: Fields = { ...(takesKey(route) && KEY), ...route.headers };
  return [
    ...inPath.map((name) => parameter("path", name, params[name] as Field)),
    ...inQuery.map((name) => parameter("query", name, params[name] as Field)),
    ...Object.entries({ ...STRICT, ...headers }).map(([name, field]) =>
      parameter("header", name, field),
    ),
  ];
}

const STRICT: Fields = {
  Prefer: optional(
    anyText({
      note: "handling=strict refuses fields and query parameters that the operation does not have",
      example: "handling=strict",
    }),
  ),
};

function parameter(place: Parameter["in"], name: string, field: Field): Parameter {
  return { name, in: place, required: place === "path" || !field.optional, ...described(field) };
}

/** A field's description belongs beside its schema in parameters and headers. */
function described({ schema: { description, ...schema } }: Field) {
  return { ...(description !== undefined && { description }), schema };
}

/** A text of any type whose form only its sender's module knows. */
const TEXT_BODY = {
  required: true,
  content: {
    "text/plain": {
      schema: { type: "string", description: "The body as its sender signed it" },
      example: '{"id":"evt_1","type":"charge.succeeded"}',
    },
  },
};

function requestBody(route: Route, fields: Fields): object {
  const { takesForm, method, example, bodyForms } = route;
  const forms = bodyForms && {
    by: null,
    schemas: Object.fromEntries(
      Object.entries(bodyForms).map(([name, form]) => [name, objectSchema(form)]),
    ),
  };
  const schema = documented(
    {
      ...objectSchema(fields),
      description: `The body of ${route.name}`,
      ...(method === "PATCH" && { minProperties: 1 }),
    },
    { name: requestName(route), ...(forms && { forms }) },
  );
  const media = { schema, example: example?.request ?? exampleOf(objectSchema(fields)) };
  const content = { [JSON_TYPE]: media, ...(takesForm && { [FORM_TYPE]: media }) };
  return { required: method === "PATCH" || !isOptional(fields), content };
}

/** The name of a body's schema: createWithdrawal takes a WithdrawalRequest. */
function requestName({ name }: Route): string {
  const [, what = name] = /^create(.+?)(?:AsAdmin)?$/.exec(name) ?? [];
  return `${pascal(what)}Request`;
}

function successes({ name, answer, example }: Route): Record<string, object> {
  const { description = `The answer of ${name}`, [IN_DOCUMENT]: own, ...rest } = answer.schema;
  const named = { name: `${pascal(name)}Answer`, ...own };
  const schema = documented({ ...rest, description }, named);
  const media = { schema, example: example?.response ?? exampleOf(answer.schema) };
  const entries = answer.statuses.map((status) => {
    const headers = { ...ALWAYS, ...(status === 503 && RETRY), ...answer.headers };
    const content = { [JSON_TYPE]: media, ...(answer.csv && { [CSV_TYPE]: csvMedia(answer.csv) }) };
    return [
      status,
      { description: DESCRIPTIONS[status], headers: describeHeaders(headers), content },
    ];
  });
  return Object.fromEntries(entries);
}

function csvMedia(example: string): object {
  return { schema: { type: "string", description: "Comma-separated values (RFC 4180)" }, example };
}

const DESCRIPTIONS: Record<number, string> = {
  200: "Done",
  201: "Created",
  202: "Accepted",
  503: "Unavailable",
};

const ALWAYS: Fields = {
  "X-Request-Id": text({
    note: "The id of the request, which the log has too",
    example: "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
  }),
  "Preference-Applied": optional(
    text({ note: "handling=strict, if the request asked for it", example: "handling=strict" }),
  ),
};
const RETRY: Fields = {
  "Retry-After": text({ note: "After how many seconds to try again", example: "60" }),
};
const RATE_LIMIT: Fields = {
  RateLimit: optional(
    text({
      note: "What is left of the limit (draft-ietf-httpapi-ratelimit-headers)",
      example: '"api";r=0;t=1',
    }),
  ),
  "RateLimit-Policy": optional(
    text({
      note: "The limit (draft-ietf-httpapi-ratelimit-headers)",
      example: '"api";q=100;w=1',
    }),
  ),
};
const CHALLENGE: Fields = {
  "WWW-Authenticate": text({ note: "Why the token was refused (RFC 6750, 3)", example: "Bearer" }),
};

function describeHeaders(fields: Fields): Record<string, object> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, described(field)]),
  );
}

/** The errors by status, each with its possible bodies. */
function failures(route: Route): Record<string, object> {
  const byStatus = Map.groupBy(possibleErrors(route), (type) => ERRORS[type].status);
  const entries = [...byStatus]
    .filter(([status]) => !route.answer.statuses.includes(status))
    .map(([status, types]) => [status, failure(route, status, types)]);
  return Object.fromEntries(entries);
}

function failure(route: Route, status: number, types: ErrorType[]): object {
  const headers = describeHeaders({
    ...ALWAYS,
    ...(status === 401 && CHALLENGE),
    ...((status === 429 || status === 503) && RETRY),
    ...(status === 429 && route.access && RATE_LIMIT),
    ...(status === 429 && route.answer.headers),
  });
  const { schema, of } = route.errorForm;
  const examples = types.map((type) => [type, { value: of(refusalOf(type), REQUEST_ID) }]);
  return {
    description: [...new Set(types.map((type) => ERRORS[type].message))].join(", or: "),
    headers,
    content: { [JSON_TYPE]: { schema, examples: Object.fromEntries(examples) } },
  };
}

const REQUEST_ID = "0198c0de-7a57-7000-8000-6d2b9f4c8e13";

function refusalOf(type: ErrorType): HttpRefusal {
  const errors = [wrongField("currency", "must be USD")];
  return type === "VALIDATION"
    ? mapError({ type, message: errors[0]?.message, data: { errors } })
    : mapError({ type, data: { limit: exampleOf(limitUse.schema) } });
}

/** All errors that the route can answer. */
function possibleErrors(route: Route): ErrorType[] {
  const { method, contract, access, unknownAs } = route;
  const takesBody = method !== "GET";
  const isForBusinesses = access?.roles.some((role) => role !== "admin");
  const errors: ErrorType[] = [
    ...contract.errors,
    ...(access ? (["UNAUTHORIZED", "RATE_LIMITED"] as const) : []),
    ...(access?.ownBusiness ? [access.otherwise ?? "BUSINESS_NOT_FOUND"] : []),
    ...(isForBusinesses && isChange(route) ? (["BUSINESS_FROZEN"] as const) : []),
    ...(takesBody ? (["UNSUPPORTED_MEDIA_TYPE", "BODY_TOO_LARGE"] as const) : []),
    // Also without parameters, because a strict request may have an unknown one.
    "VALIDATION",
    unknownAs ?? "INTERNAL",
    "UNAVAILABLE",
  ];
  return [...new Set(errors)].toSorted((a, b) => ERRORS[a].status - ERRORS[b].status);
}
