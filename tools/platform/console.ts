// The console's bundle: one script and one style sheet, made of clients/console/src by esbuild. The
// gateway serves them from clients/console/dist.

import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildOptions } from "esbuild";
import type { Lifetime } from "./lifetime.ts";

const SOURCE = join(import.meta.dirname, "..", "..", "clients", "console");
const TARGET = join(SOURCE, "dist");

const OPTIONS: BuildOptions = {
  entryPoints: ["console.tsx", "console.css"].map((name) => join(SOURCE, "src", name)),
  outdir: TARGET,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  tsconfig: join(SOURCE, "tsconfig.json"),
  // The licences of the libraries stay with their code.
  legalComments: "eof",
  logLevel: "warning",
};

/** Loaded only to build, because the image has no development packages. */
const esbuild = () => import("esbuild");

/** Builds the console; it takes a fraction of a second. */
export async function buildConsole(): Promise<void> {
  const { build } = await esbuild();
  await build(OPTIONS);
  await copyFile(join(SOURCE, "index.html"), join(TARGET, "index.html"));
}

/** Builds it again at each change of its sources. */
export async function watchConsole(lifetime: Lifetime): Promise<void> {
  const { context } = await esbuild();
  const building = await context(OPTIONS);
  lifetime.onStop(() => building.dispose());
  await building.watch();
}
