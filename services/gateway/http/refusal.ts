// Refusals: what an error, whoever threw it, becomes for the caller. Only what shared/errors.ts knows
// is told; anything else is a 500 whose cause is in the log alone, under the answer's X-Request-Id.

import type { RateLimitState } from "../../../shared/contracts/payouts.ts";
import { ERRORS, type ErrorData, type ErrorType, typeOf } from "../../../shared/errors.ts";
import type { JsonSchema } from "../../../shared/field.ts";
import type { Route } from "./route.ts";

export interface Refusal {
  type: ErrorType;
  status: number;
  message: string;
  headers: Record<string, string>;
  /** Whether the log has to say what happened. */
  unexpected: boolean;
}

/** The HTTP server's own errors. */
const HTTP_ERRORS: Record<string, ErrorType> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "BODY_TOO_LARGE",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "UNSUPPORTED_MEDIA_TYPE",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "VALIDATION",
};

/** The broker's errors that say that no answer came in time, or that who had it is gone. */
const NO_ANSWER = ["REQUEST_TIMEOUT", "REQUEST_REJECTED", "REQUEST_SKIPPED", "BAD_GATEWAY"];

interface Thrown {
  message?: string;
  code?: string | number;
  type?: string;
  data?: ErrorData;
}

/**
 * What the caller is told of an error.
 * @param route where there is one: an action whose outcome matters may have been done all the same
 */
export function refusalOf(error: unknown, route: Route | null): Refusal {
  const thrown = (error ?? {}) as Thrown;
  const type = typeOf(error);
  if (type) return tell(type, thrown.message, headersOf(thrown.data));
  const ofHttp = HTTP_ERRORS[thrown.code ?? ""];
  if (ofHttp) return tell(ofHttp);
  const cause = NO_ANSWER.includes(thrown.type ?? "") ? "UNAVAILABLE" : "INTERNAL";
  return { ...tell(route?.unknownAs ?? cause), unexpected: true };
}

function tell(type: ErrorType, message?: string, headers: Refusal["headers"] = {}): Refusal {
  const { status, message: ordinary } = ERRORS[type];
  return { type, status, message: message || ordinary, headers, unexpected: status === 500 };
}

function headersOf({ retryAfterS, rateLimit }: ErrorData = {}): Record<string, string> {
  return {
    ...(typeof retryAfterS === "number" && { "retry-after": String(Math.ceil(retryAfterS)) }),
    ...(rateLimit ? rateLimitHeaders(rateLimit as RateLimitState) : {}),
  };
}

/** What the limit is, and what is left of it (draft-ietf-httpapi-ratelimit-headers). */
export function rateLimitHeaders(state: RateLimitState): Record<string, string> {
  const { limit, remaining, windowS, resetS } = state;
  return {
    "ratelimit-policy": `"withdrawals";q=${limit};w=${windowS}`,
    ratelimit: `"withdrawals";r=${remaining};t=${resetS}`,
  };
}

/** What the body of an error is, and what the document says of it. */
export interface ErrorForm {
  schema: JsonSchema;
  of(refusal: Refusal): Record<string, unknown>;
}

const ORDINARY: ErrorForm = {
  schema: {
    type: "object",
    properties: {
      success: { type: "boolean", enum: [false] },
      message: { type: "string" },
      fatal: { type: "boolean", enum: [true] },
    },
    required: ["success", "message", "fatal"],
  },
  of: ({ message }) => ({ success: false, message, fatal: true }),
};

/** The form that the route has for errors. */
export function errorFormOf(route: Route | null): ErrorForm {
  return route?.errorForm ?? ORDINARY;
}
