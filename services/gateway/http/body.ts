// The body of a request: its bytes, read up to a limit, then parsed as JSON (json.ts) or as a form.
// moleculer-web's own body parsers are off, because they read the body before the token is checked.

import type { IncomingMessage } from "node:http";
import { parse as parseForm } from "node:querystring";
import { type ErrorType, fail } from "../../../shared/errors.ts";
import { parseObject } from "./json.ts";
import type { Route } from "./route.ts";
import { askForBody } from "./server.ts";

const LIMIT_BYTES = 256 * 1024;
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

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
  if (isEncoded(request)) return fail("UNSUPPORTED_MEDIA_TYPE", ENCODED);
  if (takesText) return (await readBytes(request)).toString();
  if (type === JSON_TYPE) return parseObject(await readBytes(request));
  if (takesForm && type === FORM_TYPE) return parseForm((await readBytes(request)).toString());
  return fail("UNSUPPORTED_MEDIA_TYPE");
}

const ENCODED = "The body must be sent as it is, without a Content-Encoding";

/** Whether the body is declared as compressed (RFC 9110, 8.4); `identity` names none. */
function isEncoded({ headers }: IncomingMessage): boolean {
  const codings = (headers["content-encoding"] ?? "").split(",").map((each) => each.trim());
  return codings.some((each) => each !== "" && each.toLowerCase() !== "identity");
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
