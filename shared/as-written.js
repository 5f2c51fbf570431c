// Values as people write them: typed, pasted from a mail or a contact, filled in by a browser or a
// password manager. The checkout page and the API read them by these same rules, so this file is
// plain JavaScript and part of the page's script. Pure.

/** Marks without a look: of direction, of word breaks, and those that stand before a text. */
const INVISIBLE = /[\p{Bidi_Control}\u00ad\u180e\u200b\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;
const LINE_BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
const CONTROL = /[\p{Cc}\p{Cs}]/gu;
/** What shows nothing by itself: also joiners, fillers, and selectors of variants. */
const SHOWS_NOTHING = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{Z}]/gu;
const DASHES = /[\p{Pd}\u02d7\u2043\u2212]/gu;
const SLASHES = /[\u2044\u2215\u29f8]/g;

/**
 * A text without invisible marks, control characters and blanks around it; empty if nothing of it
 * is visible. Joiners stay, because scripts and emoji need them.
 * @param {string} text
 * @returns {string}
 */
export function tidy(text) {
  if (!text.replaceAll(SHOWS_NOTHING, "")) return "";
  return text.replaceAll(INVISIBLE, "").replaceAll(LINE_BREAKS, " ").replaceAll(CONTROL, "").trim();
}

/**
 * Digits and signs of any script and width as those of ASCII, with plain blanks.
 * @param {string} text
 * @returns {string}
 */
function toAscii(text) {
  return text
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replaceAll(DASHES, "-")
    .replaceAll(SLASHES, "/")
    .normalize("NFKC")
    .replaceAll(DASHES, "-")
    .replaceAll(/\p{Nd}/gu, digitValue)
    .replaceAll(/\s+/g, " ")
    .replaceAll(CONTROL, "")
    .trim();
}

/**
 * Digits come in runs from 0 to 9 (Unicode, 4.6), of which some follow each other without a gap.
 * @param {string} digit
 */
function digitValue(digit) {
  const code = /** @type {number} */ (digit.codePointAt(0));
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}

/**
 * The digits of a text, such as a card's number or security code; null if other characters than
 * blanks and dashes are among them.
 * @param {string} text
 * @returns {string | null}
 */
export function readDigits(text) {
  if (text.length > LONGEST_WRITTEN) return null;
  const digits = toAscii(text).replaceAll(/[ -]/g, "");
  return /^\d+$/.test(digits) ? digits : null;
}

/**
 * A word before the number, the country's code in parentheses, the number, its extension: behind a
 * word, or behind the pauses of a phone's contact.
 */
const PHONE =
  /^(?:[\p{L}\p{So}]{1,12}[.:]{0,2} ?)?(?:\((\+ ?\d{1,3})\))?(\+?[\d ().-]+?)(?:(?:[ ,;]*(?:\p{L}{1,12}[.:=]{0,2}|#) ?|[,;]+)(\d{1,8}))?$/u;
const LEAST_DIGITS = 4;
export const LONGEST_PHONE = 48;
/** Longer texts are not searched. */
const LONGEST_WRITTEN = 256;

/**
 * A phone number with a `+`, digits, blanks, dots, hyphens and parentheses, and ` ext. ` before an
 * extension; null for anything else.
 * @param {string} text
 * @returns {string | null}
 */
export function readPhone(text) {
  if (text.length > LONGEST_WRITTEN) return null;
  const plain = toAscii(text).replaceAll(/ *\/ */g, " ");
  const [, country = "", rest = "", extension] = PHONE.exec(plain) ?? [];
  const number = `${country}${rest}`.trim();
  if (number.replaceAll(/\D/g, "").length < LEAST_DIGITS) return null;
  const whole = extension === undefined ? number : `${number} ext. ${extension}`;
  return whole.length > LONGEST_PHONE ? null : whole;
}

/** The month before the year, with or without a separator; then the form of HTML's month input. */
const EXPIRIES = [
  /^(?<month>0?[1-9]|1[0-2]) ?[ /.-] ?(?:20)?(?<year>\d{2})$/,
  /^(?<month>0[1-9]|1[0-2])(?:20)?(?<year>\d{2})$/,
  /^20(?<year>\d{2}) ?[ /.-] ?(?<month>0?[1-9]|1[0-2])(?:-\d{2})?$/,
  /^20(?<year>\d{2})(?<month>0[1-9]|1[0-2])$/,
];

/**
 * The expiry date of a card; null for anything else.
 * @param {string} text
 * @returns {{ month: number, year: number } | null}
 */
export function readExpiry(text) {
  const plain = toAscii(text.slice(0, LONGEST_WRITTEN));
  const { month, year } = EXPIRIES.map((form) => form.exec(plain)).find(Boolean)?.groups ?? {};
  return month && year ? { month: Number(month), year: 2000 + Number(year) } : null;
}
