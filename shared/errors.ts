// Errors: one table from type to HTTP status and message, and the public code of each type. Code
// branches on the type, because an error from another node arrives as a plain Error with only its
// fields. Every message here is safe for every caller; only the log has the cause of a 500.
// shared/error-guide.ts says for each type why it happens and what the caller can do.

import moleculer from "moleculer";

/** The broker's errors for a call to a node that has gone, and for one not answered in time. */
export const UNANSWERED: unknown[] = ["REQUEST_REJECTED", "REQUEST_TIMEOUT"];

export const ERRORS = {
  VALIDATION: { status: 400, message: "The request is not valid" },
  MALFORMED_REQUEST: { status: 400, message: "Malformed request" },
  INSUFFICIENT_FUNDS: { status: 400, message: "Insufficient Funds #912" },
  WALLET_DISABLED: { status: 400, message: "Wallet is disabled" },
  BUSINESS_FROZEN: { status: 400, message: "The business is frozen" },
  WALLET_FROZEN: { status: 400, message: "The wallet is frozen" },
  ENTITY_FROZEN: { status: 400, message: "The end user is frozen" },
  PAYOUTS_PAUSED: { status: 400, message: "Payouts of the business are paused" },
  COLLECTIONS_PAUSED: { status: 409, message: "Payments to the business are paused" },
  LIMIT_EXCEEDED: { status: 400, message: "The payout is above a limit" },
  BALANCE_BOUND: { status: 400, message: "The amount is more than the books can hold" },
  APPLICATION_TOKEN_INVALID: { status: 400, message: "Application token is not valid" },
  NO_COLLECTION_ACCOUNT: {
    status: 400,
    message: "No collection account for the business and currency",
  },
  NOT_REFUNDABLE: { status: 400, message: "The payment cannot be refunded by this amount" },
  BUSINESS_LOOKUP_FAILED: { status: 400, message: "Business metadata lookup failed" },
  MALFORMED_HTTP: { status: 400, message: "The request is not valid HTTP" },
  // The token endpoint answers {error} with these messages (RFC 6749, 5.2).
  INVALID_REQUEST: { status: 400, message: "invalid_request" },
  INVALID_GRANT: { status: 400, message: "invalid_grant" },
  INVALID_SCOPE: { status: 400, message: "invalid_scope" },
  UNSUPPORTED_GRANT_TYPE: { status: 400, message: "unsupported_grant_type" },
  INVALID_CLIENT: { status: 401, message: "invalid_client" },
  UNAUTHORIZED: { status: 401, message: "Unauthorized" },
  INSUFFICIENT_SCOPE: { status: 401, message: "Unauthorized" },
  NOT_FOUND: { status: 404, message: "Not found" },
  BUSINESS_NOT_FOUND: { status: 404, message: "Business not found" },
  CLIENT_NOT_FOUND: { status: 404, message: "API client not found" },
  ENTITY_NOT_FOUND: { status: 404, message: "Entity not found" },
  WALLET_NOT_FOUND: { status: 404, message: "Wallet not found" },
  LINKED_ACCOUNT_NOT_FOUND: { status: 404, message: "Linked account not found" },
  LINKED_ACCOUNT_NOT_YOURS: {
    status: 404,
    message:
      "The linked account is an end user's. Pay it with POST /v1/business/:businessId/payouts",
  },
  APPLICATION_TOKEN_NOT_FOUND: { status: 404, message: "Application token not found" },
  TRANSACTION_NOT_FOUND: { status: 404, message: "Transaction not found" },
  TRANSFER_NOT_FOUND: { status: 404, message: "Transfer not found" },
  WEBHOOK_NOT_FOUND: { status: 404, message: "Webhook not found" },
  EVENT_NOT_FOUND: { status: 404, message: "Event not found" },
  DELIVERY_NOT_FOUND: { status: 404, message: "Delivery not found" },
  PAYMENT_LINK_NOT_FOUND: { status: 404, message: "Payment link not found" },
  PAYMENT_NOT_FOUND: { status: 404, message: "Payment not found" },
  ATTEMPT_NOT_FOUND: {
    status: 404,
    message: "No request with this Idempotency-Key has made anything",
  },
  SUBSCRIPTION_NOT_FOUND: { status: 404, message: "Subscription not found" },
  INVOICE_NOT_FOUND: { status: 404, message: "Invoice not found" },
  COLLECTION_ACCOUNT_NOT_FOUND: { status: 404, message: "Collection account not found" },
  METHOD_NOT_ALLOWED: { status: 405, message: "Method not allowed" },
  SLOW_REQUEST: { status: 408, message: "The request took too long" },
  CONFLICT: { status: 409, message: "The same reference was used with other values" },
  DUPLICATE_EXTERNAL_ID: {
    status: 409,
    message: "An entity with this external identifier exists",
  },
  DUPLICATE_ACCOUNT: { status: 409, message: "This account is already linked to the wallet" },
  LINK_NOT_PAYABLE: { status: 409, message: "The payment link cannot be paid" },
  LINK_BUSY: { status: 409, message: "Another payment of this link is under way" },
  USED_RECENTLY: {
    status: 409,
    message: "This customer has used the payment link in the last ten minutes",
  },
  STILL_RUNNING: { status: 409, message: "A request with this Idempotency-Key is under way" },
  SUBSCRIPTION_CANCELLED: { status: 409, message: "The subscription is cancelled" },
  NOT_BILLED_BY_USAGE: { status: 409, message: "The subscription is not billed by usage" },
  NOT_BILLED_BY_SEATS: { status: 409, message: "The subscription is not billed by seats" },
  USAGE_NOT_TAKEN: {
    status: 409,
    message: "Usage is not accepted during the trial or after the subscription's end",
  },
  CHARGE_BOUND: { status: 409, message: "An invoice would exceed 9999999999.99" },
  TOO_MANY_CHANGES: { status: 409, message: "Seats were changed too often in this period" },
  NO_NEXT_INVOICE: { status: 409, message: "The subscription has no next invoice" },
  NOT_CANCELLABLE: { status: 409, message: "Payout can no longer be cancelled" },
  NOT_RESOLVABLE: { status: 409, message: "The transaction does not need attention" },
  NOT_RETRYABLE: { status: 409, message: "The transaction has no next step" },
  NOT_IN_REVIEW: { status: 409, message: "The transaction does not wait for a review" },
  ERASURE_REFUSED: { status: 409, message: "The person cannot be erased yet" },
  ERASURE_RUNNING: { status: 409, message: "An erasure of this end user is under way" },
  WEBHOOK_DISABLED: { status: 409, message: "Webhook is disabled" },
  WEBHOOK_REPLAY_RUNNING: { status: 409, message: "A replay of the webhook is under way" },
  BODY_TOO_LARGE: { status: 413, message: "The body is larger than 256 KB" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: "The content type must be application/json" },
  EXPECTATION_FAILED: { status: 417, message: "Expect may only be 100-continue" },
  NOT_A_WITHDRAWAL: {
    status: 422,
    message: "Webhook payload not available for this transaction type",
  },
  KEY_REUSED: { status: 422, message: "The Idempotency-Key was used with another body" },
  RATE_LIMITED: { status: 429, message: "Too many requests" },
  HEADERS_TOO_LARGE: { status: 431, message: "The headers are too large" },
  INTERNAL: { status: 500, message: "Something went wrong. Please try again." },
  OUTCOME_UNKNOWN: {
    status: 500,
    message: "The withdrawal may have been accepted. Check its status before trying again.",
  },
  PAYMENT_OUTCOME_UNKNOWN: {
    status: 500,
    message: "The payment may have been taken. Repeat it with its Idempotency-Key to find out.",
  },
  SETUP_OUTCOME_UNKNOWN: {
    status: 500,
    message: "The card may have been saved. Repeat it with its Idempotency-Key to find out.",
  },
  UNREADABLE: { status: 500, message: "Stored data cannot be read with the keys configured" },
  NOT_CONFIGURED: { status: 501, message: "Not configured here" },
  TOO_BROAD: { status: 503, message: "The list took too long. Please narrow the search." },
  UNAVAILABLE: { status: 503, message: "Temporarily unavailable. Please try again." },
} as const;

