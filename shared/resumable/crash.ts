// Crashes on demand: a test kills a process at a named point. In production nothing happens,
// because only tests set the variable.

import type { Config } from "../config/config.ts";

/**
 * Kills the process if PAYRAIL_CRASH_AT (`point:owner[:signal]`) names this point and owner.
 * @param owner an entity's or a business's id, so that the test's own preparation passes the point
 *   unharmed
 */
export function crashAt(
  { crashAt: where }: Pick<Config, "crashAt">,
  passed: string,
  owner: string,
): void {
  const [point, named, signal = "SIGKILL"] = where?.split(":") ?? [];
  if (point === passed && named === owner) process.kill(process.pid, signal);
}
