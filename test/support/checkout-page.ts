// Actions of a customer on the checkout page, and the accessibility rules that the page breaks.

import axe from "axe-core";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { SIZES, startBrowser } from "./browser.ts";
import { until } from "./system.ts";
import { cardNumber, dataOf, startWorld, type TestLink } from "./world.ts";

/** The bound of every wait for the page, because the machine may be busy. */
const SOON_MS = 30_000;

interface OpenOptions {
  size?: keyof typeof SIZES;
  javaScriptEnabled?: boolean;
  /** Runs before the page loads. */
  prepare?: (page: Page) => unknown;
}

export interface Opened {
  page: Page;
  /** The errors of the page's scripts, and the refusals by its Content-Security-Policy. */
  errors: string[];
}

export type Checkout = Awaited<ReturnType<typeof startCheckout>>;

/** Starts payrail with one business, and a browser for its customers. */
export async function startCheckout() {
  const world = await startWorld();
  const business = await world.business();
  const browser = await startBrowser();
  let contexts: BrowserContext[] = [];

  return {
    world,
    business,

    /** Opens a link's page as a new customer. */
    async open(
      { url }: TestLink,
      { size = "phone", javaScriptEnabled = true, prepare }: OpenOptions = {},
    ): Promise<Opened> {
      const context = await browser.newContext({ viewport: SIZES[size], javaScriptEnabled });
      contexts.push(context);
      const page = await context.newPage();
      page.setDefaultTimeout(SOON_MS);
      const errors: string[] = [];
      page.on("pageerror", ({ message }) => errors.push(message));
      page.on("console", (line) => {
        if (line.text().includes("Content Security Policy")) errors.push(line.text());
      });
      await prepare?.(page);
      await page.goto(`${world.http.url}${new URL(url).pathname}`);
      return { page, errors };
    },

    // biome-ignore lint/suspicious/noExplicitAny: as the endpoint answers
    async paymentsOf({ id }: TestLink): Promise<any[]> {
      const path = `/v1/business/${business.id}/payments?paymentLinkId=${id}`;
      return dataOf(await world.http.get(path, { token: business.token }), 200);
    },

    async closePages() {
      await Promise.all(contexts.map((context) => context.close()));
      contexts = [];
    },

    async stop() {
      await browser.close();
      await world.stop();
    },
  };
}

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

/** Waits for the receipt. */
export const paid = (page: Page) =>
  page.getByRole("heading", { name: "Payment received" }).waitFor();

export const problem = (page: Page) => page.getByRole("alert");

/** Lets the page's own waits pass until an element is visible. */
export async function passTime(page: Page, element: Locator): Promise<void> {
  const isThere = async () => {
    await page.clock.fastForward(1_000);
    return element.isVisible();
  };
  await until(isThere, { within: SOON_MS, what: "an element of the page" });
}

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
