// A service's process under test, in a process of its own as in production. It is started again
// when it dies, as in tools/commands/cluster.ts; a stopped one stays stopped.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ServiceName } from "../../shared/rpc/service-names.ts";
import { guard } from "../../tools/platform/processes.ts";
import { supervise } from "../../tools/platform/supervisor.ts";
import { inherited } from "./inherited.ts";

/** The runtime that the repository pins. */
const NODE = resolve("node_modules/.bin/node");
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
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** How a process is started. */
export interface Launch {
  environment: Record<string, string>;
  /** The folder of the code; this repository by default. */
  code?: string;
  /** Options of node. */
  options?: string[];
}

/** The program of `npm run start:service`; releases differ in its place. */
function programIn(code = "."): string {
  const { scripts } = JSON.parse(readFileSync(join(code, "package.json"), "utf8"));
  return scripts["start:service"].split(" ").at(-1);
}

/**
 * Starts a service; returns when it is ready.
 * @param log the file of its output
 * @param launch is asked before each start
 */
export async function startReplica(
  service: ServiceName,
  log: string,
  launch: () => Launch,
): Promise<Replica> {
  let child: ChildProcess;
  const supervised = await supervise({
    name: service,
    spawn() {
      const { environment, code, options = [] } = launch();
      const output = openSync(log, "a");
      child = spawn(NODE, [...options, programIn(code), service], {
        env: { ...inherited(), ...environment },
        cwd: code,
        // The process reports on the channel that it is ready.
        stdio: ["ignore", output, output, "ipc"],
        detached: true,
      });
      if (child.pid) guard(child);
      closeSync(output);
      return child;
    },
    ready: async (started, died) => {
      const bound = AbortSignal.any([died, AbortSignal.timeout(READY_WITHIN_MS)]);
      await once(started, "message", { signal: bound });
    },
    explain: () => `: ${readFileSync(log, "utf8")}`,
    say: () => {},
  });
  return {
    service,
    pid: supervised.pid,
    signal: (signal) => void process.kill(supervised.pid() as number, signal),
    async stop(signal = "SIGTERM") {
      await supervised.stop(signal, STOP_WITHIN_MS);
      return child.exitCode;
    },
  };
}
