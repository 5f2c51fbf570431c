// Email addresses: which ones are valid, and when two of them are one person's.

import { domainToASCII } from "node:url";
import type { Fault } from "./contracts/field.ts";
import { findUnclean, trimmed } from "./texts.ts";

/** The longest address that SMTP carries (RFC 5321, 4.5.3.1.3, without its brackets). */
export const LONGEST_EMAIL = 254;

// The parts of a valid email address in the HTML standard, by which browsers check an input.
const LOCAL = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+$/;
const LABEL = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;

/** Invisible characters: with them two addresses would look the same. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Reads an address that is valid by the HTML standard. A domain in Unicode becomes its A-labels, as
 * in browsers (RFC 5890, 2.3.2.1), so that one domain has one form.
 */
export function readEmail(given: string): string | Fault {
  const address = trimmed(given);
  const unclean = findUnclean(address);
  if (unclean !== null) return { fault: unclean };
  if (address === "") return { fault: "is empty" };
  if (UNSEEN.test(address)) return { fault: "has a character that is not seen" };
  const at = address.lastIndexOf("@");
  if (at < 0) return { fault: "has no @" };
  const local = address.slice(0, at);
  if (!LOCAL.test(local)) return { fault: localFault(local) };
  const domain = readDomain(address.slice(at + 1));
  if (domain === null) return { fault: "has no valid domain after the @" };
  const read = `${local}@${domain}`;
  return read.length > LONGEST_EMAIL ? { fault: `has ${read.length} characters` } : read;
}

function localFault(local: string): string {
  if (local === "") return "has nothing before the @";
  if (local.includes("@")) return "has more than one @";
  return "has other characters before the @ than letters from a to z, digits and !#$%&'*+-/=?^_`{|}~.";
}

/** The domain, in A-labels if it is in Unicode; null for a wrong one. */
function readDomain(domain: string): string | null {
  // domainToASCII reads the host of a URL, in which other ASCII characters have a meaning.
  const isHost = /^[a-zA-Z0-9.-]*$/.test(domain.replaceAll(/\P{ASCII}/gu, ""));
  if (!isHost) return null;
  const ascii = /\P{ASCII}/u.test(domain) ? domainToASCII(domain) : domain;
  return ascii.split(".").every((label) => LABEL.test(label)) ? ascii : null;
}

/**
 * Reads an address by which a person is looked up. Earlier releases stored addresses that are no
 * longer valid, and their owners' data must still be found.
 */
export function readStoredEmail(given: string): string | Fault {
  const read = readEmail(given);
  if (typeof read === "string") return read;
  const address = given.trim();
  return address.includes("@") && address.length <= LONGEST_EMAIL ? address : read;
}

/** The form in which addresses are compared: in lower case and NFC. */
export function comparedEmail(address: string): string {
  return address.toLowerCase().normalize("NFC");
}

/** Whether two addresses are one: in any case, and in any of Unicode's equivalent spellings. */
export function isSameEmail(one: string, other: string): boolean {
  return comparedEmail(one) === comparedEmail(other);
}

/**
 * A collation for indexes of addresses, which finds those that are the same. It finds more
 * (accents in another order, characters that are not seen, letters of compatibility), so each
 * address that is found has to be compared.
 */
export const IN_ANY_CASE = { collation: { locale: "en", strength: 2 } };
