// Work before the first write that counts: after any failure in it nothing was done.

import { errorType, fail } from "../../../shared/errors.ts";

/**
 * Returns the result of the work.
 * @param message the log line of a failure
 * @throws the errors of the work that have a `type`; UNAVAILABLE for any other failure
 */
export async function orUnavailable<T>(
  { log }: { log: { error(message: string, details: unknown): void } },
  message: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (errorType(error)) throw error;
    log.error(message, error);
    return fail("UNAVAILABLE");
  }
}
