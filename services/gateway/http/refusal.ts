// Refusals: maps an error to an answer. The caller sees the errors of shared/errors.ts. Any other
// error is a 500; its cause is only in the log, under the X-Request-Id of the answer.

import type { IncomingMessage } from "node:http";
import { limitUse } from "../../../shared/contracts/controls.ts";
import { IN_DOCUMENT, isObject, type JsonSchema } from "../../../shared/contracts/field.ts";
import type { RateLimitState } from "../../../shared/contracts/payouts.ts";
import {
  ERRORS,
  type ErrorData,
  type ErrorType,
  errorCode,
  errorType,
  FIELD_CODES,
  type FieldError,
  UNANSWERED,
} from "../../../shared/errors.ts";
import type { HttpAnswer } from "./answer.ts";

const FIELD_ERRORS: JsonSchema = {
  type: "array",
  items: {
    type: "object",
    description: "A field or a parameter that is wrong",
    properties: {
      field: { type: "string", description: "Its path, such as data.items[3].name" },
      code: { type: "string", enum: Object.keys(FIELD_CODES), description: "What is wrong" },
      message: { type: "string", description: "What is wrong, for people" },
    },
    required: ["field", "code", "message"],
    [IN_DOCUMENT]: { name: "FieldError" },
  },
};

export interface HttpRefusal {
  type: ErrorType;
  status: number;
  message: string;
  headers: Record<string, string>;
  /** The wrong fields of a request that is not valid. */
  errors: FieldError[];
  /** The id of what the request may have created, or would repeat; null without a known one. */
  madeId: string | null;
  /** The limit that the request would exceed; null without one. */
  limit: object | null;
  /** Whether the error has to be logged. */
  unexpected: boolean;
}

/** moleculer-web's error for a path with a malformed percent-encoding: such a path is unknown. */
const UNDECODABLE = "UNABLE_DECODE_PARAM";
const NO_ANSWER = [...UNANSWERED, "REQUEST_SKIPPED", "BAD_GATEWAY"];

interface Thrown {
  message?: string;
  type?: string;
  data?: ErrorData | null;
}

/**
 * The refusal for an error.
 * @param unknownAs the type of a failure after which the action may have been done
 */
export function mapError(error: unknown, unknownAs?: ErrorType): HttpRefusal {
  const thrown = (error ?? {}) as Thrown;
  const type = errorType({ type: thrown.data?.exactly }) ?? errorType(error);
  if (type) return refuse(type, thrown);
  if (thrown.type === UNDECODABLE) return refuse("NOT_FOUND");
  const cause = NO_ANSWER.includes(thrown.type ?? "") ? "UNAVAILABLE" : "INTERNAL";
  return { ...refuse(unknownAs ?? cause), unexpected: true };
}

/** The statuses of an outcome that is unknown, and of a request that would repeat another one. */
const MAY_NAME = [409, 500];

function refuse(type: ErrorType, { message, data }: Thrown = {}): HttpRefusal {
  const { status, message: ordinary } = ERRORS[type];
  const { errors, id, limit } = data ?? {};
  return {
    type,
    status,
    message: message || ordinary,
    headers: limitHeaders(status, data ?? {}),
    errors: Array.isArray(errors) ? errors : [],
    madeId: MAY_NAME.includes(status) && typeof id === "string" ? id : null,
    limit: type === "LIMIT_EXCEEDED" && isObject(limit) ? limit : null,
    unexpected: status === 500,
  };
}

/** The Retry-After of an outage, whose end is unknown. */
export const RETRY_AFTER_S = 5;

function limitHeaders(status: number, { retryAfterS, rateLimit }: ErrorData) {
  const ordinaryS = status === 503 ? RETRY_AFTER_S : undefined;
  const waitS = typeof retryAfterS === "number" ? retryAfterS : ordinaryS;
  return {
    ...(waitS !== undefined && { "retry-after": String(Math.ceil(waitS)) }),
    ...(rateLimit ? rateLimitHeaders(rateLimit as RateLimitState) : {}),
  };
}

/** The limit and the rest of it (draft-ietf-httpapi-ratelimit-headers). */
export function rateLimitHeaders({
  policy = "withdrawals",
  limit,
  remaining,
  windowS,
  resetS,
}: RateLimitState & { policy?: string }): Record<string, string> {
  return {
    "ratelimit-policy": `"${policy}";q=${limit};w=${windowS}`,
    ratelimit: `"${policy}";r=${remaining};t=${resetS}`,
  };
}

/** The body of an error, and its description in the OpenAPI document. */
export interface ErrorForm {
  schema: JsonSchema;
  /** @param requestId the X-Request-Id of the answer */
  of(refusal: HttpRefusal, requestId: string): Record<string, unknown>;
}

/** Makes the answer to an error. */
export type Refuse = (
  refusal: HttpRefusal,
  requestId: string,
  request: IncomingMessage,
) => HttpAnswer;

const FATAL = { fatal: { type: "boolean", enum: [true], description: "Always true" } };

/** The errors of all routes but the token endpoint (docs/integrate/rest-api.md, Errors). */
export const ORDINARY_ERRORS = errorForm("Error", FATAL, { fatal: true });

/** The errors of the two lists of linked accounts, which have no `fatal`. */
export const LIST_ERRORS = errorForm("ListError", {}, {});

/** @param name of the schema in the OpenAPI document */
function errorForm(name: string, schemas: Record<string, JsonSchema>, values: object): ErrorForm {
  return {
    schema: {
      type: "object",
      properties: {
        success: { type: "boolean", enum: [false], description: "Always false" },
        message: { type: "string", description: "For people" },
        ...schemas,
        code: { type: "string", description: "For programs; a code never changes" },
        requestId: { type: "string", description: "The X-Request-Id of the answer" },
        limit: {
          ...limitUse.schema,
          description: "With limit_exceeded: the limit, and what is used of it",
        },
        errors: { ...FIELD_ERRORS, description: "With validation_failed: every wrong field" },
        data: {
          type: "object",
          description: "What may have been made, or what the request would repeat",
          properties: { id: { type: "string", format: "uuid", description: "Its id" } },
          required: ["id"],
        },
      },
      required: ["success", "message", ...Object.keys(schemas), "code", "requestId"],
      description: "An error",
      [IN_DOCUMENT]: { name },
    },
    of: ({ type, message, errors, madeId, limit }, requestId) => ({
      success: false,
      message,
      ...values,
      code: errorCode(type),
      requestId,
      ...(type === "VALIDATION" && { errors }),
      ...(limit !== null && { limit }),
      ...(madeId !== null && { data: { id: madeId } }),
    }),
  };
}

/** Turns refusals into answers of a form. */
export function refuseIn(form: ErrorForm): Refuse {
  return (refusal, requestId) => {
    const { status, headers } = refusal;
    return { status, headers, body: form.of(refusal, requestId) };
  };
}
