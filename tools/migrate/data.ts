// Data migrations: changes of stored documents, in the order in which they run. The services run
// meanwhile, of this release and of the previous one.

import type { mongo } from "mongoose";
import { storeSearchKeys } from "./end-users.ts";
import { storeTotals } from "./payout-totals.ts";
import { listUnlinked } from "./unlinked-accounts.ts";

export interface DataMigration {
  /** The SCHEMA_VERSION that needs it. */
  version: number;
  /** Its effect, as a line of the command's progress. */
  does: string;
  /** The collection whose documents it changes; the command's user may change no others. */
  changes: string;
  /**
   * Changes the documents that are not changed yet. It may be interrupted and repeated, and run
   * twice at the same time, so each write has a condition that the changed document does not meet.
   */
  run(db: mongo.Db): Promise<void>;
}

export const DATA_MIGRATIONS: DataMigration[] = [
  {
    version: 6,
    does: "Storing the search keys of end users",
    changes: "entities",
    run: storeSearchKeys,
  },
  {
    version: 6,
    does: "Storing the search keys of unlinked accounts",
    changes: "linked_accounts",
    run: listUnlinked,
  },
  { version: 6, does: "Storing the totals of payouts", changes: "payouts", run: storeTotals },
];
