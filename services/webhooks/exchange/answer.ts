// Answers: the stored result of an exchange with a receiver. One table maps each failure to its
// class and to the message that the merchant reads.

import { type ErrorClass, MAX_RESPONSE_BYTES } from "../../../shared/contracts/deliveries.ts";

export interface ReceiverAnswer {
  /** Null without an answer. */
  statusCode: number | null;
  durationMs: number;
  /** Our message for the failure; null if the status shows it. */
  error: string | null;
  /**
   * Null for a delivered webhook: a 2xx with a body that was read in time, to its end or to our
   * limit.
   */
  errorClass: ErrorClass | null;
  /** The beginning of the body as text; null without a body. */
  response: string | null;
  retryAfterMs: number | null;
}

/** The result of an exchange without an answer and without a failure. */
export const NO_ANSWER: ReceiverAnswer = {
  statusCode: null,
  durationMs: 0,
  error: null,
  errorClass: null,
  response: null,
  retryAfterMs: null,
};

interface Failure {
  error: string;
  errorClass: ErrorClass;
}

const NOT_HTTP: Failure = { errorClass: "protocol", error: "The answer is not HTTP/1.1" };
const NOT_TRUSTED: Failure = { errorClass: "tls", error: "The certificate was not accepted" };
const NOT_SECURE: Failure = { errorClass: "tls", error: "No secure connection could be made" };
const BROKEN: Failure = { errorClass: "connection", error: "The exchange failed" };

/** The codes of failures that this service detects, not the runtime. */
export const CODES = {
  refused: "ERR_DESTINATION_REFUSED",
  notFound: "ERR_NAME_NOT_FOUND",
  notResolved: "ERR_NAME_NOT_RESOLVED",
  noConnection: "ERR_NO_CONNECTION_IN_TIME",
  noAnswer: "ERR_NO_ANSWER_IN_TIME",
  tooMuch: "ERR_TOO_MUCH_SENT",
  notHttp: "ERR_NOT_HTTP",
} as const;

const failures = (errorClass: ErrorClass, words: Record<string, string>) =>
  Object.entries(words).map(([code, error]): [string, Failure] => [code, { errorClass, error }]);

const FAILURES = new Map([
  ...failures("dns", {
    [CODES.notFound]: "The host name was not found",
    [CODES.notResolved]: "The host name could not be looked up",
  }),
  ...failures("address", { [CODES.refused]: "The destination's address is not public" }),
  ...failures("connection", {
    ECONNREFUSED: "The connection was refused",
    ECONNRESET: "The connection was closed",
    EPIPE: "The connection was closed",
    EHOSTUNREACH: "The host cannot be reached",
    ENETUNREACH: "The host cannot be reached",
    EADDRNOTAVAIL: "The host cannot be reached",
  }),
  ...failures("tls", { EPROTO: "No secure connection could be made" }),
  ...failures("timeout", {
    [CODES.noConnection]: "No connection in time",
    [CODES.noAnswer]: "No complete answer in time",
    ETIMEDOUT: "No connection in time",
  }),
  ...failures("protocol", {
    [CODES.tooMuch]: "The answer is too large",
    HPE_HEADER_OVERFLOW: "The answer's headers are too large",
    [CODES.notHttp]: NOT_HTTP.error,
  }),
]);

/** The machine's own limits: open files, memory. */
const OURS = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"]);

/**
 * The failure as the merchant reads it, without the runtime's own message.
 * @throws the error itself if it is a fault of ours and no behaviour of a receiver
 */
export function describeFailure(error: unknown): Failure {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== "string" || OURS.has(code)) throw error;
  const known = FAILURES.get(code);
  if (known) return known;
  if (code.startsWith("HPE_")) return NOT_HTTP;
  // Comes before the prefixes of handshake errors, because some of these codes share them.
  if (/CERT|ALTNAME|UNABLE_TO_VERIFY/.test(code) && !code.startsWith("ERR_SSL_")) {
    return NOT_TRUSTED;
  }
  return code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_") ? NOT_SECURE : BROKEN;
}

/** Characters that could end a line or reverse the text's direction on a merchant's screen. */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/** The beginning of a body as text; invalid UTF-8 and unprintable characters are replaced. */
export function printableText(body: Buffer): string | null {
  if (body.length === 0) return null;
  // As a stream, so that a cut character at the end is left out.
  const text = new TextDecoder().decode(body.subarray(0, MAX_RESPONSE_BYTES), { stream: true });
  return text.replaceAll("\r\n", "\n").replace(UNPRINTABLE, "\ufffd") || null;
}

export function errorWith(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code });
}
