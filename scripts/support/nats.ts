// A real nats-server on this machine, which is started again on its port whenever it dies.

import { spawn } from "node:child_process";
import { connect } from "nats";
import { freePort } from "./ports.ts";
import { guard, pause, type Say, SetupError } from "./processes.ts";
import { supervise } from "./supervisor.ts";

const READY_WITHIN_MS = 15_000;

export interface NatsServer {
  url: string;
  pid(): number | undefined;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

interface Options {
  binary: string;
  say: Say;
}

/** Starts nats-server and waits until it answers. */
export async function startNats({ binary, say }: Options): Promise<NatsServer> {
  const port = await freePort();
  const url = `nats://127.0.0.1:${port}`;
  const start = () => {
    const child = spawn(binary, ["--addr", "127.0.0.1", "--port", String(port)], {
      stdio: "ignore",
      // Ctrl-C signals the whole process group, but the services need NATS until they have stopped.
      detached: true,
    });
    if (child.pid) guard(child);
    return child;
  };
  const { pid, stop } = await supervise({
    name: "nats-server",
    spawn: start,
    ready: (_child, died) => answers(url, died),
    say,
  });
  return { url, pid, stop };
}

async function answers(url: string, died: AbortSignal): Promise<void> {
  const end = Date.now() + READY_WITHIN_MS;
  while (!died.aborted && Date.now() < end) {
    try {
      const connection = await connect({ servers: url, timeout: 1_000, reconnect: false });
      await connection.close();
      return;
    } catch {
      await pause(25);
    }
  }
  throw new SetupError(`nats-server is not ready after ${READY_WITHIN_MS / 1000} s`);
}
