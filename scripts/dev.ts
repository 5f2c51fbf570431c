// npm run dev: everything that npm start runs, started again at each change of the code, and the REPL
// beside it. MongoDB, nats-server and the REPL go on meanwhile. The REPL's `exit` stops everything.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { loadConfig } from "../shared/env.ts";
import { addressOf } from "./support/banner.ts";
import { untilReady } from "./support/demo.ts";
import { provideMongo, provideNats } from "./support/embedded.ts";
import { type Environment, quietly, withDevelopmentKeys } from "./support/environment.ts";
import { type Lifetime, live } from "./support/lifetime.ts";
import { requireFreePort } from "./support/preflight.ts";
import { guard } from "./support/processes.ts";

const WATCH = ["--watch", "--watch-preserve-output"];

process.title = "payrail-dev";

await live(async (lifetime) => {
  const environment = quietly(withDevelopmentKeys(process.env));
  const config = loadConfig(environment);
  await requireFreePort(config);
  const MONGO_URL = await provideMongo(config, lifetime);
  const NATS_URL = await provideNats(config, lifetime);
  const complete = { ...environment, MONGO_URL, NATS_URL };
  // A group of its own: Ctrl-C in a terminal reaches the REPL alone, which ends everything in order.
  const services = run([...WATCH, script("start.ts")], complete, { detached: true });
  stopWith(lifetime, services);
  await untilReady(addressOf(config));
  const repl = run([script("repl.ts")], complete, { detached: false });
  stopWith(lifetime, repl);
  repl.once("exit", () => void lifetime.end(0));
});

const script = (name: string) => join(import.meta.dirname, name);

function run(args: string[], env: Environment, { detached }: { detached: boolean }): ChildProcess {
  const stdin = detached ? "ignore" : "inherit";
  const stdio = [stdin, "inherit", "inherit"] as const;
  const child = spawn(process.execPath, args, { env, stdio: [...stdio], detached });
  guard(child);
  return child;
}

function stopWith(lifetime: Lifetime, child: ChildProcess): void {
  lifetime.onStop(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  });
}
