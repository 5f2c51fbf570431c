// Answers: what is kept of an exchange with a receiver, in words of our own and a little of the
// receiver's. One table says which failure is of which class and how it is told to the merchant.

import { type ErrorClass, MAX_RESPONSE_BYTES } from "../../shared/contracts/webhooks.ts";

export interface Answer {
  /** Null where no answer came. */
  statusCode: number | null;
  durationMs: number;
  /** What went wrong, in words of our own; null where the status says it. */
  error: string | null;
  /** Null for a 2xx whose body ended, or was read as far as we read, in time: it is delivered. */
  errorClass: ErrorClass | null;
  /** How the body begins, as text; null where there was none. */
  response: string | null;
  retryAfterMs: number | null;
}

type Failure = Pick<Answer, "error" | "errorClass">;

/** The codes of failures that are found here and not by the runtime. */
export const CODES = {
  refused: "ERR_DESTINATION_REFUSED",
  notFound: "ERR_NAME_NOT_FOUND",
  notResolved: "ERR_NAME_NOT_RESOLVED",
  noConnection: "ERR_NO_CONNECTION_IN_TIME",
  noAnswer: "ERR_NO_ANSWER_IN_TIME",
  tooMuch: "ERR_TOO_MUCH_SENT",
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
    UND_ERR_SOCKET: "The connection was closed",
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
    UND_ERR_HEADERS_OVERFLOW: "The answer's headers are too large",
    UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "The answer is not HTTP/1.1",
  }),
]);

const NOT_HTTP: Failure = { errorClass: "protocol", error: "The answer is not HTTP/1.1" };
const NOT_TRUSTED: Failure = { errorClass: "tls", error: "The certificate was not accepted" };
const NOT_SECURE: Failure = { errorClass: "tls", error: "No secure connection could be made" };
const BROKEN: Failure = { errorClass: "connection", error: "The exchange failed" };

/** What happened, for the merchant: nothing of the runtime's own words. */
export function failureOf(error: unknown): Failure {
  const { code, name, message } = error as NodeJS.ErrnoException;
  // An upgrade that nobody asked for, or an answer without a request, has no code of its own.
  const isBad = code === "UND_ERR_SOCKET" && /^bad (upgrade|response)$/.test(message);
  if (isBad || name === "HTTPParserError") return NOT_HTTP;
  if (typeof code !== "string") return BROKEN;
  const known = FAILURES.get(code);
  if (known) return known;
  // Checked before the prefix of what goes wrong in a handshake, which some of these share.
  if (/CERT|ALTNAME|UNABLE_TO_VERIFY/.test(code) && !code.startsWith("ERR_SSL_")) {
    return NOT_TRUSTED;
  }
  return code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_") ? NOT_SECURE : BROKEN;
}

/** What a merchant must not be shown as it came: it could end a line, or turn the text around. */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/** How a body begins, as text; what is not UTF-8 or cannot be printed is replaced. */
export function textOf(body: Buffer): string | null {
  if (body.length === 0) return null;
  // As a stream, so that a character that was cut at the end is left out.
  const text = new TextDecoder().decode(body.subarray(0, MAX_RESPONSE_BYTES), { stream: true });
  return text.replaceAll("\r\n", "\n").replace(UNPRINTABLE, "\ufffd") || null;
}

export function errorWith(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code });
}
