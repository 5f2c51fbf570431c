// A service's process, as production runs it: it is started again when it dies, a stopped one stays
// stopped, and none outlives this process.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Variables } from "../../shared/config/env-reader.ts";
import type { ServiceName } from "../../shared/rpc/service-names.ts";
import { guard, type Say, SetupError } from "./processes.ts";
import { supervise } from "./supervisor.ts";

const PROGRAM = join(import.meta.dirname, "..", "commands", "service.ts");
export const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 30_000;

/** A service's process, and the processes that replace it after it dies. */
export interface Replica {
  service: ServiceName;
  /** The present process; undefined while it is being replaced. */
  pid(): number | undefined;
  /** Sends a signal to the present process. */
  signal(signal: NodeJS.Signals): void;
  /** Stops it permanently. @returns its exit code; null if a signal ended it */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<number | null>;
}

/** How a process is started. */
export interface Launch {
  environment: Variables;
  /** The arguments of node; those of `npm run start:service` by default. */
  args?: string[];
  /** The working directory; this process's by default. */
  cwd?: string;
}

interface Options {
  /** The file of its output; without one, it writes to this process's output. */
  log?: string;
  say?: Say;
}

/**
 * Starts a service; returns when it is ready.
 * @param launch is asked before each start
 */
export async function startReplica(
  service: ServiceName,
  launch: () => Launch,
  { log, say = () => {} }: Options = {},
): Promise<Replica> {
  let child: ChildProcess;
  const supervised = await supervise({
    name: service,
    spawn() {
      const { environment, args = [PROGRAM, service], cwd } = launch();
      const output = log === undefined ? "inherit" : openSync(log, "a");
      child = spawn(process.execPath, args, {
        env: environment,
        cwd,
        // The process reports on the channel that it is ready, and ends with the channel.
        stdio: ["ignore", output, output, "ipc"],
        // Ctrl-C reaches the whole process group; they are stopped in order instead.
        detached: true,
      });
      // A frozen process does not end with the channel.
      if (child.pid) guard(child);
      if (typeof output === "number") closeSync(output);
      return child;
    },
    ready: async (started, died) => {
      const bound = AbortSignal.any([died, AbortSignal.timeout(READY_WITHIN_MS)]);
      await once(started, "message", { signal: bound }).catch((cause) => {
        const seconds = READY_WITHIN_MS / 1_000;
        throw new SetupError(`${service} is not ready after ${seconds} s`, { cause });
      });
    },
    explain: () => (log === undefined ? "" : `: ${readFileSync(log, "utf8")}`),
    say,
  });
  return {
    service,
    pid: supervised.pid,
    signal: (signal) => void process.kill(supervised.pid() as number, signal),
    async stop(signal = "SIGTERM", graceMs = STOP_WITHIN_MS) {
      await supervised.stop(signal, graceMs);
      return child.exitCode;
    },
  };
}

/** Stops the gateways first, so that their running requests find the other services. */
export async function stopReplicas(replicas: Replica[], graceMs?: number): Promise<void> {
  const stop = (replica: Replica) => replica.stop("SIGTERM", graceMs);
  await Promise.all(replicas.filter(({ service }) => service === "gateway").map(stop));
  await Promise.all(replicas.filter(({ service }) => service !== "gateway").map(stop));
}
