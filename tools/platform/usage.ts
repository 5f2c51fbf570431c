// The arguments of commands that have no options: the environment configures them.

import { parseArgs } from "node:util";
import type { Lifetime } from "./lifetime.ts";
import { print } from "./output.ts";

/**
 * Prints the usage and ends the command if it was asked for help.
 * @throws an error that names an argument, because the command takes none
 */
export async function takeNoArguments(usage: string, lifetime: Lifetime): Promise<void> {
  const { help } = parseArgs({ options: { help: { type: "boolean", short: "h" } } }).values;
  if (!help) return;
  await print(usage);
  await lifetime.end(0);
}
