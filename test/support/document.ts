// Reads a page of documentation, so tests can check its content.

import { readFileSync } from "node:fs";

export function readDocument(path: string) {
  const page = readFileSync(path, "utf8");
  return {
    page,
    /** The code blocks of a language, in order. */
    blocks: (language: string) =>
      [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(
        ([, code]) => code as string,
      ),
    /** The rows of the table that begins with this text, as lists of cells. */
    table(head: string): string[][] {
      const [, , ...rows] = page.slice(page.indexOf(`\n${head}`) + 1).split("\n");
      const end = rows.findIndex((row) => !row.startsWith("|"));
      const cellsOf = (row: string) => row.split("|").slice(1, -1);
      return rows.slice(0, end).map((row) => cellsOf(row).map((cell) => cell.trim()));
    },
  };
}
