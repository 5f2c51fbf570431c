// The sandbox's own rail, acquirer and screening: the paths of their modules, and the name that no
// other module may have.

import { resolve } from "node:path";

/** The name of the rail, of the acquirer and of the screening. */
export const SANDBOX = "sandbox";

const FOLDER = resolve(import.meta.dirname, "../../partners/sandbox");
export const SANDBOX_RAIL = resolve(FOLDER, "rail.ts");
export const SANDBOX_ACQUIRER = resolve(FOLDER, "acquirer.ts");
export const SANDBOX_SCREENING = resolve(FOLDER, "screening.ts");

/** @param path from the working directory */
export function isSandboxModule(path: string): boolean {
  return [SANDBOX_RAIL, SANDBOX_ACQUIRER, SANDBOX_SCREENING].includes(resolve(path));
}
