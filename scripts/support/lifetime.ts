// The life of a script: what it started is stopped in reverse order, whatever ends it (a signal, an
// error while it starts), within a bound; an error that somebody can mend is one sentence, not a stack.

import { ConfigError } from "../../shared/env.ts";
import { databaseProblem } from "./database-problem.ts";
import { endAtFault } from "./faults.ts";
import { type Say, SetupError } from "./processes.ts";

// Less than the 30 s after which Kubernetes kills.
const STOP_WITHIN_MS = 25_000;

export interface Lifetime {
  /** Registers how to stop what was just started. */
  onStop(stop: () => Promise<void>): void;
  /** Stops everything and ends the process. */
  end(exitCode: number): Promise<never>;
}

/** Progress goes to stderr: stdout is for what was asked for. */
export const say: Say = (line) => {
  process.stderr.write(`${line}\n`);
};

/**
 * Runs a script that goes on until it is told to stop (Ctrl-C, SIGTERM).
 * @param toldToStop the exit code then; where it is not 0, also the code of every failure, because
 *   the script's own exit code 1 is a verdict
 */
export async function live(
  start: (lifetime: Lifetime) => Promise<void>,
  toldToStop = 0,
): Promise<void> {
  const failed = toldToStop || 1;
  const stops: (() => Promise<void>)[] = [];
  let ending: Promise<never> | null = null;
  const lifetime: Lifetime = {
    onStop: (stop) => void stops.push(stop),
    end(exitCode) {
      ending ??= stopAll(stops, failed).then((clean) => process.exit(clean ? exitCode : failed));
      return ending;
    },
  };
  endAtFault(() => lifetime.end(failed));
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // Under a supervisor it is the supervisor who says it.
      if (ending === null && !process.send) say("Stopping");
      void lifetime.end(toldToStop);
    });
  }
  try {
    await start(lifetime);
  } catch (error) {
    // What fails because it is being stopped is no error.
    if (ending === null) report(error);
    await lifetime.end(failed);
  }
}

/** Runs a script that does one thing and ends. */
export async function once(body: () => Promise<number>): Promise<void> {
  endAtFault(() => process.exit(1));
  process.exitCode = await body().catch((error: unknown) => {
    report(error);
    return 1;
  });
}

/** What the operator can mend in one sentence; anything else is a fault of ours, with its stack. */
export function report(error: unknown): void {
  const problem = isExpected(error) ? error.message : databaseProblem(error);
  say(problem ?? (error instanceof Error ? (error.stack ?? error.message) : String(error)));
}

/** An error's code is a text of Node's, a number of MongoDB's, or not there. */
function isExpected(error: unknown): error is Error {
  if (error instanceof ConfigError || error instanceof SetupError) return true;
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" && code.startsWith("ERR_PARSE_ARGS");
}

/** Stops the last started first. What is registered meanwhile is stopped too. */
async function stopAll(stops: (() => Promise<void>)[], failed: number): Promise<boolean> {
  const bound = setTimeout(() => {
    say(`Not everything stopped within ${STOP_WITHIN_MS / 1000} s`);
    process.exit(failed);
  }, STOP_WITHIN_MS);
  let clean = true;
  for (let stop = stops.pop(); stop; stop = stops.pop()) {
    try {
      await stop();
    } catch (error) {
      clean = false;
      report(error);
    }
  }
  clearTimeout(bound);
  return clean;
}
