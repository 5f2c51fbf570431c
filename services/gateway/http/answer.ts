// Answers: their headers and how they are written. moleculer-web's own sendResponse is not used,
// because it answers 304 without a body to any request with `If-None-Match: *`, a POST too, and
// logs a warning for each 201 without a Location.

import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { ConfigOf } from "../../../shared/config/config.ts";
import { send } from "./streamed.ts";

export interface HttpAnswer {
  status: number;
  /**
   * Text, bytes and a stream are written unchanged, with a content type of their own; anything else
   * as JSON.
   */
  body: unknown;
  headers?: Record<string, string | string[]>;
}

const METHODS = "GET, POST, PATCH, DELETE";
const EXPOSED = "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Preference-Applied";

/**
 * The headers of every answer. helmet is not used: it is made for pages, so most of its headers
 * mean nothing to an API and its policy would be replaced on every page here, and it writes to a
 * response, while an answer is a value until it is written.
 */
export function commonHeaders({
  production,
  corsOrigin,
}: ConfigOf<"gateway">): Record<string, string> {
  return {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    ...(production && { "strict-transport-security": "max-age=63072000; includeSubDomains" }),
    ...(corsOrigin && {
      "access-control-allow-origin": corsOrigin,
      "access-control-expose-headers": EXPOSED,
    }),
  };
}

/**
 * Writes an answer and ends the response.
 * @param always the headers of every answer
 * @param onCut is called with the failure of a stream, which has cut the answer off
 */
export function write(
  response: ServerResponse,
  { status, body, headers }: HttpAnswer,
  always: Record<string, string>,
  onCut: (cause: unknown) => void,
): void {
  if (body instanceof Readable) {
    response.writeHead(status, { ...always, ...headers });
    void send(response, body).then((cause) => cause && onCut(cause));
    return;
  }
  const isRaw = typeof body === "string" || Buffer.isBuffer(body);
  const content = isRaw ? body : JSON.stringify(body);
  response.writeHead(status, {
    ...always,
    ...(!isRaw && { "content-type": "application/json; charset=utf-8" }),
    // That of a 304 would be the length of the content that the client has.
    ...(status !== 304 && { "content-length": Buffer.byteLength(content) }),
    ...headers,
  });
  // Node leaves the body of an answer to HEAD out.
  response.end(content);
}

/**
 * Answers a preflight with the methods of the API. moleculer-web's own CORS is off, because it
 * compares only a part of an origin's text, and refuses requests from all other origins, the
 * checkout page's too.
 */
export function preflight({ headers }: IncomingMessage): HttpAnswer {
  const asked = headers["access-control-request-headers"];
  return {
    status: 204,
    body: "",
    headers: {
      "access-control-allow-methods": METHODS,
      vary: "Access-Control-Request-Headers",
      ...(asked !== undefined && { "access-control-allow-headers": asked }),
    },
  };
}
