// Texts as payment systems take them: letters, digits and a few signs of ASCII (the SWIFT character
// set x, which is also the Latin set of the EPC's SEPA rules), in the lengths of ISO 20022.

import { latin } from "../latin.ts";

const ALLOWED = /^[A-Za-z0-9/\-?:().,'+ ]+$/;
const NOT_ALLOWED = /[^A-Za-z0-9/\-?:().,'+ ]/g;

/**
 * Writes any text in the allowed characters. As the EPC's rules want it (EPC230-15), no slash is at
 * its start or end, and no two are together.
 * @param max the longest length, in characters
 * @returns the empty text if no character of it can be written
 */
export function plainText(text: string, max: number): string {
  const plain = latin(text)
    .replaceAll("&", "+")
    .replaceAll("_", "-")
    .replace(NOT_ALLOWED, " ")
    .replace(/ +/g, " ")
    .replace(/\/+/g, "/");
  const cut = plain.replace(/^[ /]+/, "").slice(0, max);
  return cut.replace(/[ /]+$/, "");
}

/** Whether a text can go into a file as it is. */
export function isPlainText(text: string, max: number): boolean {
  return ALLOWED.test(text) && plainText(text, max) === text;
}
