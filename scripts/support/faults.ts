// Faults that no code caught: an exception, a rejected promise. After a fault the state of the process is
// unknown, so the process logs the reason, stops the programs that it started, and ends with a code other
// than 0. The log line repeats no input, like every other line; Node alone would print the whole message.

import { pino } from "pino";
import { logOptions } from "../../shared/log.ts";

/**
 * Ends this process at the first fault.
 * @param end stops the programs that this process started, within a time limit of its own, and ends the
 *   process
 */
export function endAtFault(end: () => unknown): void {
  // At once: the process may end before a line that waits is written.
  const log = pino(logOptions("fatal"), pino.destination({ dest: 2, sync: true }));
  const onFault = (what: string, reason: unknown) => {
    const error = reason instanceof Error ? reason : new Error(wordsOf(reason));
    log.fatal({ error }, `${what}: the process ends`);
    // A stop that was under way for another reason would end with 0.
    process.once("exit", (code) => {
      process.exitCode = code || 1;
    });
    end();
  };
  process.on("uncaughtException", (error) => onFault("An exception that no code caught", error));
  process.on("unhandledRejection", (reason) => onFault("A rejection that no code caught", reason));
}

function wordsOf(reason: unknown): string {
  return typeof reason === "string" ? reason : `Not an error but ${typeof reason}`;
}
