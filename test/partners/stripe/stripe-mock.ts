// Stripe's own stand-in, stripe-mock, which checks every request against Stripe's OpenAPI document.
// It keeps nothing: each answer is an example. It is a Go module, and is built once.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { binDirectory } from "../../../tools/platform/binaries.ts";
import { guard, run, SetupError } from "../../../tools/platform/processes.ts";
import { buildGo, provideGo } from "../../support/go.ts";

const MODULE = "github.com/stripe/stripe-mock";
const VERSION = "v0.203.0";
/** The SHA-256 of the module's files, as go.sum has it. Its own go.sum has those that it needs. */
const SUM = "h1:EzW7nb/fphqcAkgVRHAaC88OaAZo6SBWSl54cflDTio=";
const FETCHED_WITHIN_MS = 600_000;
const READY_WITHIN_MS = 60_000;

/** Starts stripe-mock on a free port; the caller stops it. */
export async function startStripeMock(): Promise<{ url: string; stop(): void }> {
  const args = ["-http-addr", "127.0.0.1:0", "-https-addr", "127.0.0.1:0"];
  const child = spawn(await provideStripeMock(), args, { stdio: ["ignore", "pipe", "inherit"] });
  guard(child);
  const late = setTimeout(() => child.kill("SIGKILL"), READY_WITHIN_MS);
  for await (const line of createInterface(child.stdout)) {
    const [, address] = /HTTP at address: (\S+)/.exec(line) ?? [];
    if (!address) continue;
    clearTimeout(late);
    return { url: `http://${address}`, stop: () => void child.kill("SIGKILL") };
  }
  throw new SetupError(`stripe-mock did not start within ${READY_WITHIN_MS / 1_000} s`);
}

/** @throws SetupError if it cannot be fetched and built on this machine */
async function provideStripeMock(): Promise<string> {
  const path = resolve(binDirectory(), `stripe-mock-${VERSION}`);
  if (existsSync(path)) return path;
  process.stderr.write(`Building ${MODULE} ${VERSION}\n`);
  const { Dir, Sum } = await downloadModule();
  if (Sum !== SUM) throw new SetupError(`${MODULE} ${VERSION} has the wrong sum ${Sum}`);
  await mkdir(binDirectory(), { recursive: true });
  // Another run may build it too: the rename makes a whole program of either.
  const built = `${path}.${process.pid}`;
  await buildGo(Dir, built);
  await rename(built, path);
  return path;
}

async function downloadModule(): Promise<{ Dir: string; Sum: string }> {
  const { path: go } = await provideGo();
  const args = ["mod", "download", "-json", `${MODULE}@${VERSION}`];
  const { code, output } = await run(go, args, { timeoutMs: FETCHED_WITHIN_MS });
  if (code === 0) return JSON.parse(output.slice(output.indexOf("{")));
  throw new SetupError(`Go does not fetch ${MODULE}: ${output.trim().split("\n").at(-1)}`);
}
