// The console in a real browser: signing in, and what went wrong in the page.

import type { BrowserContext, Page } from "playwright-core";
import { SIZES, startBrowser } from "./browser.ts";
import { until } from "./system.ts";
import type { World } from "./world.ts";

/** The bound of every wait for the page, because the machine may be busy. */
const SOON_MS = 30_000;

export interface ConsolePage {
  page: Page;
  /** Goes to a place in the console, such as `transactions?status=FAILED`. */
  go(place: string): Promise<void>;
  /** The errors of the page's script, and the refusals by its Content-Security-Policy. */
  errors: string[];
  /** The bytes of the answers to the page's requests so far, as they were sent. */
  received(): number;
}

interface Options {
  size?: keyof typeof SIZES;
  colorScheme?: "light" | "dark";
}

export type Consoles = Awaited<ReturnType<typeof startConsoles>>;

/** Starts a browser for the people of a system. */
export async function startConsoles(world: World) {
  const browser = await startBrowser();
  let contexts: BrowserContext[] = [];

  /** The console before anybody has signed in. */
  async function open({ size = "desk", colorScheme }: Options = {}): Promise<ConsolePage> {
    const context = await browser.newContext({
      viewport: SIZES[size],
      locale: "en-US",
      timezoneId: "UTC",
      ...(colorScheme && { colorScheme }),
    });
    contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(SOON_MS);
    const errors: string[] = [];
    let bytes = 0;
    page.on("pageerror", ({ message }) => errors.push(message));
    page.on("console", (line) => {
      if (line.text().includes("Content Security Policy")) errors.push(line.text());
    });
    page.on("response", (response) => {
      bytes += Number(response.headers()["content-length"] ?? 0);
    });
    const go = async (place: string) => {
      await page.goto(`${world.http.url}/console#/${place}`);
      await settled(page);
    };
    await go("");
    return { page, go, errors, received: () => bytes };
  }

  return {
    open,

    /** The console of whoever an access token names. */
    async signIn(token: string, options?: Options): Promise<ConsolePage> {
      const opened = await open(options);
      const { page } = opened;
      await page.getByText("With an access token").click();
      await page.getByLabel("Access token").fill(token);
      await page.getByRole("button", { name: "Sign in with the token" }).click();
      await page.getByRole("navigation", { name: "Pages" }).waitFor();
      await settled(page);
      return opened;
    },

    async closePages() {
      await Promise.all(contexts.map((context) => context.close()));
      contexts = [];
    },

    close: () => browser.close(),
  };
}

/** Waits until the page shows what it was to show. */
async function settled(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  const loading = page.locator(".loading, [aria-busy=true]");
  await until(async () => (await loading.count()) === 0, { awaited: "the page's data" });
}