export type ErrorType = keyof typeof ERRORS;

/** The codes that differ from the type's name in lower case. A code never changes. */
const CODES: Partial<Record<ErrorType, string>> = {
  VALIDATION: "validation_failed",
  MALFORMED_REQUEST: "amount_not_the_tokens",
  BALANCE_BOUND: "balance_limit_exceeded",
  CHARGE_BOUND: "invoice_limit_exceeded",
  CLIENT_NOT_FOUND: "api_client_not_found",
  CONFLICT: "reference_reused",
  LINK_NOT_PAYABLE: "payment_link_not_payable",
  LINK_BUSY: "payment_link_busy",
  USED_RECENTLY: "payment_link_used_recently",
  STILL_RUNNING: "idempotency_key_in_use",
  KEY_REUSED: "idempotency_key_reused",
  USAGE_NOT_TAKEN: "usage_not_accepted",
  TOO_MANY_CHANGES: "too_many_seat_changes",
  NOT_CANCELLABLE: "payout_not_cancellable",
  NOT_RESOLVABLE: "transaction_not_resolvable",
  NOT_RETRYABLE: "transaction_not_retryable",
  NOT_IN_REVIEW: "transaction_not_in_review",
  SLOW_REQUEST: "request_timeout",
  INTERNAL: "internal_error",
  OUTCOME_UNKNOWN: "withdrawal_outcome_unknown",
  UNREADABLE: "stored_data_unreadable",
  TOO_BROAD: "search_too_broad",
  UNAVAILABLE: "service_unavailable",
};

