// A real nats-server on this machine, which is started again on its port whenever it dies.

import { spawn } from "node:child_process";
import { connect } from "nats";
import { natsOptions } from "../../shared/rpc/broker.ts";
import type { NatsUsers } from "./nats-users.ts";
import { freePort } from "./ports.ts";
import { guard, pause, type Say, SetupError } from "./processes.ts";
import { type Server, supervise } from "./supervisor.ts";

const READY_WITHIN_MS = 15_000;

interface Options {
  binary: string;
  say: Say;
  /** Without users, every client may do everything. */
  users?: NatsUsers;
}

/** @returns the server; its URL is that of internal systems */
export async function startNats({ binary, say, users }: Options): Promise<Server> {
  const port = await freePort();
  const url = users ? users.urlOf("internal", port) : `nats://127.0.0.1:${port}`;
  const args = ["--addr", "127.0.0.1", "--port", String(port)];
  if (users) args.push("--config", users.configPath);
  const start = () => {
    const child = spawn(binary, args, {
      stdio: "ignore",
      // Ctrl-C signals the whole process group, but the services need NATS until they have stopped.
      detached: true,
    });
    if (child.pid) guard(child);
    return child;
  };
  const supervised = await supervise({
    name: "nats-server",
    spawn: start,
    ready: (_child, died) => answers(url, died),
    say,
  });
  return { ...supervised, url };
}

async function answers(url: string, died: AbortSignal): Promise<void> {
  const end = Date.now() + READY_WITHIN_MS;
  while (!died.aborted && Date.now() < end) {
    try {
      const options = natsOptions({ natsUrl: url, natsCreds: null, natsCaFile: null });
      const connection = await connect({ ...options, timeout: 1_000, reconnect: false });
      await connection.close();
      return;
    } catch {
      await pause(25);
    }
  }
  throw new SetupError(`nats-server is not ready after ${READY_WITHIN_MS / 1000} s`);
}
