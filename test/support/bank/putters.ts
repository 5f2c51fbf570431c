// Processes that put files into a folder, and can be killed while they do.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const PROGRAM = join(import.meta.dirname, "put-process.ts");

export interface Putter {
  /** The outcome of the put, or null if the process ended first. */
  put(name: string, text: string): Promise<string | null>;
  kill(): Promise<void>;
}

/**
 * @param dieAt the number of the change of the file system before which the process kills itself
 * @param maxFileKb the size that the system lets it give to a file
 */
export async function startPutter(
  folder: string,
  { dieAt, maxFileKb }: { dieAt?: number; maxFileKb?: number } = {},
): Promise<Putter> {
  const limit = maxFileKb === undefined ? "" : `ulimit -f ${maxFileKb};`;
  const child: ChildProcess = spawn(
    "bash",
    ["-c", `${limit} exec "$0" "$1"`, process.execPath, PROGRAM],
    {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: {
        ...process.env,
        PLACE: pathToFileURL(folder).href,
        ...(dieAt === undefined ? {} : { DIE_AT: String(dieAt) }),
      },
    },
  );
  const ended = once(child, "exit");
  const outcomes = new Map<string, (outcome: string) => void>();
  const ready = Promise.withResolvers<void>();
  child.on("message", (message: "ready" | { name: string; outcome: string }) => {
    if (message === "ready") ready.resolve();
    else outcomes.get(message.name)?.(message.outcome);
  });
  await Promise.race([ready.promise, ended]);
  return {
    put(name, text) {
      const outcome = new Promise<string>((resolve) => outcomes.set(name, resolve));
      // A process that has ended is found by its exit.
      child.send({ name, text }, () => undefined);
      return Promise.race([outcome, ended.then(() => null)]);
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
