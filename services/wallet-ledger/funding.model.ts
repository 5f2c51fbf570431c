// Fundings: credits from outside, each a transaction. No other service
// reads or writes this collection; verification/ reads it.

import { Schema } from "mongoose";
import type { Currency } from "../../shared/money.ts";
import { type Referenced, referencedFields } from "./by-reference.ts";

/** Its id is also the transfer's in the journal. */
export interface Funding extends Referenced {
  walletId: string;
  entityId: string;
  currency: Currency;
}

export const fundingSchema = new Schema<Funding>(
  {
    ...referencedFields,
    walletId: { type: String, required: true },
    entityId: { type: String, required: true },
    currency: { type: String, required: true },
  },
  { timestamps: true, versionKey: false },
);
// A reference counts once for each wallet.
fundingSchema.index({ walletId: 1, reference: 1 }, { unique: true });
// The transactions of a business, newest first; of one of its entities.
fundingSchema.index({ businessId: 1, _id: -1 });
fundingSchema.index({ businessId: 1, entityId: 1, _id: -1 });
// Fundings whose process died before it heard of the posting.
fundingSchema.index({ createdAt: 1 }, { partialFilterExpression: { status: "PENDING" } });
