// A mongod or a nats-server under test: a program on a port of its own, which the test kills,
// freezes and starts again with the same arguments. Nothing but the test starts it again.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { isListening } from "../../tools/platform/ports.ts";
import { guard } from "../../tools/platform/processes.ts";
import { until } from "./system.ts";

const LISTENS_WITHIN_MS = 30_000;

export interface Daemon {
  name: string;
  /** Its own port, behind the proxies. */
  port: number;
  isRunning(): boolean;
  /** Sends a signal; nothing happens if it does not run. */
  signal(signal: NodeJS.Signals): void;
  /** kill -9; returns after its end. */
  kill(): Promise<void>;
  /** Starts it if it does not run; returns when it listens. */
  start(): Promise<void>;
}

interface Options {
  name: string;
  port: number;
  command: string[];
  /** Details for the error of a start in vain, such as the path of its log. */
  explain: string;
}

export function createDaemon({ name, port, command, explain }: Options): Daemon {
  const [program = "", ...args] = command;
  let child: ChildProcess | undefined;
  const isRunning = () =>
    child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    name,
    port,
    isRunning,
    signal: (signal) => void child?.kill(signal),
    async kill() {
      if (!child || !isRunning()) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
    async start() {
      if (isRunning()) return;
      const started = spawn(program, args, { stdio: "ignore", detached: true });
      child = started;
      started.once("error", () => {});
      if (started.pid) guard(started);
      const listens = async () => {
        if (!isRunning()) throw new Error(`${name} ended at its start; ${explain}`);
        return isListening(port);
      };
      await until(listens, { within: LISTENS_WITHIN_MS, awaited: `${name}; ${explain}` });
    },
  };
}
