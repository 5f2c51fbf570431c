// The directories of a development start: for its files, and for fetched programs.

import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { SetupError } from "./processes.ts";

/**
 * Makes a directory, readable only by its owner.
 * @param variable the one that names it
 * @throws SetupError
 */
export function makeDirectory(path: string, variable = "DATA_DIR"): void {
  try {
    makeEach(resolve(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SetupError(
      `${variable}: ${path} cannot be made (${code}); set ${variable} to a directory of yours.`,
    );
  }
}

/** Node's own `recursive` never returns where the system refuses with ENOENT, as /proc does. */
function makeEach(path: string): void {
  if (existsSync(path)) return;
  makeEach(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
