// The pages under /docs in a real browser: every link leads somewhere, the search finds guides and
// endpoints, the pages are accessible in both colour schemes, and they load from this server only.

import { readdirSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { findBarriers, isTooWide, SIZES, startBrowser } from "../support/browser.ts";

import { startWorld, type World } from "../support/world.ts";

const REFERENCE = "/docs/reference";
/** The bound of every wait, because the reference takes long to appear on a busy machine. */
const SHOWN_WITHIN_MS = 90_000;

let world: World;
let browser: Browser;
let errors: string[];
let hosts: Set<string>;

beforeAll(async () => {
  world = await startWorld();
  browser = await startBrowser();
});
beforeEach(() => {
  errors = [];
  hosts = new Set();
});
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
});
afterAll(async () => {
  await browser?.close();
  await world?.stop();
});

async function open(
  path: string,
  {
    colorScheme = "light",
    viewport = SIZES.desk,
  }: { colorScheme?: "light" | "dark"; viewport?: object } = {},
): Promise<Page> {
  const context = await browser.newContext({
    colorScheme,
    viewport: viewport as typeof SIZES.desk,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(SHOWN_WITHIN_MS);
  page.on("pageerror", ({ message }) => errors.push(message));
  page.on("console", (line) => line.type() === "error" && errors.push(line.text()));
  page.on("request", (request) => hosts.add(new URL(request.url()).origin));
  await page.goto(world.http.url + path);
  return page;
}

const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value]) => value as string);

test("every link of every page leads to a page and a heading of it", async () => {
  const pages = new Map<string, string>();
  const read = async (path: string) => {
    if (!pages.has(path)) {
      const { status, text } = await world.http.get(path);
      expect([path, status]).toEqual([path, 200]);
      pages.set(path, text);
    }
    return pages.get(path) as string;
  };
  const [beforePage = ""] = (await read("/docs")).split("<main");
  const entries = attributes(beforePage, "href").filter((href) => /^\/docs\/[\w-]+$/.test(href));
  expect(entries[0]).toBe("/docs/withdrawals");
  expect(entries.at(-1)).toBe(REFERENCE);
  for (const entry of entries) {
    const html = await read(entry);
    for (const link of [...attributes(html, "href"), ...attributes(html, "src")]) {
      if (link.startsWith("https://")) continue;
      const [path, heading] = link.split("#") as [string, string | undefined];
      const target = await read(path || entry);
      if (heading && path !== REFERENCE) expect(attributes(target, "id")).toContain(heading);
    }
  }
  // Nothing of the folder browser is left out, and nothing else is served.
  const ours = readdirSync("services/gateway/docs/browser").filter(
    (name) => !/\.d\.ts$|json$/.test(name),
  );
  expect([...pages.keys()]).toEqual(expect.arrayContaining(ours.map((name) => `/docs/${name}`)));
  expect((await world.http.get("/docs/operations")).status).toBe(404);
});

test("the search finds sections of guides and endpoints, and leads there", async () => {
  const page = await open("/docs");
  await page.keyboard.press("/");
  await page.keyboard.type("rotate secret");
  const found = page.locator("#found a");
  await found.filter({ hasText: "/rotate-secret" }).first().waitFor();
  const guide = found.filter({ hasText: "Changing the secret" });
  await guide.click();
  await page.waitForURL("**/docs/webhooks#changing-the-secret");
  await page.getByRole("heading", { name: "Changing the secret" }).waitFor();

  await page.getByRole("searchbox").fill("POST withdrawal");
  await found.filter({ hasText: "POST /v1/ext/linked-accounts" }).click();
  await page.locator(".opblock.is-open").waitFor();
  // The reference follows the colour scheme of the system.
  expect(await page.locator("html.dark-mode").count()).toBe(0);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator("html.dark-mode").waitFor();
  await page.getByRole("searchbox").fill("<img src=x>");
  await page.getByText("0 found").waitFor();
  expect(errors).toEqual([]);
  expect([...hosts]).toEqual([world.http.url]);
});

test.each([
  ["light", "desk"],
  ["dark", "narrow"],
] as const)("a guide is accessible in %s colours at the size %s", async (colorScheme, size) => {
  const page = await open("/docs/webhooks", { colorScheme, viewport: SIZES[size] });
  expect(await findBarriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  expect(errors).toEqual([]);
});
