// Content that is the same for every client and that clients may cache: the OpenAPI document and
// the pages of the documentation. It has an ETag, and is compressed once. Answers of the API are
// neither cached nor compressed, because the length of a compressed answer reveals its secrets
// (BREACH).

import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { HttpAnswer } from "./answer.ts";
import { weightOf } from "./negotiation.ts";

type Encoding = "br" | "gzip";

const ENCODERS: Record<Encoding, (content: Buffer) => Promise<Buffer>> = {
  // The highest quality, 11, takes seconds for a megabyte, and saves little more.
  br: (content) =>
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: promisify(gzip),
};

/** The content in one encoding. */
interface Form {
  body: Buffer;
  etag: string;
  encoding: Encoding | null;
}

/**
 * Serves content that clients may cache.
 * @param read reads the content; the first request of each encoding calls it
 * @param headers has the content type; without a `cache-control`, clients revalidate each time
 */
export function cached(
  read: () => Promise<Buffer>,
  headers: Record<string, string>,
): (request: IncomingMessage) => Promise<HttpAnswer> {
  const forms = new Map<Encoding | null, Promise<Form>>();
  const formIn = (encoding: Encoding | null) => {
    const form = forms.get(encoding) ?? makeForm(read, encoding);
    forms.set(encoding, form);
    form.catch(() => forms.delete(encoding));
    return form;
  };
  return async (request) => {
    const { body, etag, encoding } = await formIn(chooseEncoding(request));
    const always = { "cache-control": "no-cache", ...headers, etag, vary: "Accept-Encoding" };
    if (isKept(request, etag)) return { status: 304, body: "", headers: always };
    const encoded = { ...always, ...(encoding && { "content-encoding": encoding }) };
    return { status: 200, body, headers: encoded };
  };
}

async function makeForm(read: () => Promise<Buffer>, encoding: Encoding | null): Promise<Form> {
  const content = await read();
  const body = encoding ? await ENCODERS[encoding](content) : content;
  const digest = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return { body, etag: `"${digest}"`, encoding };
}

function chooseEncoding({ headers }: IncomingMessage): Encoding | null {
  const accepted = headers["accept-encoding"];
  const br = weightOf(accepted, "br", "*");
  const gz = weightOf(accepted, "gzip", "*");
  if (br === 0 && gz === 0) return null;
  return br >= gz ? "br" : "gzip";
}

/** Whether the client has this version of the content (RFC 9110, 13.1.2). */
function isKept({ headers }: IncomingMessage, etag: string): boolean {
  const kept = (headers["if-none-match"] ?? "").split(",").map((each) => each.trim());
  return kept.some((each) => each === "*" || each.replace(/^W\//, "") === etag);
}
