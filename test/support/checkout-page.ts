// Actions of a customer on the checkout page, and the accessibility rules that the page breaks.

import type { BrowserContext, Locator, Page, Request } from "playwright-core";
import { SIZES, startBrowser } from "./browser.ts";
import type { Http } from "./http.ts";
import { until } from "./system.ts";
import { cardNumber, dataOf, startWorld, type TestBusiness, type TestLink } from "./world.ts";

/** The bound of every wait for the page, because the machine may be busy. */
const SOON_MS = 30_000;

interface PageOptions {
  size?: keyof typeof SIZES;
  javaScriptEnabled?: boolean;
  locale?: string;
  colorScheme?: "light" | "dark";
  bypassCSP?: boolean;
}

interface OpenOptions extends PageOptions {
  /** Runs before the page loads. */
  prepare?: (page: Page) => unknown;
}

export interface Opened {
  page: Page;
  /** The requests of the page and its frames. */
  requests: Request[];
  /** The errors of the page's scripts, and the refusals by its Content-Security-Policy. */
  errors: string[];
}

export type Customers = Awaited<ReturnType<typeof startCustomers>>;

/**
 * Starts a browser for the customers of a business.
 * @param origin serves the pages of its links
 */
export async function startCustomers(http: Http, business: TestBusiness, origin = http.url) {
  const browser = await startBrowser();
  let contexts: BrowserContext[] = [];

  /** An empty page of a new customer. */
  async function newPage({ size = "phone", ...options }: PageOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: SIZES[size], ...options });
    contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(SOON_MS);
    return page;
  }

  return {
    newPage,

    /** Opens a link's page as a new customer. */
    async open({ url }: TestLink, { prepare, ...options }: OpenOptions = {}): Promise<Opened> {
      const page = await newPage(options);
      const requests: Request[] = [];
      const errors: string[] = [];
      page.on("request", (request) => requests.push(request));
      page.on("pageerror", ({ message }) => errors.push(message));
      page.on("console", (line) => {
        if (line.text().includes("Content Security Policy")) errors.push(line.text());
      });
      await prepare?.(page);
      await page.goto(`${origin}${new URL(url).pathname}`);
      return { page, requests, errors };
    },

    // biome-ignore lint/suspicious/noExplicitAny: as the endpoint answers
    async paymentsOf({ id }: TestLink): Promise<any[]> {
      const path = `/v1/business/${business.id}/payments?paymentLinkId=${id}`;
      return dataOf(await http.get(path, { token: business.token }), 200);
    },

    // biome-ignore lint/suspicious/noExplicitAny: as the endpoint answers
    async subscriptionsOf({ id }: TestLink): Promise<any[]> {
      const path = `/v1/business/${business.id}/subscriptions?paymentLinkId=${id}`;
      return dataOf(await http.get(path, { token: business.token }), 200);
    },

    async closePages() {
      await Promise.all(contexts.map((context) => context.close()));
      contexts = [];
    },

    close: () => browser.close(),
  };
}

export type Checkout = Awaited<ReturnType<typeof startCheckout>>;

/** Starts payrail with one business, and a browser for its customers. */
export async function startCheckout(options: Parameters<typeof startWorld>[0] = {}) {
  const world = await startWorld(options);
  try {
    const business = await world.business();
    const customers = await startCustomers(world.http, business);
    return {
      ...customers,
      world,
      business,
      async stop() {
        try {
          await customers.close();
        } finally {
          await world.stop();
        }
      },
    };
  } catch (error) {
    await world.stop();
    throw error;
  }
}

export async function fill(page: Page, lastFour = "4242"): Promise<void> {
  await fillCustomer(page);
  await fillCard(page, lastFour);
}

export async function fillCustomer(page: Page): Promise<void> {
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("First name").fill("Ada");
  await page.getByLabel("Last name").fill("Lovelace");
  await page.getByLabel("Phone number").fill("+1 555 0100");
}

export async function fillCard(page: Page, lastFour: string): Promise<void> {
  await page.getByLabel("Card number").fill(cardNumber(lastFour));
  await page.getByLabel("Expiry date").fill("12 / 60");
  await page.getByLabel("Security code").fill("123");
}

export const payButton = (page: Page) => page.locator("form button");

/** Waits for the receipt. */
export const paid = (page: Page) =>
  page.getByRole("heading", { name: "Payment received" }).waitFor();

/** Waits for the end of a set-up of a subscription, or for its receipt on a later visit. */
export const subscribed = (page: Page) =>
  page.getByRole("heading", { name: /^You (are )?subscribed/ }).waitFor();

/** The texts in the fields of the card. */
export const cardLeft = (page: Page) =>
  Promise.all(
    ["Card number", "Expiry date", "Security code"].map((label) =>
      page.getByLabel(label).inputValue(),
    ),
  );

/** Fills in the postcode that a vault wants. */
export const fillPostcode = (page: Page, postcode: string) =>
  page.getByLabel("Postcode of the card's bill").fill(postcode);

export const problem = (page: Page) => page.getByRole("alert");

/** Lets the page's own waits pass until an element is visible. */
export async function passTime(page: Page, element: Locator): Promise<void> {
  const isThere = async () => {
    await page.clock.fastForward(1_000);
    return element.isVisible();
  };
  await until(isThere, { within: SOON_MS, awaited: "an element of the page" });
}
