// The rules of texts that people write: what falls away around them, what they must not have, and
// how long they are. All fields of texts use these rules and these words.

import type { Fault } from "./contracts/field.ts";

/**
 * Falls away around a text: white space, the zero-width space and its kin, and the embeddings and
 * isolates that phones wrap around a text they copy.
 */
const AROUND = /[\p{White_Space}\u200B\u2060\uFEFF\u202A-\u202C\u2066-\u2069]/u;

/** Characters that are seen, alone or with others. */
const SEEN = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** What a text must not have, with the fault. */
const UNCLEAN: [RegExp, string][] = [
  [/\p{Cc}/u, "has a control character, such as a tab or a line break"],
  [/\p{Cs}/u, "has half of a character (a lone surrogate)"],
  [
    // The marks U+200E, U+200F and U+061C are not among them: they turn no letters, come with
    // copied Arabic and Hebrew, and repair how such a text is shown.
    /[\u202A-\u202E\u2066-\u2069]/u,
    "has a character that turns the direction of writing, so that it could be read as another text",
  ],
];

/** The text without what falls away around it. It takes one step for each character. */
export function trimmed(given: string): string {
  let start = 0;
  let end = given.length;
  while (start < end && AROUND.test(given.charAt(start))) start += 1;
  while (end > start && AROUND.test(given.charAt(end - 1))) end -= 1;
  return given.slice(start, end);
}

/** The length in characters (code points), as `maxLength` of JSON Schema counts. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** What makes a text wrong whatever its length; null for a right one. */
export function findUnclean(text: string): string | null {
  return UNCLEAN.find(([unclean]) => unclean.test(text))?.[1] ?? null;
}

/** The fault of a text with more characters than that; most texts need no counting. */
export function tooLong(text: string, max: number): string | null {
  const length = text.length > max ? lengthOf(text) : 0;
  return length > max ? `has ${length} characters` : null;
}

/** A text that is not empty has at least one character. */
function tooShort(text: string, min: number): string | null {
  const length = min > 1 ? lengthOf(text) : min;
  return length < min ? `has ${length} of ${min} characters` : null;
}

function findEmpty(text: string): string | null {
  if (text === "") return "is empty";
  return SEEN.test(text) ? null : "has only characters that are not seen";
}

/**
 * Reads a text of `min` to `max` characters. A required text needs a character that is seen.
 * @returns the text without what falls away around it, or its fault
 */
export function readText(given: string, min: number, max: number): string | Fault {
  const text = trimmed(given);
  const fault =
    findUnclean(text) ??
    (min > 0 ? findEmpty(text) : null) ??
    tooShort(text, min) ??
    tooLong(text, max);
  return fault === null ? text : { fault };
}

/** Longer than any name of the API. */
const SHOWN_AT_MOST = 64;

/** A name of the caller's for an error: short, and in visible ASCII. */
export function shownName(name: string): string {
  const short = name.length > SHOWN_AT_MOST ? `${name.slice(0, SHOWN_AT_MOST)}…` : name;
  return short.replaceAll(/[^\x20-\x7e…]/g, "?");
}

/** A pattern that matches only this text. */
export function exactPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
