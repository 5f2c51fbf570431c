// The Go toolchain for tests that build programs of Go modules: the one on the PATH, the one kept
// by an earlier run, or Go's own release, which the Go module proxy serves as a module.

import { createWriteStream } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { fetch } from "undici";
import { binDirectory } from "../../tools/platform/binaries.ts";
import { type Pin, pinFor, requirePinned } from "../../tools/platform/pins.ts";
import { run, SetupError } from "../../tools/platform/processes.ts";

export interface Go {
  path: string;
  /**
   * Environment variables for its commands, in addition to the existing ones. Modules come from the
   * machine's GOPROXY, and only those that go.sum names are accepted.
   */
  environment: Record<string, string>;
}

const VERSION = "v0.0.1-go1.26.0";
/** The oldest release that builds the modules of the tests. */
const OLDEST_MINOR = 24;
const TOOLCHAINS = {
  "linux-x64": {
    file: `${VERSION}.linux-amd64.zip`,
    sha256: "38461905b98c59173672814302e222ab43b652274bc0c95817b08b71ab66b705",
  },
  "linux-arm64": {
    file: `${VERSION}.linux-arm64.zip`,
    sha256: "4c3f961bc257ff52e7a425166f9f75015f645dff071d01a81823455ffe646609",
  },
  "darwin-x64": {
    file: `${VERSION}.darwin-amd64.zip`,
    sha256: "c6b4d9ed3754796e63704a6e2aaaf472e240fe6e9565e9706ce4651264a53b70",
  },
  "darwin-arm64": {
    file: `${VERSION}.darwin-arm64.zip`,
    sha256: "33d8a6a302b96993dab267106d4247b4c5a7db75a72a85ab8bd81c1890857ab9",
  },
};
const PUBLIC_PROXY = "https://proxy.golang.org";
const REMEDY =
  "Install Go 1.24 or newer (on the PATH), or Python 3 so that a release can be unpacked.";

const ANSWERED_WITHIN_MS = 20_000;
const FETCHED_WITHIN_MS = 600_000;
const BUILT_WITHIN_MS = 600_000;

/** go.mod and go.sum stay as they are, and no release is fetched behind the test's back. */
const ENVIRONMENT = { GOTOOLCHAIN: "local", GOFLAGS: "-mod=readonly -buildvcs=false" };

/**
 * A toolchain that runs on this machine; fetches one if there is none.
 * @throws SetupError with the reason, and with instructions to install Go
 */
export async function provideGo(): Promise<Go> {
  const folder = resolve(binDirectory(), "go");
  const kept = join(folder, "bin", "go");
  for (const path of ["go", kept]) {
    if (await isNewEnough(path)) return { path, environment: ENVIRONMENT };
  }
  try {
    await fetchInto(folder);
  } catch (error) {
    throw new SetupError(`Go is not available (${(error as Error).message}). ${REMEDY}`);
  }
  if (await isNewEnough(kept)) return { path: kept, environment: ENVIRONMENT };
  throw new SetupError(`The fetched Go does not run here. ${REMEDY}`);
}

/**
 * Builds the program of a module's folder.
 * @param output the program's path
 * @throws SetupError with the last line of Go's output
 */
export async function buildGo(folder: string, output: string): Promise<void> {
  await runGo(folder, ["build", "-o", resolve(output), "."]);
}

/**
 * The folder with the files of a module that a module needs.
 * @throws SetupError with the last line of Go's output
 */
export async function folderOfModule(folder: string, needed: string): Promise<string> {
  await runGo(folder, ["mod", "download", needed]);
  return runGo(folder, ["list", "-m", "-f", "{{.Dir}}", needed]);
}

async function runGo(folder: string, args: string[]): Promise<string> {
  const go = await provideGo();
  const settings = Object.entries(go.environment).map(([name, value]) => `${name}=${value}`);
  const command = [...settings, go.path, "-C", folder, ...args];
  const { code, output } = await run("env", command, { timeoutMs: BUILT_WITHIN_MS });
  const lastLine = output.trim().split("\n").at(-1) ?? "";
  if (code !== 0) throw new SetupError(`go ${args[0]} fails in ${folder}: ${lastLine}`);
  return lastLine;
}

async function isNewEnough(path: string): Promise<boolean> {
  const { code, output } = await run(path, ["version"], { timeoutMs: ANSWERED_WITHIN_MS });
  const [, minor = ""] = /go version go1\.(\d+)/.exec(output) ?? [];
  return code === 0 && Number(minor) >= OLDEST_MINOR;
}

/**
 * Fetches into a temporary folder and renames it, so an interrupted run leaves no incomplete
 * toolchain.
 */
async function fetchInto(folder: string): Promise<void> {
  const pin = pinFor(TOOLCHAINS);
  const parent = resolve(folder, "..");
  await mkdir(parent, { recursive: true });
  const scratch = await mkdtemp(join(parent, ".fetch-"));
  try {
    process.stderr.write(`Fetching Go: ${pin.file}\n`);
    const archive = join(scratch, pin.file);
    await download(pin, archive);
    await requirePinned(archive, pin);
    const unpack = ["-m", "zipfile", "-e", archive, scratch];
    const { code } = await run("python3", unpack, { timeoutMs: FETCHED_WITHIN_MS });
    if (code !== 0) throw new Error("Python cannot unpack it");
    const release = join(scratch, "golang.org", `toolchain@${pin.file.replace(".zip", "")}`);
    await makeExecutable(join(release, "bin"));
    await makeExecutable(join(release, "pkg", "tool"));
    await rm(folder, { recursive: true, force: true });
    await rename(release, folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function download({ file }: Pin, path: string): Promise<void> {
  const [first = ""] = (process.env.GOPROXY ?? "").split(/[,|]/);
  const proxy = /^https?:/.test(first) ? first.replace(/\/$/, "") : PUBLIC_PROXY;
  const response = await fetch(`${proxy}/golang.org/toolchain/@v/${file}`, {
    signal: AbortSignal.timeout(FETCHED_WITHIN_MS),
  });
  if (!response.ok || !response.body) throw new Error(`the proxy answers ${response.status}`);
  await pipeline(response.body, createWriteStream(path));
}

/** Archives of modules keep no permissions. */
async function makeExecutable(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile())) {
    await chmod(join(entry.parentPath, entry.name), 0o755);
  }
}
