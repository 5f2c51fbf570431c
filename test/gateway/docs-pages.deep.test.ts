// The reference under /docs in a real browser: the search leads there, it follows the colour scheme
// of the system, and it loads from this server only.

import { type Docs, startDocs } from "../support/docs-page.ts";

let docs: Docs;

beforeAll(async () => {
  docs = await startDocs();
});
afterEach(() => docs.closePages());
afterAll(() => docs?.stop());

test("the search finds sections of guides and endpoints, and leads there", async () => {
  const { page, errors, hosts } = await docs.open("/docs");
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
  expect([...hosts]).toEqual([docs.world.http.url]);
});
