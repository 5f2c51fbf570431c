// The contexts that payrail gives the modules of partners. They have nothing of the process's own
// configuration, because a module is foreign code and needs none of payrail's keys.

import mongoose, { type mongo } from "mongoose";
import type { Context } from "../../partners/types.ts";
import type { Clock } from "../clock.ts";
import { isSandboxModule } from "./sandbox.ts";

/** The database of all modules of a kind, beside payrail's own: `payrail-rails`, for example. */
export function partnersDatabase(database: string, kind: "rails" | "acquirers"): string {
  return `${database}-${kind}`;
}

/** The context of the module at a path. */
export type ContextOf = (path: string) => Context;

export interface ContextFacts {
  sandbox: boolean;
  /** For the sandbox's rail: milliseconds between acceptance and settlement. */
  sandboxSettleMs?: number;
  clock: Pick<Clock, "now">;
  log: Context["log"];
}

/**
 * The contexts of modules. The sandbox's own modules get payrail's database, because running
 * sandboxes have their books there, and `npm run migrate` makes those collections.
 * @param client of the process that asks the partners
 * @param database the name of payrail's own database
 */
export function createContexts(
  client: mongo.MongoClient,
  database: string,
  kind: "rails" | "acquirers",
  { sandbox, sandboxSettleMs, clock, log }: ContextFacts,
): ContextOf {
  const common = { sandbox, now: () => clock.now(), log };
  const open = (name: string) =>
    client.db(name, {
      writeConcern: { w: "majority", journal: true },
      readConcern: new mongoose.mongo.ReadConcern("majority"),
    });
  const ofModules: Context = { ...common, database: open(partnersDatabase(database, kind)) };
  const ofSandbox = { ...common, database: open(database), settleMs: sandboxSettleMs };
  return (path) => (isSandboxModule(path) ? ofSandbox : ofModules);
}
