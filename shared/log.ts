// Log lines. Code says a message and its details, in either order; pino alone would drop the details
// behind a message. Of an error only its words are told: what libraries hang on their errors (requests,
// parameters, documents) may carry account numbers and tokens.

import { inspect, types } from "node:util";
import type { LogFn, Logger } from "pino";

/** For pino's `hooks.logMethod`: every line passes here. */
export function logLine(this: Logger, args: unknown[], log: LogFn): void {
  const words: string[] = [];
  const fields: Record<string, unknown> = {};
  for (const part of args) {
    if (isError(part)) fields.error = wordsOf(part);
    else if (typeof part === "object" && part !== null) Object.assign(fields, told(part));
    else if (part !== undefined) words.push(typeof part === "string" ? part : inspect(part));
  }
  log.call(this, fields, words.join(" "));
}

/** Details with their errors in words. */
function told(details: object): Record<string, unknown> {
  const entries = Object.entries(details).map(([key, value]: [string, unknown]) => {
    return [key, isError(value) ? wordsOf(value) : value];
  });
  return Object.fromEntries(entries);
}

/** Those of another realm too. */
function isError(value: unknown): value is Error {
  return types.isNativeError(value) || value instanceof Error;
}

/** What may be told of an error. */
export function wordsOf(error: Error): Record<string, unknown> {
  const { name, message, type, code, stack } = error as Error & Record<string, unknown>;
  return { name, message, type, code, stack };
}
