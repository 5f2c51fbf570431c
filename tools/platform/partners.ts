// The modules of partners in commands: they log to the terminal, and their own work does not begin.

import type { mongo } from "mongoose";
import type { Rail } from "../../partners/types.ts";
import { systemClock } from "../../shared/clock.ts";
import type { Config } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { type ContextOf, createContexts } from "../../shared/partners/context.ts";
import { loadRails } from "../../shared/partners/load.ts";
import { say } from "./lifetime.ts";

/** @param db payrail's own database */
export function contextsFor(
  db: mongo.Db,
  kind: "rails" | "acquirers",
  { sandbox, sandboxSettleMs }: Pick<Config, "sandbox"> & Partial<Pick<Config, "sandboxSettleMs">>,
): ContextOf {
  const log = { info: say, warn: say, error: say };
  const facts = { sandbox, sandboxSettleMs, clock: systemClock, log };
  return createContexts(db.client, db.databaseName, kind, facts);
}

/**
 * The rails of RAILS.
 * @param db payrail's own database
 * @throws ConfigError if a module cannot be loaded
 */
export async function openRails(db: mongo.Db): Promise<Rail[]> {
  const config = loadConfig(process.env, "verify");
  const paths = Object.values(config.rails).flat();
  return [...(await loadRails(paths, contextsFor(db, "rails", config))).values()];
}
