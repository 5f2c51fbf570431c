// The payouts' database as a schedule finds it: one collection with its one unique index (that of
// payout.model.ts), over the places in rate limits that are held.

import type { Payout } from "../../../services/payouts/payout.model.ts";
import type { Doc } from "../query.ts";
import type { CollectionSetup } from "../replica-set.ts";

export const PAYOUTS: CollectionSetup = {
  name: "payouts",
  unique: [placeOf as unknown as (doc: Doc) => string[]],
};

function placeOf({ entityId, slot }: Payout): string[] {
  return slot === undefined ? [] : [`${entityId}#${slot}`];
}
