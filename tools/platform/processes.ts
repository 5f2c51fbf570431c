// Operating system processes: runs one to its end within a bound, finds one by its id, ends one,
// and makes sure that a child does not outlive this process, however this process ends.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Describes why a start failed and how to fix it. The operator reads the whole message. */
export class SetupError extends Error {
  override name = "SetupError";
}

export type Say = (line: string) => void;

export interface Outcome {
  /** Null if the program does not exist, could not run, or was ended at its bound. */
  code: number | null;
  output: string;
  timedOut: boolean;
}

export interface RunOptions {
  timeoutMs: number;
  /**
   * The output must match this pattern within that time; otherwise the program is ended as timed
   * out.
   */
  sign?: { pattern: RegExp; withinMs: number };
}

/** Runs a program to its end; never throws, never hangs, never outlives this process. */
export async function run(
  program: string,
  args: string[],
  { timeoutMs, sign }: RunOptions,
): Promise<Outcome> {
  // The program gets its own process group. It may be a shim, and its children must end with it.
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
    // The whole process group has ended.
  }
}

/** Whether a process with this id exists, including one that has ended but was not collected. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The command line of a process, because systems reuse ids; null if no process has the id. */
export async function readCommand(pid: number): Promise<string | null> {
  if (!isAlive(pid)) return null;
  try {
    // The command line of a process that has ended but was not collected is empty.
    return (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ").trim() || null;
  } catch {
    // This system has no /proc.
    const listing = promisify(execFile)("ps", ["-o", "args=", "-p", String(pid)]);
    return listing.then(({ stdout }) => stdout.trim() || null).catch(() => null);
  }
}

/** Ends a process that is not our child, and waits for its end: first SIGTERM, then SIGKILL. */
export async function endProcess(pid: number, graceMs: number): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    const end = Date.now() + graceMs;
    while (Date.now() < end && (await readCommand(pid)) !== null) await pause(25);
    if ((await readCommand(pid)) === null) return;
  }
  throw new SetupError(`Process ${pid} could not be ended; end it and try again.`);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Ends `child` if this process dies without ending it (kill -9, a crash): a shell waits on a pipe
 * that closes with this process. The shell is outside our process group, so that Ctrl-C does not
 * reach it.
 */
export function guard(child: ChildProcess): void {
  // A frozen process takes the signal only when it continues.
  const script = `read _; kill -TERM ${child.pid} && kill -CONT ${child.pid}`;
  const watcher = spawn("/bin/sh", ["-c", script], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watcher.once("error", () => {});
  watcher.stdin?.once("error", () => {});
  watcher.unref();
  (watcher.stdin as unknown as { unref(): void }).unref();
  // The watcher ends first, because after the child's end its id may belong to another process.
  child.once("exit", () => watcher.kill("SIGKILL"));
}
