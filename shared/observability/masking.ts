// Masking: recognises numbers and secrets in a text of a log line by their form, and replaces them.

import { LRUCache } from "lru-cache";

/** Ids, which are shown. */
export const UUIDS = /\b([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\b/i;
const LONGEST_TEXT = 1_000;

type Hiding = [RegExp, (...found: string[]) => string];

/** Patterns of numbers of accounts, cards and telephones, and their replacements. */
const NUMBERS: Hiding[] = [
  // Not ports, process ids and dates.
  [
    /\d{4,}(?:[ .-]?\d{2,})*/g,
    (digits) => (digits.replaceAll(/\D/g, "").length < 9 ? digits : "[digits]"),
  ],
  [/\b[A-Z]{2}\d{2}[A-Z\d]{11,30}\b/g, () => "[iban]"],
];

/** Patterns of input and secrets, and their replacements. */
const HIDDEN: Hiding[] = [
  // URL paths contain links' tokens, and the part before the host may contain a password.
  [
    /\b([a-z][a-z+]*:\/\/)(?:[^\s/@]*@)?([^\s/?#]+)([/?#]\S*)?/gi,
    (_all, scheme, host, path) => `${scheme}${host}${path ? "/…" : ""}`,
  ],
  [/[^\s@]+@[^\s@]+\.\w+/g, () => "[mail]"],
  ...NUMBERS,
  [/[\da-f]{24,}/gi, () => "[token]"],
  [/(?=[\w+/=-]*[a-z])(?=[\w+/=-]*[A-Z])(?=[\w+/=-]*\d)[\w+/=-]{20,}/g, () => "[token]"],
];

/** Texts in which nothing is hidden: most are the messages and the routes of the code. */
const harmless = new LRUCache<string, true>({ max: 1_000 });

/** A text without parts that look like input or a secret, in case one passed the list. Ids stay. */
export function masked(text: string): string {
  if (harmless.get(text)) return text;
  const shown = without(HIDDEN, text);
  if (shown === text) harmless.set(text, true);
  return shown;
}

/** A text without numbers of accounts, cards and telephones. */
export function withoutNumbers(text: string): string {
  return without(NUMBERS, text);
}

function without(hidden: Hiding[], text: string): string {
  // The last word of a cut text may be a part of a number, which no pattern recognises.
  const whole = text.length <= LONGEST_TEXT;
  const parts = (whole ? text : text.slice(0, LONGEST_TEXT).replace(/\S*$/, "…")).split(UUIDS);
  return parts.map((part, i) => (i % 2 === 1 ? part : replaceAll(hidden, part))).join("");
}

function replaceAll(hidden: Hiding[], text: string): string {
  return hidden.reduce((left, [pattern, instead]) => left.replaceAll(pattern, instead), text);
}
