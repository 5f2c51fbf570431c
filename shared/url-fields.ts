// Fields of web addresses.

import type { Field, Notes } from "./field.ts";
import { isClean, normalised } from "./fields.ts";
import { isImageHost } from "./public-hosts.ts";

/** A web address that a browser is sent to. */
export function httpsUrl(notes: Notes = {}): Field<string, false> {
  return url(isHttpsUrl, HTTPS_URL, { example: "https://example.com/thanks", ...notes });
}

/**
 * An image for customers' browsers: its host must be public, because a browser must not ask hosts
 * of the customer's own network.
 */
export function imageUrl(notes: Notes = {}): Field<string, false> {
  const isRight = (value: string) => isHttpsUrl(value) && isImageHost(new URL(value).hostname);
  const expectation = `${HTTPS_URL} with a public host name`;
  return url(isRight, expectation, { example: "https://example.com/image.png", ...notes });
}

const HTTPS_URL = "an https URL of at most 2048 characters";

function url(isRight: (value: string) => boolean, expectation: string, notes: Notes) {
  const parse = (value: string) => (isRight(value) ? value : null);
  return normalised(parse, expectation, { format: "uri", maxLength: 2_048 }, notes);
}

function isHttpsUrl(value: string): boolean {
  const isWritten = value.length <= 2_048 && isClean(value) && /^https:\/\/\S+$/i.test(value);
  if (!isWritten || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return protocol === "https:" && username === "" && password === "";
}
