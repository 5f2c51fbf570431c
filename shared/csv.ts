// Lines of comma-separated values (RFC 4180), harmless in a spreadsheet: a text that would be a
// formula there begins with an apostrophe. Numbers stay numbers.

/**
 * Where a spreadsheet would begin a formula: at the beginning, and behind what separates values in
 * other countries.
 */
const FORMULA = /(^|[;\t\r\n]\s*)(?=[=+\-@\t\r])/g;
const AMOUNT = /^-?\d+(\.\d+)?$/;

function cell(text: string): string {
  const harmless = AMOUNT.test(text) ? text : text.replaceAll(FORMULA, "$1'");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function csvLine(texts: string[]): string {
  return `${texts.map(cell).join(",")}\r\n`;
}
