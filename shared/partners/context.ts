// The context that payrail gives the modules of partners. It has nothing of the process's own
// configuration, because a module is foreign code and needs none of payrail's keys.

import mongoose, { type mongo } from "mongoose";
import type { Context } from "../../partners/types.ts";
import type { Clock } from "../clock.ts";

/** The database of all modules of a kind, beside payrail's own: `payrail-rails`, for example. */
export function partnersDatabase(database: string, kind: "rails" | "acquirers"): string {
  return `${database}-${kind}`;
}

/**
 * The context of modules.
 * @param client of the process that asks the partners
 * @param database the name of payrail's own database
 */
export function createContext(
  client: mongo.MongoClient,
  database: string,
  kind: "rails" | "acquirers",
  { sandbox, clock, log }: { sandbox: boolean; clock: Pick<Clock, "now">; log: Context["log"] },
): Context {
  return {
    sandbox,
    database: client.db(partnersDatabase(database, kind), {
      writeConcern: { w: "majority", journal: true },
      readConcern: new mongoose.mongo.ReadConcern("majority"),
    }),
    now: () => clock.now(),
    log,
  };
}
