// Operating system processes: running one to its end with a bound, asking about one by its id, ending
// one, and making sure that one does not outlive this process, however this process ends.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Says why something cannot start and what to do; the message is for the operator, whole. */
export class SetupError extends Error {
  override name = "SetupError";
}

/** Takes one line of progress. */
export type Say = (line: string) => void;

export interface Outcome {
  /** Null where the program does not exist, could not run, or was ended at its bound. */
  code: number | null;
  /** What it wrote to both streams. */
  output: string;
  timedOut: boolean;
}

interface RunOptions {
  timeoutMs: number;
  /** Something that its output must match within that time; else it is ended as timed out. */
  sign?: { pattern: RegExp; withinMs: number };
}

/** Runs a program to its end; never throws, never hangs, never outlives this process. */
export async function run(
  program: string,
  args: string[],
  { timeoutMs, sign }: RunOptions,
): Promise<Outcome> {
  // A group of its own: a program may be a shim, and what it starts has to end with it.
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  const endGroup = () => killGroup(child);
  process.once("exit", endGroup);
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let output = "";
  let timedOut = false;
  const giveUp = () => {
    timedOut = true;
    endGroup();
  };
  const bound = setTimeout(giveUp, timeoutMs);
  const signBound = sign && setTimeout(giveUp, sign.withinMs);
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
    if (sign?.pattern.test(output)) clearTimeout(signBound);
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  child.once("error", (error) => {
    output += error.message;
    resolve({ code: null, output, timedOut });
  });
  child.once("close", (code) => resolve({ code, output, timedOut }));
  const outcome = await promise;
  clearTimeout(bound);
  clearTimeout(signBound);
  process.off("exit", endGroup);
  return outcome;
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid) process.kill(-pid, "SIGKILL");
  } catch {
    // All of it has gone.
  }
}

/** Whether a process with that id exists, one that has ended but was not collected included. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The command line of a process, or null where there is none: ids are used again. */
export async function commandOf(pid: number): Promise<string | null> {
  if (!isAlive(pid)) return null;
  try {
    // A process that has ended but was not collected has an empty one.
    return (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ").trim() || null;
  } catch {
    // No /proc on this system.
    const listing = promisify(execFile)("ps", ["-o", "args=", "-p", String(pid)]);
    return listing.then(({ stdout }) => stdout.trim() || null).catch(() => null);
  }
}

/** Ends a process that is not our child, and waits until it has gone: asked first, then forced. */
export async function endProcess(pid: number, graceMs: number): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    const end = Date.now() + graceMs;
    while (Date.now() < end && (await commandOf(pid)) !== null) await pause(25);
    if ((await commandOf(pid)) === null) return;
  }
  throw new SetupError(`Process ${pid} could not be ended; end it and try again.`);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Ends `child` should this process go without having done so (kill -9, a crash): a shell waits on a
 * pipe that closes with us. It stands apart from our process group, so that Ctrl-C does not reach it.
 */
export function guard(child: ChildProcess): void {
  const script = `read _; kill -TERM ${child.pid} 2>/dev/null`;
  const watcher = spawn("/bin/sh", ["-c", script], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watcher.once("error", () => {});
  watcher.stdin?.once("error", () => {});
  watcher.unref();
  (watcher.stdin as unknown as { unref(): void }).unref();
  // The id may belong to somebody else once the child has gone: the watcher goes first.
  child.once("exit", () => watcher.kill("SIGKILL"));
}
