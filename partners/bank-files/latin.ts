// Texts of any script in Latin letters of ASCII, for payment systems that take no others. A name
// with a hole or a stray mark in it may not match the account.

import anyAscii from "any-ascii";

const ASCII = /^[ -~]$/;
const LETTER_OR_MARK = /^[\p{L}\p{M}]$/u;
/** Pictures, such as emoji and their colours, are no part of a name. */
const PICTURE = /^[\p{So}\p{Emoji_Modifier}\p{Cn}\p{Co}]$/u;
const COMMON = /^\p{Script=Common}$/u;

/** Letters that carry a vowel, which Arabic and Hebrew do not write, such as alef and ayn. */
const CARRIER = /^(?!\p{Script=Latin})\p{Lo}$/u;

/**
 * Transliterates by any-ascii, whose letters are the closest to passports among the kept libraries;
 * `transliteration` writes Arabic with capitals and signs within words. Where any-ascii has a mark
 * or nothing for a letter, such as a backtick for ayn, the mark is left out, and a carrier of a
 * vowel is an `a`.
 */
export function latin(text: string): string {
  // A Japanese sign repeats the one before it.
  const written = text.normalize("NFC").replace(/(\p{Lo})々/gu, "$1$1");
  return Array.from(written, latinCharacter).join("");
}

function latinCharacter(character: string): string {
  if (ASCII.test(character)) return character;
  if (PICTURE.test(character)) return " ";
  const ascii = anyAscii(character);
  if (LETTER_OR_MARK.test(character)) {
    return ascii.replace(/[^A-Za-z0-9]/g, "") || (CARRIER.test(character) ? "a" : "");
  }
  // An apostrophe of O’Brien stays; a mark of the Hebrew script is none.
  return COMMON.test(character) ? ascii : ascii.replace(/['"`]/g, "");
}

/** Whether a text in Latin letters says anything. */
export function hasLetterOrDigit(text: string): boolean {
  return /[A-Za-z0-9]/.test(text);
}

/** Words for a value that is not there. */
const NOT_AVAILABLE =
  /^(n[/.]a\.?|null|unknown|undefined|not[ -]?(available|applicable|known|provided)|x{2,5})$/i;
/** Others, which are names of places too: None is a town in Italy. */
const NOTHING = /^(none|nil|x)$/i;

/**
 * Whether a text in Latin letters stands for nothing: forms demand values that some people do not
 * have, such as a postal code. Only for what a file can leave out.
 */
export function isPlaceholder(text: string): boolean {
  return !isPlaceName(text) || NOTHING.test(text.trim());
}

/** Whether a text in Latin letters can be the name of a place, of which a file needs one. */
export function isPlaceName(text: string): boolean {
  return hasLetterOrDigit(text) && !/^[0 .-]+$/.test(text) && !NOT_AVAILABLE.test(text.trim());
}
