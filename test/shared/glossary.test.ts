// docs/change/glossary.md names code that exists, and each exported type has a name of its own
// except those that the page names. What users read has one word for a thing.

import { existsSync, globSync, readFileSync } from "node:fs";
import { openApi } from "../../services/gateway/http/openapi.ts";
import { routes } from "../../services/gateway/routes/routes.ts";
import { readDocument } from "../support/document.ts";

const { page } = readDocument("docs/change/glossary.md");
const [words = "", shared = ""] = page.split("## Types that exist more than once");
const rows = [...words.matchAll(/^\| ([^|]+) \| [^|]+ \| (?:`([^`]+)` in )?`([^`]+)` \|$/gm)].map(
  ([, word = "", symbol, file = ""]) => ({ word, symbol, file }),
);

test("each word is there once, and leads to code that has it", () => {
  expect(rows.length).toBeGreaterThan(40);
  expect(new Set(rows.map(({ word }) => word)).size).toBe(rows.length);
  const wrong = rows.filter(({ symbol = "", file }) => {
    return !existsSync(file) || !readFileSync(file, "utf8").includes(symbol);
  });
  expect(wrong).toEqual([]);
});

test("every row of the tables is read", () => {
  const lines = words.split("\n").filter((line) => /^\| (?!word)/.test(line));
  expect(rows).toHaveLength(lines.length);
});

test("each exported type has a name of its own", () => {
  const repeated = new Set([...shared.matchAll(/`(\w+)`/g)].map(([, name]) => name as string));
  const files = globSync("{services,shared,partners}/**/*.ts");
  const exported = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/^export (?:interface|type|class|enum) (\w+)/gm)].map(
      ([, name = ""]) => ({ name, file }),
    ),
  );
  expect(exported.length).toBeGreaterThan(500);
  const byName = Object.groupBy(exported, ({ name }) => name);
  const twice = Object.values(byName).filter((each = []) => each.length > 1);
  expect(twice.filter((each) => !repeated.has(each?.[0]?.name ?? ""))).toEqual([]);
  // A name that is no longer shared leaves the page.
  const names = new Set(twice.map((each) => each?.[0]?.name));
  expect([...repeated].filter((name) => /^[A-Z]/.test(name) && !names.has(name))).toEqual([]);
});

test("the pages and the API's descriptions say business where names of the interface say merchant", () => {
  const pages = globSync("docs/integrate/*.md").filter((path) => !path.endsWith("concepts.md"));
  const texts = pages.map((path) => [
    path,
    readFileSync(path, "utf8").replaceAll(/^```.*?^```/gms, ""),
  ]);
  const described = JSON.stringify(openApi(routes({ sandbox: true }))).matchAll(
    /"(?:description|summary)":"((?:[^"\\]|\\.)*)"/g,
  );
  const all = [...texts, ...[...described].map(([, text = ""]) => ["/openapi.json", text])];
  const withoutNames = all.map(([path, text = ""]) => [path, text.replaceAll(/`[^`]*`/g, "")]);
  const wrong = withoutNames.filter(([, text = ""]) => /\bmerchant/i.test(text));
  expect(
    wrong.map(([path, text = ""]) => [path, /.{0,40}\bmerchant.{0,40}/i.exec(text)?.[0]]),
  ).toEqual([]);
});
