// Refusals: maps an error to an answer. The caller sees the errors of shared/errors.ts. Any other
// error is a 500; its cause is only in the log, under the X-Request-Id of the answer.

import type { RateLimitState } from "../../../shared/contracts/payouts.ts";
import {
  ERRORS,
  type ErrorData,
  type ErrorType,
  errorType,
  UNANSWERED,
} from "../../../shared/errors.ts";
import { IN_DOCUMENT, type JsonSchema } from "../../../shared/field.ts";
import type { Answer } from "./answer.ts";

export interface Refusal {
  type: ErrorType;
  status: number;
  message: string;
  headers: Record<string, string>;
  /** Whether the error has to be logged. */
  unexpected: boolean;
}

/** moleculer-web's error for a path with a malformed percent-encoding: such a path is unknown. */
const UNDECODABLE = "UNABLE_DECODE_PARAM";
const NO_ANSWER = [...UNANSWERED, "REQUEST_SKIPPED", "BAD_GATEWAY"];

interface Thrown {
  message?: string;
  type?: string;
  data?: ErrorData;
}

/**
 * The refusal for an error.
 * @param unknownAs the type of a failure after which the action may have been done
 */
export function mapError(error: unknown, unknownAs?: ErrorType): Refusal {
  const thrown = (error ?? {}) as Thrown;
  const type = errorType(error);
  if (type) return refuse(type, thrown.message, limitHeaders(thrown.data));
  if (thrown.type === UNDECODABLE) return refuse("NOT_FOUND");
  const cause = NO_ANSWER.includes(thrown.type ?? "") ? "UNAVAILABLE" : "INTERNAL";
  return { ...refuse(unknownAs ?? cause), unexpected: true };
}

function refuse(type: ErrorType, message?: string, headers: Refusal["headers"] = {}): Refusal {
  const { status, message: ordinary } = ERRORS[type];
  return { type, status, message: message || ordinary, headers, unexpected: status === 500 };
}

function limitHeaders({ retryAfterS, rateLimit }: ErrorData = {}): Record<string, string> {
  return {
    ...(typeof retryAfterS === "number" && { "retry-after": String(Math.ceil(retryAfterS)) }),
    ...(rateLimit ? rateLimitHeaders(rateLimit as RateLimitState) : {}),
  };
}

/** The limit and the rest of it (draft-ietf-httpapi-ratelimit-headers). */
export function rateLimitHeaders(state: RateLimitState): Record<string, string> {
  const { limit, remaining, windowS, resetS } = state;
  return {
    "ratelimit-policy": `"withdrawals";q=${limit};w=${windowS}`,
    ratelimit: `"withdrawals";r=${remaining};t=${resetS}`,
  };
}

/** The body of an error, and its description in the OpenAPI document. */
export interface ErrorForm {
  schema: JsonSchema;
  of(refusal: Refusal): Record<string, unknown>;
}

export const ORDINARY_ERRORS: ErrorForm = {
  schema: {
    type: "object",
    properties: {
      success: { type: "boolean", enum: [false], description: "Always false" },
      message: { type: "string", description: "The cause, for people" },
      fatal: { type: "boolean", enum: [true], description: "Always true" },
    },
    required: ["success", "message", "fatal"],
    description: "An error",
    [IN_DOCUMENT]: { name: "Error" },
  },
  of: ({ message }) => ({ success: false, message, fatal: true }),
};

/** Turns refusals into answers of a form. */
export function refuseIn(form: ErrorForm): (refusal: Refusal) => Answer {
  return (refusal) => ({ ...refusal, body: form.of(refusal) });
}
