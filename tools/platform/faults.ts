// Uncaught exceptions and rejected promises. After such a fault the state of the process is
// unknown, so the process logs the reason, stops the programs that it started, and ends with a code
// other than 0. The log line repeats no input, like every other line; Node alone would print the
// whole message.

import { pino } from "pino";
import { logOptions } from "../../shared/observability/log.ts";
import { nodeIdFor } from "../../shared/rpc/subjects.ts";

/**
 * Ends this process at the first fault.
 * @param end stops the programs that this process started, within its own time limit, and ends the
 *   process
 */
export function endAtFault(end: () => unknown): void {
  const onFault = (fault: string, reason: unknown) => {
    const text = typeof reason === "string" ? reason : `Not an error but ${typeof reason}`;
    const error = reason instanceof Error ? reason : new Error(text);
    // Not sooner, because a script sets its title when it begins.
    const service = process.title.replace(/^payrail-/, "");
    // Writes synchronously, because the process may end before a buffered line is written.
    const log = pino(logOptions("fatal", service), pino.destination({ dest: 2, sync: true }));
    log.fatal({ nodeID: nodeIdFor(service), error }, `${fault}: the process ends`);
    // A stop that was already running for another reason would end with 0.
    process.once("exit", (code) => {
      process.exitCode = code || 1;
    });
    end();
  };
  process.on("uncaughtException", (error) => onFault("An exception that no code caught", error));
  process.on("unhandledRejection", (reason) => onFault("A rejection that no code caught", reason));
}
