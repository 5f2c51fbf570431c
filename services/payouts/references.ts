// What reports need about payouts: the reference of the request, and the linked account that was
// paid, by which accounts knows the recipient.

import type { mongo } from "mongoose";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { MAJORITY } from "../../shared/storage/database.ts";
import type { Payout } from "./payout.model.ts";

/** The references of those ids that are payouts of the business. */
export async function readReferences(
  payouts: mongo.Collection<Payout>,
  { businessId, ids }: Params<"payouts.references">,
): Promise<Result<"payouts.references">> {
  const found = await payouts
    .find<Pick<Payout, "_id" | "linkedAccountId" | "reference">>(
      { _id: { $in: ids }, businessId },
      { ...MAJORITY, projection: { linkedAccountId: 1, reference: 1 } },
    )
    .toArray();
  return found.map(({ _id: id, linkedAccountId, reference = null }) => ({
    id,
    linkedAccountId,
    reference,
  }));
}
