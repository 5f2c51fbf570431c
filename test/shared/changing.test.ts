// docs/change/changing.md names only files, names in their code, and tests that exist.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readDocument } from "../support/document.ts";

const FOLDERS = ["docs", "partners", "services", "shared", "test", "tools"];
const FILES = ["README.md", ...FOLDERS.flatMap(filesIn)];
const { page } = readDocument("docs/change/changing.md");
/** The page without its blocks of code, in one line. */
const prose = page.replaceAll(/```.*?```/gs, "").replaceAll(/\s+/g, " ");

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

/** The names that stand beside a file: "`file`, `name`", "`file`: `name`", "`name` (`file`)". */
function namesByFile(): [file: string, name: string][] {
  const behind = [...prose.matchAll(/`([\w./-]+\.ts)`((?:(?:,|:| and) `[^`]+`)+)/g)];
  const before = [...prose.matchAll(/`([^`]+)` \(`([\w./-]+\.ts)`\)/g)];
  const pairs = [
    ...behind.flatMap(([, file = "", list = ""]) =>
      [...list.matchAll(/`([^`]+)`/g)].map(([, name = ""]): [string, string] => [file, name]),
    ),
    ...before.map(([, name = "", file = ""]): [string, string] => [file, name]),
  ];
  return pairs.filter(([, name]) => /^[\w$.]+(?:\(|$)/.test(name) && !name.endsWith(".ts"));
}

/** Whether a file declares all parts of a name, such as `linkBody.amount`, or has such a call. */
function declares(file: string, name: string): boolean {
  const code = readFileSync(file, "utf8");
  if (name.includes("(")) return code.includes(name.replace(/…?\)?$/, "").trimEnd());
  return name.split(".").every((part) => {
    const word = part.replaceAll("$", "\\$");
    const declared = `\\b(?:function|const|class|interface|type) ${word}\\b|\\b${word}"?\\??: `;
    return new RegExp(declared).test(code);
  });
}

test("a name that stands beside a file is declared in that file", () => {
  const names = namesByFile();
  expect(names.length).toBeGreaterThan(35);
  const isThere = ([file, name]: [string, string]) =>
    FILES.some((each) => `/${each}`.endsWith(`/${file}`) && declares(each, name));
  expect(names.filter((pair) => !isThere(pair))).toEqual([]);
});

test("every other name is in the code, or is introduced by the page", () => {
  const code = FILES.filter(
    (file) => /\.tsx?$/.test(file) && file !== "test/shared/changing.test.ts",
  );
  const introduced = [...page.matchAll(/(?:`|^ *)(\w+): /gm)].map(([, name = ""]) => name);
  const words = code.flatMap((file) => readFileSync(file, "utf8").match(/[\w$]+/g) ?? []);
  const known = new Set([...words, ...introduced]);
  const names = [...prose.matchAll(/`([A-Za-z_$][\w$.]*)`/g)].map(([, name = ""]) => name);
  const unknown = names
    .filter((name) => !/\.(ts|md)$/.test(name))
    .filter((name) => !name.split(".").every((part) => known.has(part)));
  expect(unknown).toEqual([]);
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
