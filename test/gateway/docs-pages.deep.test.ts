// The reference and the tabs under /docs in a real browser: the search leads to an endpoint, which
// can be tried; a chosen language holds for all pages; code is wrapped, not cut; the pages are
// accessible in both colour schemes.

import { findBarriers, isTooWide } from "../support/browser.ts";
import { type Docs, startDocs } from "../support/docs-page.ts";

let docs: Docs;

beforeAll(async () => {
  docs = await startDocs();
});
afterEach(() => docs.closePages());
afterAll(() => docs?.stop());

test("the search finds an endpoint, which unfolds there and can be tried", async () => {
  const business = await docs.world.business();
  const { page, errors, hosts } = await docs.open("/docs");
  const found = page.locator("#found a");
  await page.getByRole("searchbox").fill("GET entities business");
  await found.filter({ hasText: /^GET \/v1\/business\/\{businessId\}\/entities(?!\/)/ }).click();
  const endpoint = page.locator("details.endpoint[open]");
  await endpoint.waitFor();
  expect(await endpoint.count()).toBe(1);

  await page.getByLabel("Access token").fill(business.token);
  await endpoint.getByText("Try it").click();
  await endpoint.getByLabel("businessId").fill(business.id);
  await endpoint.getByRole("button", { name: "Send GET" }).click();
  await endpoint.locator("output").filter({ hasText: '"success": true' }).waitFor();

  await page.getByRole("searchbox").fill("<img src=x>");
  await page.getByText("0 found").waitFor();
  expect(errors).toEqual([]);
  expect([...hosts]).toEqual([docs.world.http.url]);
});

test("a chosen language holds for the groups of all pages", async () => {
  const { page, errors } = await docs.open("/docs/pay-your-sellers");
  await page.getByRole("tab", { name: "Python" }).first().click();
  const shown = page.locator(".tabs figure:visible");
  expect(await shown.count()).toBe(await page.locator(".tabs").count());
  expect(await shown.first().textContent()).toContain("from payrail import");
  await page.keyboard.press("ArrowLeft");
  expect(await shown.first().textContent()).toContain("import { businessId, call }");
  await page.goto(`${docs.world.http.url}/docs/sell-by-a-link`);
  await page.getByRole("tab", { name: "Node", selected: true }).first().waitFor();
  expect(await shown.first().textContent()).toContain("import { businessId, call }");
  expect(errors).toEqual([]);
});

test("code is wrapped and not cut on a phone", async () => {
  const { page } = await docs.open("/docs/setup", { size: "phone" });
  const cut = "[...document.querySelectorAll('pre')].some((e) => e.scrollWidth > e.clientWidth)";
  expect(await page.evaluate(cut)).toBe(false);
});

test.each([
  ["/docs/concepts", "light", "phone"],
  ["/docs/pay-your-sellers", "dark", "desk"],
  ["/docs/reference", "light", "desk"],
  ["/docs/reference/payouts", "dark", "phone"],
  ["/docs/reference/payouts", "light", "desk"],
] as const)("%s is accessible in %s colours at the size %s", async (path, colorScheme, size) => {
  const { page, errors } = await docs.open(path, { colorScheme, size });
  await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
  expect(await findBarriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  expect(errors).toEqual([]);
});
