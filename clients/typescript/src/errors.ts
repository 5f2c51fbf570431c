// The errors that calls of the client end with.

import type { Document } from "./document.ts";

/** A wrong field of a request. */
export interface FieldError {
  field: string;
  code: string;
  message: string;
}

/** The client's own codes. */
export type ClientErrorCode =
  /** No connection, or one that broke. */
  | "no_answer"
  /** No whole answer within `timeoutMs`. */
  | "timed_out"
  /** An answer that is not payrail's, such as a proxy's page. */
  | "unexpected_answer";

interface Details {
  code: string;
  message: string;
  status?: number;
  requestId?: string;
  errors?: FieldError[];
  data?: { id?: string };
  retryAfterMs?: number;
  cause?: unknown;
}

/**
 * A call that failed. `code` is stable: branch on it. If `mayHaveHappened` is true, repeat the call
 * with this error's `idempotencyKey`: payrail answers what became of it, and does nothing twice.
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
  /** The id of what may have been made although the call failed. */
  readonly data: { id?: string } | undefined;
  /** How long to wait before another try, in ms; undefined if payrail does not say. */
  readonly retryAfterMs: number | undefined;
  /** The key that the call was sent with; undefined if it needs none. */
  idempotencyKey: string | undefined;

  constructor({ message, cause, ...details }: Details) {
    super(message, { cause });
    this.code = details.code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.errors = details.errors ?? [];
    this.data = details.data;
    this.retryAfterMs = details.retryAfterMs;
  }

  /** Whether payrail may have done what the call asked for, although it has not said so. */
  get mayHaveHappened(): boolean {
    return (
      this.status === undefined || this.status >= 500 || this.code === "idempotency_key_in_use"
    );
  }
}

/** The known codes, and those of a newer payrail. */
export type ErrorCode = ClientErrorCode | Document["errorCode"] | (string & {});

/** Why a message is no event of payrail. */
export type SignatureErrorCode =
  | "missing_header"
  | "invalid_secret"
  | "invalid_timestamp"
  | "too_old"
  | "in_the_future"
  | "wrong_signature";

/** A webhook message whose signature does not hold. Answer it with 400 and do nothing else. */
export class WebhookSignatureError extends Error {
  override readonly name = "WebhookSignatureError";
  readonly code: SignatureErrorCode;

  constructor(code: SignatureErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
