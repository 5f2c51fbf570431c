// npm run dev: everything that npm start runs, started again at each change of the code, and the
// REPL beside it. MongoDB, nats-server and the REPL go on meanwhile. The REPL's `exit` stops
// everything.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Variables } from "../../shared/config/env-reader.ts";
import { LAST_LINE } from "../platform/banner.ts";
import { watchConsole } from "../platform/console.ts";
import { type Lifetime, live } from "../platform/lifetime.ts";
import { guard } from "../platform/processes.ts";
import { takeNoArguments } from "../platform/usage.ts";
import { prepareStart } from "./start/embedded.ts";

const USAGE = `npm run dev

Starts everything, restarts it at each change of the code, and opens the REPL. "exit" stops it.
`;

const WATCH = ["--watch", "--watch-preserve-output"];

process.title = "payrail-dev";

await live(async (lifetime) => {
  await takeNoArguments(USAGE, lifetime);
  const { environment } = await prepareStart(lifetime, true);
  await watchConsole(lifetime);
  await banner(start("start.ts", WATCH, { ...environment, ...colours() }, "pipe", lifetime));
  const repl = start("repl.ts", [], environment, "inherit", lifetime);
  repl.once("exit", () => void lifetime.end(0));
});

/** Passes the output of the services on; resolves after the banner, because the prompt follows it. */
function banner({ stdout }: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let written = "";
  stdout?.on("data", (chunk: Buffer) => {
    process.stdout.write(chunk);
    if (written.includes(LAST_LINE)) return;
    written += chunk.toString();
    if (written.includes(LAST_LINE)) resolve();
  });
  return promise;
}

/** A process whose output is passed on does not see the terminal. */
function colours(): Variables {
  return process.stdout.isTTY && !process.env.NO_COLOR ? { FORCE_COLOR: "1" } : {};
}

function start(
  name: string,
  options: string[],
  env: Variables,
  stdout: "inherit" | "pipe",
  lifetime: Lifetime,
): ChildProcess {
  const child = spawn(process.execPath, [...options, join(import.meta.dirname, name)], {
    env,
    stdio: ["inherit", stdout, "inherit"],
  });
  guard(child);
  lifetime.onStop(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  });
  return child;
}