/** The code of an error for programs: stable, in lower case with underscores. */
export function errorCode(type: ErrorType): string {
  return CODES[type] ?? type.toLowerCase();
}

/** The codes of a wrong field, with their meanings. */
export const FIELD_CODES = {
  required: "the field is missing",
  wrong_type: "the value has another JSON type, or is null",
  invalid: "the value is not one of the allowed values",
  unknown_field: "the request has no such field; only with `Prefer: handling=strict`",
  repeated: "a field is given more than once, or a query parameter so or with brackets",
  too_many: "the list has more items than allowed",
  too_few: "the list has fewer items than required",
} as const;

/** A wrong field of a request. */
export interface FieldError {
  /** The path of the field, such as `data.items[3].name`. */
  field: string;
  code: keyof typeof FIELD_CODES;
  /** A sentence that names the field, its allowed values and, where it helps, what is wrong. */
  message: string;
}

/** The data of an error beside its type. */
export interface ErrorData {
  /** The Retry-After header, in seconds. */
  retryAfterS?: number;
  /** The wrong fields of a VALIDATION. */
  errors?: FieldError[];
  /** The id of what the request may have created, or of the payment that it would repeat. */
  id?: string;
  /** A more exact type with the same status, which a gateway of the previous release passes over. */
  exactly?: ErrorType;
  [name: string]: unknown;
}

/**
 * Throws the error of that type.
 * @param message replaces the table's message if the type alone is not enough
 */
export function fail(type: ErrorType, message?: string, data?: ErrorData): never {
  const { status, message: ordinary } = ERRORS[type];
  throw new moleculer.Errors.MoleculerError(message ?? ordinary, status, type, data);
}

/** The greatest number of fields in an error, because more would not help its reader. */
const MOST_FIELDS = 50;

/** Throws VALIDATION for these fields; the error has the first 50 and counts the others. */
export function failFields(wrong: FieldError[]): never {
  const errors = [...new Map(wrong.map((each) => [each.message, each])).values()];
  const named = errors.slice(0, MOST_FIELDS);
  const more = errors.length - named.length;
  const sentences = named.map(({ message }) => message);
  const message = [...sentences, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
  return fail("VALIDATION", message, { errors: named });
}

/**
 * Throws VALIDATION for one field.
 * @param field the path of the field, which begins the sentence of the error
 * @param must the rest of the sentence, such as "must be a UUID"
 */
export function failField(field: string, must: string): never {
  return failFields([wrongField(field, must)]);
}

/** Describes a wrong field for VALIDATION; the parameters are those of `failField`. */
export function wrongField(
  field: string,
  must: string,
  code: FieldError["code"] = "invalid",
): FieldError {
  return { field, code, message: `${field} ${must}` };
}

/** The error's type in the table, or null for anything the table does not know. */
export function errorType(error: unknown): ErrorType | null {
  const type = (error as { type?: unknown } | null)?.type;
  return typeof type === "string" && Object.hasOwn(ERRORS, type) ? (type as ErrorType) : null;
}
