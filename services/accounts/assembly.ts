// Assembles the accounts' domain: makes its gathered operations and its opener, once for each
// process.

import type { Deps, Environment } from "./deps.ts";
import { gatherInserts } from "./lists/counts.ts";
import { createOpener } from "./opening.ts";

export function createDeps(environment: Environment): Deps {
  const { models, config, log } = environment;
  return {
    ...environment,
    opener: createOpener(config, (message) => log.warn(message)),
    insertCounted: gatherInserts(models.linked_accounts),
  };
}
