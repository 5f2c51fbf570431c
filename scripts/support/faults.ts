// Faults that no code caught: an exception, a rejected promise. Nothing is known of the process's state
// from then on, so it says the reason in its log, as every other line in words that repeat no input,
// stops what it started and ends with a code other than 0. Node alone would print the message as it is.

import { pino } from "pino";
import { logOptions } from "../../shared/log.ts";

/**
 * Ends this process at the first fault.
 * @param end stops what was started, within a bound of its own, and ends the process
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
