// Supervision: keeps a child process running until it is stopped. If it dies before it is ready the
// first time, the start fails. If it dies later, it is started again after a delay that grows up to
// a bound and is reset once the child has lived for a while.

import type { ChildProcess } from "node:child_process";
import { pause, type Say, SetupError } from "./processes.ts";

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
const STEADY_AFTER_MS = 10_000;

export interface Supervised {
  name: string;
  pid(): number | undefined;
  /**
   * Asks the process to end and kills it after the grace; resolves after its end. It is not started
   * again.
   */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<void>;
}

/** A supervised server, and its address. */
export interface Server extends Supervised {
  url: string;
}

interface Options {
  name: string;
  spawn: () => ChildProcess;
  /** Resolves when the child works; the signal aborts after the child has died. */
  ready: (child: ChildProcess, died: AbortSignal) => Promise<void>;
  /** More about its end, such as the last line of its log. @param reason signal or exit code */
  explain?: (reason: string) => string;
  say: Say;
}

/**
 * Starts a child process and keeps it running.
 * @returns once the child is ready
 * @throws SetupError if the first child ends or is not ready in time
 */
export async function supervise(options: Options): Promise<Supervised> {
  const { name, say } = options;
  let stopping = false;
  let failures = 0;
  let child = options.spawn();
  let gone = describeExit(child);

  await firstReady(options, child, gone);

  async function keepRunning(): Promise<void> {
    let startedAt = Date.now();
    for (;;) {
      const reason = await gone;
      if (stopping) return;
      failures = Date.now() - startedAt > STEADY_AFTER_MS ? 0 : failures + 1;
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS);
      say(`${name} ended (${reason}); starting it again in ${waitMs} ms`);
      const more = options.explain?.(reason);
      if (more) say(`${name}${more}`);
      await pause(waitMs);
      if (stopping) return;
      startedAt = Date.now();
      child = options.spawn();
      gone = describeExit(child);
    }
  }
  const running = keepRunning();

  return {
    name,
    pid: () => (isRunning(child) ? child.pid : undefined),
    async stop(signal = "SIGTERM", graceMs = 15_000) {
      stopping = true;
      if (isRunning(child)) child.kill(signal);
      const force = setTimeout(() => child.kill("SIGKILL"), graceMs);
      await running;
      clearTimeout(force);
    },
  };
}

/** Waits for the first child to be ready; ends the child and fails if it is not. */
async function firstReady(
  { name, ready, explain }: Options,
  child: ChildProcess,
  gone: Promise<string>,
): Promise<void> {
  const died = new AbortController();
  const death = gone.then((reason) => {
    died.abort();
    throw new SetupError(`${name} ended at its start (${reason})${explain?.(reason) ?? ""}`);
  });
  // A later death is the supervisor's responsibility, not this function's.
  death.catch(() => {});
  try {
    await Promise.race([ready(child, died.signal), death]);
  } catch (error) {
    const hadDied = died.signal.aborted;
    child.kill("SIGKILL");
    await gone;
    // The reason of its death explains more than the timeout.
    if (hadDied) await death;
    throw error;
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

function describeExit(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
}
