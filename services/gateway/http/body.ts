// The body of a request: its bytes, read up to a limit, then parsed as JSON or as a form.
// moleculer-web's own body parsers are off, because they read the body before the token is checked.

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { parse as parseForm } from "node:querystring";
import { type ErrorType, fail } from "../../../shared/errors.ts";
import { isObject } from "../../../shared/field.ts";
import type { Route } from "./route.ts";
import { askForBody } from "./server.ts";

const LIMIT_BYTES = 256 * 1024;
/**
 * Deeper than any body of the API. Without a limit, the encoder between services overflows its
 * stack.
 */
const MAX_DEPTH = 16;
/**
 * More values than any body of the API has. Checking many more would block the process for long.
 */
const MAX_VALUES = 10_000;
/** JSON.parse leaves them harmless, but code that merges objects can copy them into a prototype. */
const PROTOTYPE_KEYS = ["__proto__", "constructor", "prototype"];

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

export const NOT_AN_OBJECT = "The body must be a JSON object";

/**
 * Reads the body of a request and parses it.
 * @param takes whether a form is accepted beside JSON; or a text of any type, which is not parsed
 * @returns undefined without a body
 * @throws UNSUPPORTED_MEDIA_TYPE before a byte is read; BODY_TOO_LARGE; VALIDATION for a body that
 *   is not a JSON object, or one that is cut off
 */
export async function readBody(
  request: IncomingMessage,
  { takesForm, takesText }: Pick<Route, "takesForm" | "takesText"> = {},
): Promise<unknown> {
  const type = mediaType(request);
  if (type === null) return undefined;
  if (takesText) return (await readBytes(request)).toString();
  if (type === JSON_TYPE) return parseJson(await readBytes(request));
  if (takesForm && type === FORM_TYPE) return parseForm((await readBytes(request)).toString());
  return fail("UNSUPPORTED_MEDIA_TYPE");
}

/** The body's type in lower case, without parameters; null if neither a type nor a body is sent. */
function mediaType({ headers }: IncomingMessage): string | null {
  const { "content-type": type, "content-length": length = "0" } = headers;
  if (type === undefined && length === "0" && !headers["transfer-encoding"]) return null;
  return (type?.split(";")[0] ?? "").trim().toLowerCase();
}

/** @throws BODY_TOO_LARGE as soon as the size is known; VALIDATION if the client disconnects */
async function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers["content-length"]) > LIMIT_BYTES) fail("BODY_TOO_LARGE");
  askForBody(request);
  const { promise: ended, resolve } = Promise.withResolvers<ErrorType | null>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= LIMIT_BYTES) chunks.push(chunk);
    else resolve("BODY_TOO_LARGE");
  });
  request.on("end", () => resolve(null));
  request.on("error", () => resolve("VALIDATION"));
  const problem = await ended;
  return problem ? fail(problem) : Buffer.concat(chunks);
}

/**
 * Parses the body as a JSON object; undefined if it is empty.
 * @throws VALIDATION for anything else, and for keys that could reach a prototype
 */
function parseJson(bytes: Buffer): object | undefined {
  if (bytes.length === 0) return undefined;
  const value = isUtf8(bytes) ? parse(bytes.toString()) : undefined;
  if (!isObject(value)) return fail("VALIDATION", NOT_AN_OBJECT);
  inspect(value, MAX_DEPTH, { values: 0 });
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function inspect(value: object, depth: number, seen: { values: number }): void {
  if (depth === 0) fail("VALIDATION", "The body is nested too deeply");
  const entries = Object.entries(value);
  seen.values += entries.length;
  if (seen.values > MAX_VALUES) fail("VALIDATION", "The body has too many values");
  for (const [key, inner] of entries) {
    if (PROTOTYPE_KEYS.includes(key)) fail("VALIDATION", `The body must not have a key ${key}`);
    if (typeof inner === "object" && inner !== null) inspect(inner, depth - 1, seen);
  }
}
