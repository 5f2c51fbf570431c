// The pages under /docs in a browser: opens them, and collects the errors of their scripts and the
// servers that they ask.

import type { Page } from "playwright-core";
import { SIZES, startBrowser } from "./browser.ts";
import { startWorld } from "./world.ts";

/** The bound of every wait, because the reference takes long to appear on a busy machine. */
const SHOWN_WITHIN_MS = 90_000;

interface OpenOptions {
  colorScheme?: "light" | "dark";
  size?: keyof typeof SIZES;
}

export type Docs = Awaited<ReturnType<typeof startDocs>>;

/** Starts payrail and a browser for the readers of its pages. */
export async function startDocs() {
  const world = await startWorld();
  const browser = await startBrowser();
  return {
    world,

    /** Opens a page as a new reader. */
    async open(path: string, { colorScheme = "light", size = "desk" }: OpenOptions = {}) {
      const context = await browser.newContext({ colorScheme, viewport: SIZES[size] });
      const page: Page = await context.newPage();
      page.setDefaultTimeout(SHOWN_WITHIN_MS);
      const errors: string[] = [];
      const hosts = new Set<string>();
      page.on("pageerror", ({ message }) => errors.push(message));
      page.on("console", (line) => line.type() === "error" && errors.push(line.text()));
      page.on("request", (request) => hosts.add(new URL(request.url()).origin));
      await page.goto(world.http.url + path);
      return { page, errors, hosts };
    },

    async closePages() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },

    async stop() {
      await browser.close();
      await world.stop();
    },
  };
}
