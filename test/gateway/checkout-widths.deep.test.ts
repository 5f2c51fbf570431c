// The checkout page in three widths: it breaks no rule of WCAG and never scrolls sideways.

import type { Browser, Page } from "playwright-core";
import { SIZES, startBrowser } from "../support/browser.ts";
import { fill, findBarriers, isTooWide, paid, payButton } from "../support/checkout-page.ts";
import { startWorld, type TestBusiness, type TestLink, type World } from "../support/world.ts";

let world: World;
let business: TestBusiness;
let browser: Browser;

beforeAll(async () => {
  world = await startWorld();
  business = await world.business();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await world?.stop();
});

async function open({ url }: TestLink, size: keyof typeof SIZES): Promise<Page> {
  const page = await browser.newPage({ viewport: SIZES[size] });
  page.setDefaultTimeout(30_000);
  await page.goto(`${world.http.url}${new URL(url).pathname}`);
  return page;
}

const readProblems = async (page: Page) => [await findBarriers(page), await isTooWide(page)];

test.each(["phone", "narrow", "desk"] as const)("a payment, %s", async (size) => {
  const brandingConfig = { primaryColor: "#ffd400", backgroundColor: "#767676" };
  const cartItems = [...Array(5).keys()].map((i) => {
    return { name: `Item${i}${"x".repeat(200)}`, description: "y".repeat(500), qty: 2, price: 1e6 };
  });
  const page = await open(await world.paymentLink(business, { brandingConfig, cartItems }), size);
  expect(await readProblems(page)).toEqual([[], false]);
  await payButton(page).click();
  expect(await readProblems(page)).toEqual([[], false]);
  await fill(page);
  await payButton(page).click();
  await paid(page);
  expect(await readProblems(page)).toEqual([[], false]);
  await page.close();
});

test.each(["narrow", "desk"] as const)("a subscription, %s", async (size) => {
  const link = await world.recurringLink(business, {
    customerPays: true,
    recurringCharge: { type: size === "desk" ? "consumption" : "seating" },
  });
  const page = await open(link, size);
  expect(await readProblems(page)).toEqual([[], false]);
  await fill(page);
  await payButton(page).click();
  await page.getByRole("heading", { name: "You are subscribed" }).waitFor();
  expect(await readProblems(page)).toEqual([[], false]);
  await page.close();
});
