// A real browser without a window. chromium.ts finds the program.

import { type Browser, chromium } from "playwright-core";
import { provideChromium } from "./chromium.ts";

const PHONE = { width: 390, height: 844 };
export const SIZES = {
  phone: PHONE,
  narrow: { width: 320, height: 640 },
  desk: { width: 1280, height: 900 },
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
