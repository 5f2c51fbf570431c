// Lists as files of comma-separated values (RFC 4180).

import { saveFile } from "./save-file.ts";

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

/** Hands the person a file of lines. */
export function saveCsv(name: string, lines: string[]): void {
  // The mark at the beginning has spreadsheets read it as UTF-8.
  saveFile(name, "text/csv;charset=utf-8", ["\uFEFF", ...lines]);
}
