// A real browser without a window (chromium.ts finds the program), and what is wrong with a page in
// it.

import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { provideChromium } from "./chromium.ts";

const PHONE = { width: 390, height: 844 };
export const SIZES = {
  phone: PHONE,
  narrow: { width: 320, height: 640 },
  desk: { width: 1280, height: 900 },
  wide: { width: 1920, height: 1080 },
};

/** Starts the browser; the caller closes it. */
export async function startBrowser(): Promise<Browser> {
  const { path, environment } = await provideChromium();
  return chromium.launch({
    executablePath: path,
    env: { ...process.env, ...environment },
    args: [
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** The rules of WCAG that the page breaks, found by axe. */
export async function findBarriers(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  // It describes one element for each rule that holds; to describe all takes longer than the check.
  const run = "axe.run({ resultTypes: ['violations'] })";
  const { violations, passes } = await page.evaluate<axe.AxeResults>(run);
  expect(passes.length).toBeGreaterThan(10);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(", ")}`);
}

/** Whether the page scrolls sideways. */
export const isTooWide = (page: Page) =>
  page.evaluate("document.documentElement.scrollWidth > innerWidth");
