// docs/change/changing.md names only files and tests that exist.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readDocument } from "../support/document.ts";

const FOLDERS = ["docs", "partners", "services", "shared", "test", "tools"];
const FILES = ["README.md", ...FOLDERS.flatMap(filesIn)];
const { page } = readDocument("docs/change/changing.md");

function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.map((name) => join(folder, name));
}

test("the page names existing files, whole or by the end of their paths", () => {
  const named = [...page.matchAll(/(?<![*.\w])\w[\w./-]*\.(?:ts|md)\b/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(80);
  const exists = (name: string) => FILES.some((file) => `/${file}`.endsWith(`/${name}`));
  expect(named.filter((name) => !exists(name))).toEqual([]);
});

test("the named tests are in the test files beside them", () => {
  const entries = [...page.matchAll(/^- `test\/.*\n(?: {2}.*\n)*/gm)].map(([entry]) => entry);
  const unknown = entries.flatMap((entry) => {
    const files = [...entry.matchAll(/`(test\/[\w./-]+\.ts)`/g)].map(([, file]) => file as string);
    const code = files.map((file) => readFileSync(file, "utf8")).join("\n");
    const titles = [...entry.replaceAll(/\s+/g, " ").matchAll(/"([^"]+)"/g)];
    return titles.map(([, title = ""]) => title.replace(/…$/, "")).filter((t) => !code.includes(t));
  });
  expect(unknown).toEqual([]);
});
