// The errors of calls, and of webhook messages and heads of the ledger that are not valid.

import type { Document, PayoutLimitLeft } from "./generated/document.ts";

/** A wrong field of a request. */
export interface FieldError {
  field: string;
  code: string;
  message: string;
}

/** The codes of failures that the client finds. */
export type ClientErrorCode =
  /** The client got no connection, or the connection broke. */
  | "no_answer"
  /** The whole answer did not arrive within `timeoutMs`. */
  | "timed_out"
  /** The answer is not payrail's; it may be a proxy's page. */
  | "unexpected_answer";

/** A limit of payouts, and how much of it the payouts of its window have used. */
export type LimitUse = Omit<PayoutLimitLeft, "left">;

interface Details {
  code: string;
  message: string;
  status?: number;
  requestId?: string;
  errors?: FieldError[];
  data?: { id?: string };
  limit?: LimitUse;
  retryAfterMs?: number;
  cause?: unknown;
}

/**
 * A call that failed. `code` is stable: branch on it. If `mayHaveHappened` is true, repeat the call
 * with this error's `idempotencyKey`: payrail answers with the first outcome, and executes the
 * request once.
 */
export class PayrailError extends Error {
  override readonly name = "PayrailError";
  /** Such as `insufficient_funds`. */
  readonly code: ErrorCode;
  /** The HTTP status; undefined without an answer. */
  readonly status: number | undefined;
  /** Names the request in payrail's log. */
  readonly requestId: string | undefined;
  /** Every wrong field, if the request was not valid. */
  readonly errors: FieldError[];
  /** Its `id` is the resource's that payrail may have created although the call failed. */
  readonly data: { id?: string } | undefined;
  /** With `limit_exceeded`: the limit. */
  readonly limit: LimitUse | undefined;
  /** The wait before another try that payrail asks for, in ms; undefined if it asks for none. */
  readonly retryAfterMs: number | undefined;
  /** The Idempotency-Key of the call; undefined if the call needs none. */
  idempotencyKey: string | undefined;

  constructor({ message, cause, ...details }: Details) {
    super(message, { cause });
    this.code = details.code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.errors = details.errors ?? [];
    this.data = details.data;
    this.limit = details.limit;
    this.retryAfterMs = details.retryAfterMs;
  }

  /** Whether payrail may have executed the request although the call failed. */
  get mayHaveHappened(): boolean {
    return (
      this.status === undefined || this.status >= 500 || this.code === "idempotency_key_in_use"
    );
  }
}

/** The known codes, and those of a newer payrail. */
export type ErrorCode = ClientErrorCode | Document["errorCode"] | (string & {});

/** The reasons why a message is not accepted. */
export type SignatureErrorCode =
  | "missing_header"
  | "invalid_secret"
  | "invalid_timestamp"
  | "too_old"
  | "in_the_future"
  | "wrong_signature";

/** A webhook message without a valid signature. Answer it with 400, and ignore its content. */
export class WebhookSignatureError extends Error {
  override readonly name = "WebhookSignatureError";
  readonly code: SignatureErrorCode;

  constructor(code: SignatureErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The reasons why a head is not accepted. */
export type LedgerHeadErrorCode =
  | "invalid_head"
  | "unknown_key"
  | "wrong_signature"
  | "other_balances";

/** A head of the ledger that payrail did not sign, or that has other balances than yours. */
export class LedgerHeadError extends Error {
  override readonly name = "LedgerHeadError";
  readonly code: LedgerHeadErrorCode;

  constructor(code: LedgerHeadErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
