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
// The fundings with a reference, of one business and of all.
fundingSchema.index({ reference: 1, businessId: 1, _id: -1 });
// The transactions of a business, newest first, all and by each filter.
fundingSchema.index({ businessId: 1, _id: -1 });
fundingSchema.index({ businessId: 1, status: 1, _id: -1 });
fundingSchema.index({ businessId: 1, entityId: 1, _id: -1 });
// Pending fundings, oldest first: the sweeper settles the fundings of dead processes.
fundingSchema.index({ createdAt: 1 }, { partialFilterExpression: { status: "PENDING" } });
