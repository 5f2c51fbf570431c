// Supervision: a child process that is there until it is told to stop. One that dies before it was
// ready the first time is an error of whoever starts it; one that dies later is started again, after a
// wait that grows up to a bound and begins anew once it has lived for a while.

import type { ChildProcess } from "node:child_process";
import { pause, type Say, SetupError } from "./processes.ts";

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
const STEADY_AFTER_MS = 10_000;

export interface Supervised {
  name: string;
  /** The process that is running now, if one is. */
  pid(): number | undefined;
  /** Asks it to end, forces it after the grace; through once it has gone, and it is not started again. */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<void>;
}

interface Options {
  name: string;
  spawn: () => ChildProcess;
  /** Through once the child does its work; given up by the signal where the child has died. */
  ready: (child: ChildProcess, died: AbortSignal) => Promise<void>;
  /** More to say about why it ended, such as the last line of its log. */
  explain?: () => string;
  say: Say;
}

/**
 * Starts a child process and keeps it running.
 * @returns once the child is ready
 * @throws SetupError where it ends, or is not ready, the first time
 */
export async function supervise(options: Options): Promise<Supervised> {
  const { name, say } = options;
  let stopping = false;
  let failures = 0;
  let child = options.spawn();
  let gone = exitOf(child);

  await firstReady(options, child, gone);

  async function keepRunning(): Promise<void> {
    let startedAt = Date.now();
    for (;;) {
      const reason = await gone;
      if (stopping) return;
      failures = Date.now() - startedAt > STEADY_AFTER_MS ? 0 : failures + 1;
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS);
      say(`${name} ended (${reason}); starting it again in ${waitMs} ms`);
      await pause(waitMs);
      if (stopping) return;
      startedAt = Date.now();
      child = options.spawn();
      gone = exitOf(child);
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

/** Waits for the first child to be ready; ends it and fails where that does not come about. */
async function firstReady(
  { name, ready, explain }: Options,
  child: ChildProcess,
  gone: Promise<string>,
): Promise<void> {
  const died = new AbortController();
  const death = gone.then((reason) => {
    died.abort();
    throw new SetupError(`${name} ended at its start (${reason})${explain?.() ?? ""}`);
  });
  // It dies one day; that is the supervisor's matter, not this function's.
  death.catch(() => {});
  try {
    await Promise.race([ready(child, died.signal), death]);
  } catch (error) {
    const hadDied = died.signal.aborted;
    child.kill("SIGKILL");
    await gone;
    // Why it died says more than that it was not ready.
    if (hadDied) await death;
    throw error;
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/** Resolves with how the child ended. */
function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
}
