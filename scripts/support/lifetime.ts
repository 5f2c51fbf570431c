// The life of a script: what it started is stopped in reverse order, whatever ends it (a signal, an
// error while it starts), within a bound; an error that somebody can mend is one sentence, not a stack.

import { ConfigError } from "../../shared/env.ts";
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
 * @param toldToStop the exit code then
 */
export async function live(
  start: (lifetime: Lifetime) => Promise<void>,
  toldToStop = 0,
): Promise<void> {
  const stops: (() => Promise<void>)[] = [];
  let ending: Promise<never> | null = null;
  const lifetime: Lifetime = {
    onStop: (stop) => void stops.push(stop),
    end(exitCode) {
      ending ??= stopAll(stops).then((clean) => process.exit(clean ? exitCode : 1));
      return ending;
    },
  };
  endAtFault(() => lifetime.end(toldToStop || 1));
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
    await lifetime.end(1);
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
  const { message, stack, code } = error as NodeJS.ErrnoException;
  const isExpected =
    error instanceof ConfigError ||
    error instanceof SetupError ||
    code?.startsWith("ERR_PARSE_ARGS");
  say(isExpected ? message : (stack ?? String(error)));
}

/** Stops the last started first. What is registered meanwhile is stopped too. */
async function stopAll(stops: (() => Promise<void>)[]): Promise<boolean> {
  const bound = setTimeout(() => {
    say(`Not everything stopped within ${STOP_WITHIN_MS / 1000} s`);
    process.exit(1);
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
