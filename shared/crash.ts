// Crashes on demand: a test's process is killed where something comes by a named point. Nothing
// happens in production: the environment is read in tests alone.

import type { Config } from "./env.ts";

/**
 * Kills the process where PAYRAIL_CRASH_AT (`point:owner[:signal]`) names this point and owner.
 * @param owner an entity's or a business's id, so that what is arranged before comes by unharmed
 */
export function crashAt({ crashAt: where }: Config, passed: string, owner: string): void {
  const [point, named, signal = "SIGKILL"] = where?.split(":") ?? [];
  if (point === passed && named === owner) process.kill(process.pid, signal);
}
