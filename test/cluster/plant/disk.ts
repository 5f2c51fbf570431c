// A disk of limited size for a mongod: a tmpfs in a user and mount namespace of its own, which
// needs no rights of this machine's root. A process holds the namespace, so the files outlive a
// killed mongod, and end with the plant.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Disk {
  /** The command that runs a program where it sees the disk. */
  within(command: string[]): string[];
  /** The folder of the mongod's files, as this process sees it. */
  path: string;
  /** Null if the disk has no limit of its own, so that it cannot be filled. */
  filler: Filler | null;
  close(): Promise<void>;
}

export interface Filler {
  /** Fills the disk to its last byte. */
  fill(): Promise<void>;
  /** Frees what `fill` took. */
  free(): Promise<void>;
}

/** @param path the folder of the mongod's files; it exists afterwards */
export async function openDisk(path: string, megabytes: number): Promise<Disk> {
  await mkdir(path, { recursive: true });
  const holder = await mount(path, megabytes);
  if (!holder) return { within: (command) => command, path, filler: null, close: async () => {} };
  const seen = join(`/proc/${holder.pid}/root`, path);
  const enter = ["nsenter", "-t", String(holder.pid), "-U", "-m", "--preserve-credentials", "--"];
  return {
    within: (command) => [...enter, ...command],
    path: seen,
    filler: fillerOf(join(seen, "filler")),
    async close() {
      const gone = once(holder, "exit");
      holder.stdin?.end();
      await gone;
    },
  };
}

/** @returns the process that holds the namespace; null if this system has no such namespaces */
async function mount(path: string, megabytes: number): Promise<ChildProcess | null> {
  // `cat` ends with this process, however this process ends.
  const script = `mount -t tmpfs -o size=${megabytes}m tmpfs "$0" && echo mounted && exec cat`;
  const args = ["--user", "--map-root-user", "--mount", "sh", "-c", script, path];
  const holder = spawn("unshare", args, { stdio: ["pipe", "pipe", "ignore"], detached: true });
  const mounted = once(holder.stdout, "data").then(() => true);
  const failed = Promise.race([once(holder, "exit"), once(holder, "error")]).then(() => false);
  const isMounted = await Promise.race([mounted, failed.catch(() => false)]);
  return isMounted ? holder : null;
}

const CHUNK = Buffer.alloc(2 ** 20);
const NO_SPACE = "ENOSPC";

function fillerOf(file: string): Filler {
  return {
    async fill() {
      // The last chunks are small, because a large write fails before the last byte is taken.
      for (let size = CHUNK.length; size >= 1; size = size >> 10) {
        while (await append(file, CHUNK.subarray(0, size)));
      }
    },
    free: () => rm(file, { force: true }),
  };
}

/** @returns whether there was room */
async function append(file: string, bytes: Buffer): Promise<boolean> {
  try {
    await writeFile(file, bytes, { flag: "a" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === NO_SPACE) return false;
    throw error;
  }
}
