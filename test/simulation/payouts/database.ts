// The payouts' database at the beginning of a schedule: one collection with its unique index over
// the held places in rate limits (as in payout.model.ts).

import type { Payout } from "../../../services/payouts/payout.model.ts";
import type { Doc } from "../query.ts";
import type { CollectionSetup } from "../replica-set.ts";

export const PAYOUTS: CollectionSetup = {
  name: "payouts",
  unique: [listPlaces as unknown as (doc: Doc) => string[]],
};

function listPlaces({ entityId, slot }: Payout): string[] {
  return slot === undefined ? [] : [`${entityId}#${slot}`];
}
