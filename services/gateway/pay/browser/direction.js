// The direction of writing of merchants' texts. A text in an element of its own has `dir="auto"`; a
// text within a sentence of the page is isolated from it. For the markup and for the script.

/** The blocks of scripts that are written from right to left (Unicode, Bidi_Class R and AL). */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const FIRST_STRONG_ISOLATE = "\u2068";
const POP_ISOLATE = "\u2069";

/**
 * Keeps a right-to-left text from changing the order of the words around it (Unicode, UAX 9).
 * @param {string} text
 */
export function isolate(text) {
  return RIGHT_TO_LEFT.test(text) ? `${FIRST_STRONG_ISOLATE}${text}${POP_ISOLATE}` : text;
}
