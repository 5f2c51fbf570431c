// Scripts run as a user runs them: in their own processes, with their own DATA_DIR and port. Tests
// read their output, stop them as a terminal does, and look for leftover processes.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { binDirectory } from "../../tools/platform/binaries.ts";
import { freePort } from "../../tools/platform/ports.ts";
import { inherited } from "./inherited.ts";
import { until } from "./system.ts";

/** The last line of the banner. */
export const RUNNING = "Ctrl-C stops everything.";

export interface Sandbox {
  dataDir: string;
  port: number;
  environment: NodeJS.ProcessEnv;
  /** Ends the processes that still run there (after a failed test) and removes the files. */
  clean(): void;
}

/**
 * A folder to start in as on a fresh machine, except for the programs that the test run fetched.
 */
export async function sandbox(): Promise<Sandbox> {
  const dataDir = mkdtempSync(join(tmpdir(), "payrail-start-"));
  const port = await freePort();
  return {
    dataDir,
    port,
    environment: {
      ...inherited(),
      PATH: [resolve(binDirectory()), process.env.PATH].join(delimiter),
      DATA_DIR: dataDir,
      PORT: String(port),
      SANDBOX_SETTLE_MS: "50",
    },
    clean() {
      for (const { pid } of processesOf(dataDir)) process.kill(pid, "SIGKILL");
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Runs work in a sandbox of its own, beside other tests. */
export async function inSandbox<T>(work: (place: Sandbox) => Promise<T>): Promise<T> {
  const place = await sandbox();
  try {
    return await work(place);
  } finally {
    place.clean();
  }
}

export interface Script {
  pid: number;
  stdout(): string;
  stderr(): string;
  /** Waits for that text on stdout; fails at once if the script ends before. */
  waitForOutput(text: string): Promise<void>;
  /** Writes a line to its stdin. */
  type(line: string): void;
  /** Sends a signal to its process group, as Ctrl-C in a terminal does. */
  interrupt(): void;
  exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export function runScript(program: string, args: string[], environment: NodeJS.ProcessEnv): Script {
  const child = spawn(program, args, {
    env: environment,
    stdio: "pipe",
    detached: true,
  });
  let stdout = "";
  let stderr = "";
  let ended = false;
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const exit: Script["exit"] = new Promise((done, failed) => {
    child.once("error", failed);
    child.once("close", (code, signal) => {
      ended = true;
      done({ code, signal });
    });
  });
  const pid = child.pid as number;
  return {
    pid,
    stdout: () => stdout,
    stderr: () => stderr,
    async waitForOutput(text) {
      await until(() => ended || stdout.includes(text), { within: 120_000, awaited: text });
      if (!stdout.includes(text))
        throw new Error(`The script ended without "${text}":\n${stdout}${stderr}`);
    },
    type: (line) => void child.stdin.write(`${line}\n`),
    interrupt: () => void process.kill(-pid, "SIGINT"),
    exit,
  };
}

/** A script of this repository, run with the pinned runtime. */
export function runNode(script: string, args: string[], environment: NodeJS.ProcessEnv): Script {
  return runScript(resolve("node_modules/.bin/node"), [script, ...args], environment);
}

/** The error of a failed start: one line after the progress, and exit code 1. */
export async function readFailure(environment: NodeJS.ProcessEnv): Promise<string> {
  const script = runNode("tools/commands/start.ts", [], environment);
  const { code } = await script.exit;
  expect(code).toBe(1);
  expect(script.stdout()).toBe("");
  expect(script.stderr()).not.toMatch(/^ +at /m);
  return script.stderr().trim().split("\n").at(-1) as string;
}

/** Whether the start in the sandbox is ready. */
export async function isReady({ port }: Sandbox): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
  if (!answer?.ok) return false;
  const { away } = (await answer.json()) as { away: string[] };
  return away.length === 0;
}

/** Runs the withdrawal of the banner as it is. @returns the answer's body */
export function withdrawAsShown(script: Script): string {
  const lines = script.stdout().split("\n");
  const curl = lines.find((line) => line.startsWith("curl ")) as string;
  return execFileSync("sh", ["-c", curl]).toString();
}

/** All processes with that DATA_DIR in their environment, at any depth of descendants. */
export function processesOf(dataDir: string): { pid: number; command: string }[] {
  try {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.map(Number).flatMap((pid) => {
      const [environment, command] = [readProc(pid, "environ"), readProc(pid, "cmdline")];
      return environment.includes(`DATA_DIR=${dataDir}`) && command ? [{ pid, command }] : [];
    });
  } catch {
    // This system has no /proc.
    const lines = execFileSync("ps", ["axeww", "-o", "pid=,command="]).toString().split("\n");
    return lines
      .filter((line) => line.includes(`DATA_DIR=${dataDir}`))
      .map((line) => ({ pid: Number.parseInt(line, 10), command: line.replace(/^\s*\d+\s*/, "") }));
  }
}

/** The id of the one process with that DATA_DIR and a matching command line. */
export function pidOf(dataDir: string, command: RegExp): number {
  const found = processesOf(dataDir).filter((each) => command.test(each.command));
  if (found.length !== 1) throw new Error(`${found.length} processes match ${command}`);
  return (found[0] as { pid: number }).pid;
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    // The process has ended or belongs to another user.
    return "";
  }
}

/** Runs `npm run verify` to its end. */
export async function runVerify(args: string[], environment: NodeJS.ProcessEnv) {
  const script = runNode("tools/commands/verify.ts", args, environment);
  const { code } = await script.exit;
  // Removes the progress, which the command prints each second.
  const stderr = script.stderr().replaceAll(/^\d+ %, about .*\n/gm, "");
  return { code, stdout: script.stdout(), stderr: stderr.trim() };
}
