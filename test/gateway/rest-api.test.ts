// docs/integrate/rest-api.md has every endpoint and every error, and the code cites only existing
// sections.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { routes } from "../../services/gateway/routes/routes.ts";
import { linkedAccountView } from "../../shared/contracts/linked-account-lists.ts";
import { linkRequest } from "../../shared/contracts/payment-link-data.ts";
import { withdrawalRequest } from "../../shared/contracts/payouts.ts";
import { ERRORS, type ErrorType, errorCode } from "../../shared/errors.ts";
import { readDocument } from "../support/document.ts";

const { page: PAGE, table } = readDocument("docs/integrate/rest-api.md");

test("the page names every endpoint of the table of routes", () => {
  const names = routes({ sandbox: true }).map(({ method, path }) => `${method} ${path}`);
  const short = (name: string) => name.replace("/v1/business/:businessId/", "…/");
  const isNamed = (name: string) =>
    [name, short(name)].some((each) => PAGE.includes(`\`${each}\``));
  expect(names.filter((name) => !isNamed(name))).toEqual([]);
});

test("the row of every list has its filters", () => {
  const rows = PAGE.split("\n").filter((line) => line.startsWith("| `GET "));
  const missing = routes({ sandbox: true }).flatMap(({ method, path, inQuery }) => {
    const ends = [path, path.replace("/v1/business/:businessId/", "…/")];
    const row = rows.find((line) => ends.some((end) => line.startsWith(`| \`GET ${end}\``)));
    if (method !== "GET" || row === undefined) return [];
    const filters = inQuery.filter((name) => !["page", "limit", "order", "cursor"].includes(name));
    return filters.filter((name) => !row.includes(`\`${name}\``)).map((name) => [path, name]);
  });
  expect(missing).toEqual([]);
});

const LIST = routes({ sandbox: true }).find(({ name }) => name === "listLinkedAccounts");

test.each([
  ["request of a withdrawal", "| Field | Required | Rule |", Object.keys(withdrawalRequest)],
  ["request of a payment link", "| Field | Default | Rule |", Object.keys(linkRequest)],
  ["query of the business list", "| Query | Default | |", LIST?.inQuery ?? []],
  [
    "business view",
    "| Field | Business view | External view |",
    Object.keys(linkedAccountView.fields ?? {}),
  ],
])("the page has every field of the %s", (_name, head, fields) => {
  const cells = table(head).map(([cell = ""]) => cell.replaceAll("`:", "`"));
  const documented = (field: string) => cells.some((cell) => cell.includes(`\`${field}\``));
  expect(fields).not.toEqual([]);
  expect(fields.filter((field) => !documented(field))).toEqual([]);
});

test("docs/integrate/errors.md has every code once, each in the form of a code", () => {
  const { page } = readDocument("docs/integrate/errors.md");
  const codes = (Object.keys(ERRORS) as ErrorType[]).map(errorCode);
  expect(new Set(codes).size).toBe(codes.length);
  for (const code of codes) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect([code, page.split(`| \`${code}\` |`).length]).toEqual([code, 2]);
  }
});

test("docs/integrate/withdrawals.md names codes that exist, with their statuses", () => {
  const { page } = readDocument("docs/integrate/withdrawals.md");
  const named = [...page.matchAll(/(\d{3}) `([a-z_]+)`/g)].map(([, status, code]) => [
    status,
    code,
  ]);
  expect(named.length).toBeGreaterThanOrEqual(6);
  const known = (Object.keys(ERRORS) as ErrorType[]).map((type) => [
    String(ERRORS[type].status),
    errorCode(type),
  ]);
  for (const each of named) expect(known).toContainEqual(each);
});

test("the code and the tests cite existing sections", () => {
  const headings = new Set([...PAGE.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading));
  const cited = ["services", "shared", "test"].flatMap(sourcesIn).flatMap((file) => {
    const text = readFileSync(file, "utf8").replaceAll(/\n *(\/\/|\*) /g, " ");
    const citations = text.matchAll(/docs\/integrate\/rest-api\.md, ([A-Z][\w ]*\w)/g);
    return [...citations].map(([, section]) => ({ file, section }));
  });
  expect(cited.length).toBeGreaterThan(20);
  expect(cited.filter(({ section }) => !headings.has(section))).toEqual([]);
});

test("every link of the documentation leads to a page, and to a heading of it", () => {
  const pages = ["README.md", ...pagesIn("docs")];
  const broken = pages.flatMap((from) => {
    const links = readFileSync(from, "utf8").matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)/g);
    return [...links]
      .map(([, path = "", anchor]) => ({ from, to: join(from, "..", path), path, anchor }))
      .filter(({ to, path, anchor }) => !hasAnchor(path === "" ? from : to, anchor));
  });
  expect(broken).toEqual([]);
});

const sourcesIn = (folder: string) => filesIn(folder, /\.(ts|js)$/);
const pagesIn = (folder: string) => filesIn(folder, /\.md$/);

function filesIn(folder: string, ends: RegExp): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => ends.test(name)).map((name) => join(folder, name));
}

/** Whether the page exists and has a heading with this anchor, by GitHub's rules for anchors. */
function hasAnchor(path: string, anchor: string | undefined): boolean {
  const text = readable(path);
  if (text === null || anchor === undefined) return text !== null;
  const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
  return anchors.includes(anchor);
}

function readable(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
