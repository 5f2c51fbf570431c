// The payouts' database at the beginning of a schedule: the payouts with their unique indexes over
// the held places in rate limits, the Idempotency-Keys and the references (as in payout.model.ts),
// and the counters of limits.

import type { Payout } from "../../../services/payouts/payout.model.ts";
import type { Doc } from "../query.ts";
import type { CollectionSetup } from "../replica-set.ts";

export const PAYOUTS: CollectionSetup = {
  name: "payouts",
  unique: [listPlaces, listKeys, listNames] as unknown as ((doc: Doc) => string[])[],
};

function listKeys({ entityId, idempotencyKey }: Payout): string[] {
  return idempotencyKey === undefined ? [] : [`${entityId}/${idempotencyKey}`];
}

function listNames({ businessId, merchantKey, reference }: Payout): string[] {
  return [
    ...(merchantKey === undefined ? [] : [`${businessId}/key/${merchantKey}`]),
    ...(reference === undefined ? [] : [`${businessId}/reference/${reference}`]),
  ];
}

function listPlaces({ entityId, slot }: Payout): string[] {
  return slot === undefined ? [] : [`${entityId}#${slot}`];
}

export const COUNTERS: CollectionSetup = { name: "payout_limit_counters" };
