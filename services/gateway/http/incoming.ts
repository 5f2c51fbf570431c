// The request before moleculer-web gets it: its ids, its target, what HTTP forbids in its head, and
// paths that moleculer-web's router accepts although no endpoint has them.

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Config } from "../../../shared/config/config.ts";
import type { ErrorType } from "../../../shared/errors.ts";
import { type Beginning, drawRecording } from "../../../shared/observability/spans.ts";
import { newTraceId, REQUEST_ID } from "../../../shared/rpc/origin.ts";

/** Longer than any id or token that a path may carry. */
const MAX_PATH_PART = 4_096;

/** A `traceparent` of W3C Trace Context; no id is all zeros, and version ff does not exist. */
const TRACEPARENT =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const RECORDED = 1;

/**
 * The ids under which a request is logged and recorded. A client's trace goes on here. Its flag can
 * leave the trace out, but not have it recorded, because clients would then decide the load.
 */
export function readIds(request: IncomingMessage, config: Pick<Config, "tracing">): Beginning {
  const requestId = chooseRequestId(request);
  const parent = readTraceparent(request);
  const isRecorded = parent?.isRecorded !== false && drawRecording(config);
  return { traceId: newTraceId(), ...parent, requestId, isRecorded };
}

/** The client's trace and span; null unless its header is well formed. */
function readTraceparent({ headers }: IncomingMessage): Omit<Beginning, "requestId"> | null {
  const given = headers.traceparent;
  const found = typeof given === "string" ? TRACEPARENT.exec(given) : null;
  const [, version, traceId, parentId, flags, more] = found ?? [];
  // Version 00 has four parts; a later one may have more.
  if (!traceId || !parentId || !flags || (version === "00" && more)) return null;
  return { traceId, parentId, isRecorded: (Number.parseInt(flags, 16) & RECORDED) === RECORDED };
}

/** The request's id: the client's if it is a short plain token, otherwise a new one. */
function chooseRequestId({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
}

/** The form of a target that a client sends to a proxy (RFC 9112, 3.2.2), before its path. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** The path and query of a request's target. */
export function targetOf({ url = "" }: IncomingMessage): string {
  if (!ORIGIN.test(url)) return url;
  const path = url.replace(ORIGIN, "");
  return path.startsWith("/") ? path : `/${path}`;
}

/** A host and a port at most (RFC 9110, 7.2); empty if the target has none. */
const HOST = /^[^\s/?#@\\,]*$/;

/**
 * The error of a head that HTTP forbids; null without one. Node accepts these, or answers them in a
 * form of its own.
 */
export function headError(request: IncomingMessage): { type: ErrorType; message?: string } | null {
  const { headers, rawHeaders, httpVersion } = request;
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host");
  const isOld = httpVersion === "1.0";
  if (hosts.length > 1 || (hosts.length === 0 && !isOld) || !HOST.test(headers.host ?? "")) {
    return { type: "MALFORMED_HTTP", message: "The request must have one Host" };
  }
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked") {
    return { type: "MALFORMED_HTTP", message: "The transfer coding must be chunked alone" };
  }
  const { expect } = headers;
  const isKnown = expect === undefined || expect.trim().toLowerCase() === "100-continue";
  return isKnown || isOld ? null : { type: "EXPECTATION_FAILED" };
}

/**
 * Whether no endpoint has the path: moleculer-web ignores a slash at its end and accepts any
 * length. Only the path `/` itself ends with a slash.
 */
export function isUnknownPath({ url = "" }: IncomingMessage): boolean {
  const path = url.split("?", 1)[0] as string;
  if (path.endsWith("/")) return path !== "/";
  return path.length > MAX_PATH_PART && path.split("/").some((part) => part.length > MAX_PATH_PART);
}
