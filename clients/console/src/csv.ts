// Lists as files of comma-separated values.

import { saveFile } from "./save-file.ts";

export { csvLine } from "../../../shared/csv.ts";

/** Hands the person a file of lines. */
export function saveCsv(name: string, lines: string[]): void {
  // The mark at the beginning has spreadsheets read it as UTF-8.
  saveFile(name, "text/csv;charset=utf-8", ["\uFEFF", ...lines]);
}
