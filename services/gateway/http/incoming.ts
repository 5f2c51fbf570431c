// The request before moleculer-web gets it: its id, and paths that moleculer-web's router accepts
// although no endpoint has them.

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const SANE_REQUEST_ID = /^[\w.:-]{1,64}$/;
/** Longer than any id or token that a path may carry. */
const MAX_PATH_PART = 4_096;

/** The request's id: the client's if it is a short plain token, otherwise a new one. */
export function chooseRequestId({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && SANE_REQUEST_ID.test(given) ? given : randomUUID();
}

/**
 * Whether no endpoint has the path: moleculer-web ignores a slash at its end and accepts any
 * length.
 */
export function isUnknownPath({ url = "" }: IncomingMessage): boolean {
  const path = url.split("?", 1)[0] as string;
  if (path.endsWith("/")) return true;
  return path.length > MAX_PATH_PART && path.split("/").some((part) => part.length > MAX_PATH_PART);
}
