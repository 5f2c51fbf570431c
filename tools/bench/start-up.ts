// Rows of the start-up: from the start of a process to the moment at which it serves. Without an
// aim, because they are a machine's times.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { SERVICE_NAMES } from "../../shared/rpc/service-names.ts";
import { binDirectory, provideBinary } from "../platform/binaries.ts";
import { startNats } from "../platform/nats.ts";
import { freePort } from "../platform/ports.ts";
import { pause } from "../platform/processes.ts";
import type { Setting } from "./support/setting.ts";
import type { AimRow } from "./support/table.ts";

const SCRIPTS = join(import.meta.dirname, "..", "commands");
const READY_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 10;
/** How often a process alone is started; the median counts. */
const STARTS = 3;

/** Seconds to ready: of everything in one process, of one service, and of all six. */
export async function benchStartUp(setting: Setting): Promise<AimRow[]> {
  const rows: AimRow[] = [];
  const row = (what: string, ms: number, behind = "") => {
    rows.push({ what, figure: ms / 1_000, unit: "s", behind });
  };
  setting.say("Starting everything in one process");
  const directory = join(setting.config.dataDir, "start");
  await mkdir(directory);
  const first = await startAll(setting, directory);
  const again = await startAll(setting, directory);
  row("`npm start` to ready", again, `the first, on an empty directory: ${seconds(first)}`);
  const binary = await provideBinary("nats-server", binDirectory(), setting.say);
  const nats = await startNats({ binary, say: setting.say });
  setting.onStop(() => nats.stop());
  const environment = { ...setting.environment, NATS_URL: nats.url };
  const running = "MongoDB and NATS run";
  setting.say("Starting services alone");
  const times: number[] = [];
  for (let i = 0; i < STARTS; i++) times.push(await startServices(["payouts"], environment));
  const median = times.toSorted((a, b) => a - b)[Math.floor(STARTS / 2)] as number;
  row("one service process to ready (payouts)", median, running);
  row("six service processes to ready", await startServices(SERVICE_NAMES, environment), running);
  await nats.stop();
  return rows;
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** The environment of a start as a developer makes it, on a free port. */
async function environmentOf(own: Setting["environment"]): Promise<NodeJS.ProcessEnv> {
  const { PATH, HOME, XDG_CACHE_HOME } = process.env;
  return { PATH, HOME, XDG_CACHE_HOME, PORT: String(await freePort()), ...own };
}

/** npm start, without npm. @returns the milliseconds until the gateway finds all services ready */
async function startAll(setting: Setting, directory: string): Promise<number> {
  const env = await environmentOf({ DATA_DIR: directory });
  const begun = performance.now();
  const child = spawn(process.execPath, [join(SCRIPTS, "start.ts")], { env, stdio: "ignore" });
  setting.onStop(() => endOf(child));
  await untilReady(env.PORT as string);
  const ms = performance.now() - begun;
  await endOf(child);
  return ms;
}

/** @returns the milliseconds until all processes have said that they are ready */
async function startServices(
  names: readonly string[],
  own: Setting["environment"],
): Promise<number> {
  const env = await environmentOf(own);
  const begun = performance.now();
  const children = names.map((name) =>
    spawn(process.execPath, [join(SCRIPTS, "service.ts"), name], {
      env,
      // The channel says when it is ready, and ends it should this process be killed.
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    }),
  );
  const signal = AbortSignal.timeout(READY_WITHIN_MS);
  await Promise.all(children.map((child) => once(child, "message", { signal })));
  if (names.includes("gateway")) await untilReady(env.PORT as string);
  const ms = performance.now() - begun;
  await Promise.all(children.map(endOf));
  return ms;
}

async function untilReady(port: string): Promise<void> {
  const end = Date.now() + READY_WITHIN_MS;
  while (Date.now() < end) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
    const { away } = ((await answer?.json()) ?? { away: null }) as { away: string[] | null };
    if (answer?.status === 200 && away?.length === 0) return;
    await pause(LOOK_EVERY_MS);
  }
  throw new Error(`Not ready after ${READY_WITHIN_MS / 1_000} s`);
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
