// The pages under /docs in a real browser: every link leads somewhere, the search finds guides, the
// pages are accessible in both colour schemes, and they load from this server only.
// docs-pages.deep.test.ts has the reference and the tabs.

import { readdirSync } from "node:fs";
import { findBarriers, isTooWide } from "../support/browser.ts";
import { type Docs, startDocs } from "../support/docs-page.ts";

const REFERENCE = "/docs/reference";

let docs: Docs;

beforeAll(async () => {
  docs = await startDocs();
});
afterEach(() => docs.closePages());
afterAll(() => docs?.stop());

const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value]) => value as string);

test("every link of every page leads to a page and a heading of it", async () => {
  const pages = new Map<string, string>();
  const read = async (path: string) => {
    if (!pages.has(path)) {
      const { status, text } = await docs.world.http.get(path);
      expect([path, status]).toEqual([path, 200]);
      pages.set(path, text);
    }
    return pages.get(path) as string;
  };
  const [beforePage = ""] = (await read("/docs")).split("<main");
  const entries = attributes(beforePage, "href").filter((href) => /^\/docs\/[\w-]+$/.test(href));
  expect(entries[0]).toBe("/docs/concepts");
  expect(entries.at(-1)).toBe(REFERENCE);
  const parts = attributes(await read(REFERENCE), "href").filter((href) =>
    /^\/docs\/reference\/[\w-]+$/.test(href),
  );
  expect(parts.length).toBeGreaterThan(10);
  for (const entry of [...entries, ...parts]) {
    const html = await read(entry);
    for (const link of [...attributes(html, "href"), ...attributes(html, "src")]) {
      if (link.startsWith("https://")) continue;
      const [path, heading] = link.split("#") as [string, string | undefined];
      const target = await read(path || entry);
      if (heading) expect(attributes(target, "id")).toContain(heading);
    }
  }
  // Nothing of the folder browser is left out, and nothing else is served.
  const ours = readdirSync("services/gateway/docs/browser").filter(
    (name) => !/\.d\.ts$|json$/.test(name),
  );
  expect([...pages.keys()]).toEqual(expect.arrayContaining(ours.map((name) => `/docs/${name}`)));
  expect((await docs.world.http.get("/docs/operations")).status).toBe(404);
});

test("the search finds a section of a guide, and leads there", async () => {
  const { page, errors, hosts } = await docs.open("/docs");
  await page.keyboard.press("/");
  await page.keyboard.type("rotate secret");
  const found = page.locator("#found a");
  await found.filter({ hasText: "/rotate-secret" }).first().waitFor();
  const guide = found.filter({ hasText: "Changing the secret" });
  await guide.click();
  await page.waitForURL("**/docs/webhooks#changing-the-secret");
  await page.getByRole("heading", { name: "Changing the secret" }).waitFor();
  expect(errors).toEqual([]);
  expect([...hosts]).toEqual([docs.world.http.url]);
});

test.each([
  ["light", "desk"],
  ["dark", "narrow"],
] as const)("a guide is accessible in %s colours at the size %s", async (colorScheme, size) => {
  const { page, errors } = await docs.open("/docs/webhooks", { colorScheme, size });
  expect(await findBarriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  expect(errors).toEqual([]);
});
