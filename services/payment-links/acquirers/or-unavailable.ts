// Work before anything is stored that counts: whatever fails there, nothing was done.

import { fail, typeOf } from "../../../shared/errors.ts";

/**
 * The result of the work.
 * @param what was not done where it fails; for the log
 * @throws its own errors, by `type`; UNAVAILABLE whatever else failed
 */
export async function orUnavailable<T>(
  { log }: { log: { error(message: string, details: unknown): void } },
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (typeOf(error)) throw error;
    log.error(what, error);
    return fail("UNAVAILABLE");
  }
}
