// Plain text for ACH files: upper-case ASCII. The Nacha Operating Rules (Appendix One, 1.2) allow
// more of ASCII, but banks refuse some of it, and `*`, `\` and `~` have a meaning in addenda.

import { latin } from "../latin.ts";

/**
 * Transliterates a text of any script, such as `José Weiß` to `JOSE WEISS`. Other characters in
 * a row become one blank, and there are no blanks at the ends. The result may be empty.
 */
export function plainText(text: string): string {
  return latin(text)
    .toUpperCase()
    .replace(/[^A-Z0-9&'()+,./:-]+/g, " ")
    .trim();
}
