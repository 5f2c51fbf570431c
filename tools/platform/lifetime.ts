// The life of a script: it stops everything that it started, in reverse order and within a bound,
// after a signal or an error. It reports an error that an operator can fix as one sentence without
// a stack. close-with-grace is not used: it exits with 1 on a second signal, which a Ctrl-C under
// npm sends, before the database is stopped; and its exit code of an error is always 1, which is a
// verdict of some scripts.

import { ConfigError } from "../../shared/config/config.ts";
import { findMisspelt } from "../../shared/config/env.ts";
import { databaseProblem } from "./database-problem.ts";
import { endAtFault } from "./faults.ts";
import { type Say, SetupError } from "./processes.ts";

// Less than the 30 s after which Kubernetes kills the process.
const STOP_WITHIN_MS = 29_000;

export interface Lifetime {
  /** Registers how to stop a part that was just started. */
  onStop(stop: () => Promise<void>): void;
  end(exitCode: number): Promise<never>;
}

/** Writes progress to stderr, because stdout is for the result. */
export const say: Say = (line) => {
  process.stderr.write(`${line}\n`);
};

/**
 * Runs a script until it ends its lifetime or is stopped (Ctrl-C, SIGTERM).
 * @param toldToStop the exit code of a stop; if it is not 0, also the code of every failure,
 *   because exit code 1 is a verdict of the script
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
      // Under a supervisor, the supervisor writes this line.
      if (ending === null && !process.send) say("Stopping");
      void lifetime.end(toldToStop);
    });
  }
  // Under a supervisor, the supervisor has named them.
  if (!process.send) for (const line of findMisspelt(process.env)) say(line);
  try {
    await start(lifetime);
  } catch (error) {
    // An error during the stop is a consequence of the stop.
    if (ending === null) await report(error);
    await lifetime.end(failed);
  }
}

/**
 * Reports an error that the operator can fix in one sentence; any other error is a fault of payrail
 * and gets its stack.
 */
async function report(error: unknown): Promise<void> {
  const problem = isExpected(error) ? error.message : await databaseProblem(error);
  say(problem ?? (error instanceof Error ? (error.stack ?? error.message) : String(error)));
}

/** The code of an error is a string of Node, a number of MongoDB, or missing. */
function isExpected(error: unknown): error is Error {
  if (error instanceof ConfigError || error instanceof SetupError) return true;
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" && code.startsWith("ERR_PARSE_ARGS");
}

/** Stops the last started part first. Also stops parts that are registered meanwhile. */
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
      await report(error);
    }
  }
  clearTimeout(bound);
  return clean;
}
