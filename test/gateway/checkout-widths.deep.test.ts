// The checkout page in three widths, light and dark: it breaks no rule of WCAG and never scrolls
// sideways.

import type { Page } from "playwright-core";
import { findBarriers, isTooWide } from "../support/browser.ts";
import { type Checkout, fill, paid, payButton, startCheckout } from "../support/checkout-page.ts";

let checkout: Checkout;

beforeAll(async () => {
  checkout = await startCheckout();
});
afterEach(() => checkout.closePages());
afterAll(() => checkout?.stop());

const readProblems = async (page: Page) => [await findBarriers(page), await isTooWide(page)];

const SCREENS = (["phone", "narrow", "desk"] as const).flatMap((size) =>
  (["light", "dark"] as const).map((colorScheme) => [size, colorScheme] as const),
);

test.each(SCREENS)("a payment on a %s screen in a %s scheme", async (size, colorScheme) => {
  const brandingConfig = { primaryColor: "#ffd400", backgroundColor: "#767676" };
  const cartItems = [...Array(5).keys()].map((i) => {
    return { name: `Item${i}${"x".repeat(200)}`, description: "y".repeat(500), qty: 2, price: 1e6 };
  });
  const { world, business } = checkout;
  const link = await world.paymentLink(business, { brandingConfig, cartItems });
  const { page } = await checkout.open(link, { size, colorScheme });
  expect(await readProblems(page)).toEqual([[], false]);
  await payButton(page).click();
  expect(await readProblems(page)).toEqual([[], false]);
  await fill(page);
  await payButton(page).click();
  await paid(page);
  expect(await readProblems(page)).toEqual([[], false]);
});

test.each(SCREENS)("a subscription on a %s screen in a %s scheme", async (size, colorScheme) => {
  const { world, business } = checkout;
  const link = await world.recurringLink(business, {
    customerPays: true,
    recurringCharge: { type: size === "desk" ? "consumption" : "seating" },
  });
  const { page } = await checkout.open(link, { size, colorScheme });
  expect(await readProblems(page)).toEqual([[], false]);
  await fill(page);
  await payButton(page).click();
  await page.getByRole("heading", { name: "You are subscribed" }).waitFor();
  expect(await readProblems(page)).toEqual([[], false]);
});
