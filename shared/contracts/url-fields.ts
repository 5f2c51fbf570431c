// Fields of web addresses.

import { isImageHost } from "../security/public-hosts.ts";
import { findUnclean, tooLong } from "../texts.ts";
import type { Fault, Field, Notes } from "./field.ts";
import { normalised } from "./fields.ts";

const LONGEST_URL = 2_048;
const HTTPS_URL = `an https URL of at most ${LONGEST_URL} characters`;

/** A web address that a browser is sent to. */
export function httpsUrl(notes: Notes = {}): Field<string, false> {
  return url(readHttpsUrl, HTTPS_URL, { example: "https://example.com/thanks", ...notes });
}

/**
 * An image for customers' browsers: its host must be public, because a browser must not ask hosts
 * of the customer's own network.
 */
export function imageUrl(notes: Notes = {}): Field<string, false> {
  const read = (given: string) => {
    const address = readHttpsUrl(given);
    const isPublic = typeof address !== "string" || isImageHost(new URL(address).hostname);
    return isPublic ? address : { fault: "its host is not public" };
  };
  const expectation = `${HTTPS_URL} with a public host name`;
  return url(read, expectation, { example: "https://example.com/image.png", ...notes });
}

function url(read: (given: string) => string | Fault, expectation: string, notes: Notes) {
  return normalised(read, expectation, { format: "uri", maxLength: LONGEST_URL }, notes);
}

/**
 * Returns the address as the URL parser writes it, so that each later reader, and each browser,
 * reads the address that was checked.
 */
function readHttpsUrl(given: string): string | Fault {
  const fault =
    tooLong(given, LONGEST_URL) ??
    findUnclean(given) ??
    (/\s/.test(given) ? "has white space: write a blank as %20" : null);
  if (fault !== null) return { fault };
  if (!URL.canParse(given)) return { fault: "is no URL" };
  const { protocol, username, password, href } = new URL(given);
  if (protocol !== "https:" || !/^https:\/\//i.test(given)) {
    return { fault: "does not begin with https://" };
  }
  if (username !== "" || password !== "") {
    return { fault: "has a user name or a password, which every customer would see" };
  }
  const longer = tooLong(href, LONGEST_URL);
  return longer === null ? href : { fault: `${longer} once it is percent-encoded` };
}
