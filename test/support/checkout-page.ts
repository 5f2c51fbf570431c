// Actions of a customer on the checkout page, and the accessibility rules that the page breaks.

import axe from "axe-core";
import type { Page } from "playwright-core";
import { cardNumber } from "./world.ts";

export async function fill(page: Page, lastFour = "4242"): Promise<void> {
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("First name").fill("Ada");
  await page.getByLabel("Last name").fill("Lovelace");
  await page.getByLabel("Phone number").fill("+1 555 0100");
  await fillCard(page, lastFour);
}

export async function fillCard(page: Page, lastFour: string): Promise<void> {
  await page.getByLabel("Card number").fill(cardNumber(lastFour));
  await page.getByLabel("Expiry date").fill("12 / 60");
  await page.getByLabel("Security code").fill("123");
}

export const payButton = (page: Page) => page.getByRole("button");

export const paid = (page: Page) =>
  page.getByRole("heading", { name: "Payment received" }).waitFor();

/** The rules of WCAG that the page breaks, found by axe. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations, passes } = await page.evaluate<axe.AxeResults>("axe.run()");
  expect(passes.length).toBeGreaterThan(10);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(", ")}`);
}

/** Whether the page scrolls sideways. */
export const isTooWide = (page: Page) =>
  page.evaluate("document.documentElement.scrollWidth > innerWidth");
