// One request and its answer over HTTP: the body of a success, or a PayrailError.

import { type LimitUse, PayrailError } from "./errors.ts";
import { readRetryAfter } from "./retry.ts";

/** The address of payrail, and the defaults of calls. */
export interface Connection {
  baseUrl: string;
  fetch: typeof fetch;
  /** The limit of each attempt. */
  timeoutMs: number;
  /** The greatest number of attempts after the first one. */
  retries: number;
}

export interface Request {
  method: string;
  /** The path with the query. */
  path: string;
  /** Names the endpoint in errors, because a path may carry a secret. */
  endpoint: string;
  headers: Record<string, string>;
  body?: string | undefined;
  idempotencyKey?: string | undefined;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

const USER_AGENT = "payrail-client-typescript/0.1.0";

/**
 * Sends a request once.
 * @returns the body of the answer, if its status is 2xx
 * @throws PayrailError; the reason of the signal
 */
export async function exchange(
  { baseUrl, fetch }: Connection,
  request: Request,
): Promise<Record<string, unknown>> {
  const { method, path, headers, body, idempotencyKey, timeoutMs, signal } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        accept: "application/json",
        "user-agent": USER_AGENT,
        // Without it payrail would ignore a misspelt field.
        prefer: "handling=strict",
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      // A redirect would send the request, and its token, to an address outside the configuration.
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return read(request, response, await response.text());
  } catch (error) {
    if (error instanceof PayrailError || signal?.aborted) throw error;
    throw unanswered(request, error, timeout.aborted);
  }
}

function unanswered({ endpoint, timeoutMs }: Request, cause: unknown, late: boolean) {
  const reason = late ? `within ${timeoutMs} ms` : `(${reasonOf(cause)})`;
  return new PayrailError({
    code: late ? "timed_out" : "no_answer",
    message: `${endpoint} got no answer ${reason}`,
    cause,
  });
}

/** The error of fetch has a general message; its cause has the reason. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  const { code, message } = cause as { code?: string; message?: string };
  return code ?? message ?? String(cause);
}

function read(request: Request, { ok, status, headers }: Response, text: string) {
  const body = parse(text);
  if (ok && body) return body;
  const isOwn = !ok && body !== null;
  // The errors of the token endpoint have the fields of OAuth (RFC 6749, 5.2).
  const { code = body?.error, message = body?.error_description } = body ?? {};
  const requestId = body?.requestId ?? headers.get("x-request-id");
  throw new PayrailError({
    code: isOwn && typeof code === "string" ? code : "unexpected_answer",
    message: isOwn && typeof message === "string" ? message : `${request.endpoint} got ${status}`,
    status,
    ...(typeof requestId === "string" && { requestId }),
    ...(Array.isArray(body?.errors) && { errors: body.errors }),
    ...(isOwn && body.data !== undefined && { data: body.data as { id?: string } }),
    ...(isOwn && body.limit !== undefined && { limit: body.limit as LimitUse }),
    retryAfterMs: readRetryAfter(headers.get("retry-after")),
  });
}

/** Parses a JSON object; null for any other text. */
function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}
