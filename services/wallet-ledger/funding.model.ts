// Fundings: credits from outside, each a transaction. No other service reads or writes this
// collection; tools/verify/ reads it.

import { Schema } from "mongoose";
import { type Referenced, referencedFields } from "./by-reference.ts";

/** The id of the document is also the id of the transfer in the journal. */
export interface Funding extends Referenced {
  entityId: string;
}

export const fundingSchema = new Schema<Funding>(
  {
    ...referencedFields,
    entityId: { type: String, required: true },
  },
  { versionKey: false },
);
// A reference counts once for each wallet.
fundingSchema.index({ walletId: 1, reference: 1 }, { unique: true });
/** The transactions of a business, newest first, all and by each filter. */
export const OF_BUSINESS = { businessId: 1, _id: -1 } as const;
export const BY_STATUS = { businessId: 1, status: 1, _id: -1 } as const;
export const BY_ENTITY = { businessId: 1, entityId: 1, _id: -1 } as const;
/** The fundings with a reference, of one business and of all. */
export const BY_REFERENCE = { reference: 1, businessId: 1, _id: -1 } as const;
export const BY_AMOUNT = { businessId: 1, amountMinor: 1, _id: -1 } as const;
for (const index of [OF_BUSINESS, BY_STATUS, BY_ENTITY, BY_REFERENCE, BY_AMOUNT]) {
  fundingSchema.index(index);
}
// Pending fundings, oldest first: the sweeper settles the fundings of dead processes.
fundingSchema.index({ createdAt: 1 }, { partialFilterExpression: { status: "PENDING" } });
