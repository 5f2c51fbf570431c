// Fundings: credits from outside, each a transaction. A collection of wallet-ledger alone.

import { Schema } from "mongoose";
import type { Currency } from "../../shared/money.ts";

export interface Funding {
  /** Also the transfer's id in the journal. */
  _id: string;
  businessId: string;
  walletId: string;
  entityId: string;
  currency: Currency;
  amountMinor: number;
  reference: string;
  status: "PENDING" | "SUCCESS" | "FAILED";
  createdAt: Date;
  updatedAt: Date;
}

export const fundingSchema = new Schema<Funding>(
  {
    _id: { type: String, required: true },
    businessId: { type: String, required: true },
    walletId: { type: String, required: true },
    entityId: { type: String, required: true },
    currency: { type: String, required: true },
    amountMinor: { type: Number, required: true },
    reference: { type: String, required: true },
    status: { type: String, enum: ["PENDING", "SUCCESS", "FAILED"], required: true },
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
