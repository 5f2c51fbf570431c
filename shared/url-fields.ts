// Fields of web addresses.

import type { Field, Notes } from "./field.ts";
import { isClean, normalised } from "./fields.ts";
import { isImageHost } from "./public-hosts.ts";

/** A web address that a browser is sent to. */
export function httpsUrl(notes: Notes = {}): Field<string, false> {
  return normalised((value) => (isHttpsUrl(value) ? value : null), HTTPS_URL, URL_SCHEMA, {
    example: "https://example.com/thanks",
    ...notes,
  });
}

/**
 * An image for customers' browsers: its host must be public, because a browser must not ask hosts
 * of the customer's own network.
 */
export function imageUrl(notes: Notes = {}): Field<string, false> {
  const isRight = (value: string) => isHttpsUrl(value) && isImageHost(new URL(value).hostname);
  const expectation = `${HTTPS_URL} with a public host name`;
  return normalised((value) => (isRight(value) ? value : null), expectation, URL_SCHEMA, {
    example: "https://example.com/image.png",
    ...notes,
  });
}

const HTTPS_URL = "an https URL of at most 2048 characters";
const URL_SCHEMA = { format: "uri", maxLength: 2_048 };

function isHttpsUrl(value: string): boolean {
  const isWritten = value.length <= 2_048 && isClean(value) && /^https:\/\/\S+$/i.test(value);
  if (!isWritten || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return protocol === "https:" && username === "" && password === "";
}
