// Answers that may be longer than a process should hold: texts that are made in parts while the
// client reads. A short one is whole before it is sent, so it has a length, and a failure while it
// is made is an ordinary error. A longer one that fails is cut off, because its status is sent; its
// client sees that by the missing end of the last chunk (RFC 9112, 8).

import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Characters of an answer that is sent whole. */
const WHOLE = 256 * 1_024;
/** Characters of a part. */
const PART = 64 * 1_024;

/** The text of an answer: whole if it is short, else in parts. */
export async function inParts(texts: AsyncIterable<string>): Promise<string | Readable> {
  const parts = gathered(texts);
  let whole = "";
  while (whole.length < WHOLE) {
    const { value, done } = await parts.next();
    if (done) return whole;
    whole += value;
  }
  return Readable.from(continued(whole, parts));
}

/** Joins short texts, because each part is a write of its own. */
async function* gathered(texts: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let part = "";
  for await (const text of texts) {
    part += text;
    if (part.length < PART) continue;
    yield part;
    part = "";
  }
  if (part !== "") yield part;
}

async function* continued(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

/**
 * Sends the parts as fast as the client reads them; to HEAD only the headers.
 * @returns the failure that has cut the answer off; null without one, and if the client has left
 */
export async function send(response: ServerResponse, parts: Readable): Promise<unknown> {
  if (response.req.method === "HEAD") {
    parts.destroy();
    response.end();
    return null;
  }
  try {
    await pipeline(parts, response);
    return null;
  } catch (error) {
    return (error as { code?: string }).code === "ERR_STREAM_PREMATURE_CLOSE" ? null : error;
  }
}
