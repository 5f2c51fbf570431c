// The text of a charge on the card's statement, in the form that Stripe accepts.

/**
 * The account's prefix has up to 10 characters and "* " follows it; together with the suffix it has
 * at most 22 (docs.stripe.com/get-started/account/statement-descriptors).
 */
const SUFFIX_AT_MOST = 10;

/**
 * The parameter for the end of the text; none if nothing of the description may stand there, which
 * needs a Latin letter.
 */
export function statementSuffix(description: string): { statement_descriptor_suffix?: string } {
  const text = description
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9 .,&/-]/g, "")
    .replaceAll(/ +/g, " ")
    .trim()
    .slice(0, SUFFIX_AT_MOST)
    .trim();
  return /[A-Za-z]/.test(text) ? { statement_descriptor_suffix: text } : {};
}
