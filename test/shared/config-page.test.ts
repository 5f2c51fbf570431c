// docs/operate/configuration.md has a row with every variable that shared/config/env.ts reads.

import { readFileSync } from "node:fs";
import { readDocument } from "../support/document.ts";

/** For tests only. */
const HIDDEN = ["PAYRAIL_CRASH_AT"];

test("the table of variables has every variable, and the names of files for all secrets", () => {
  const code = ["env.ts", "env-reader.ts"].map((name) =>
    readFileSync(`shared/config/${name}`, "utf8"),
  );
  const [read, secrets] = code.map((text) => [...text.matchAll(/"([A-Z][A-Z_]{3,})"/g)]);
  const rows = readDocument("docs/operate/configuration.md").table("| Variable | Default |");
  const cells = rows.map(([cell = ""]) => cell);
  const hasRow = (name: string) => cells.some((cell) => cell.includes(`\`${name}\``));
  const names = (found = read) => (found ?? []).map(([, name]) => String(name));
  expect(names().length).toBeGreaterThan(40);
  expect(names().filter((name) => !hasRow(name) && !HIDDEN.includes(name))).toEqual([]);
  const isFile = (name: string) => cells.some((cell) => new RegExp(`\`${name}\`.*?◦`).test(cell));
  expect(names(secrets).filter((name) => !isFile(name))).toEqual([]);
});
