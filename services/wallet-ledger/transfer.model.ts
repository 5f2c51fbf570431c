// Transfers: from a collection account to a wallet of the business itself. No other service reads
// or writes this collection; verification/ reads it.

import { Schema } from "mongoose";
import { type Referenced, referencedFields } from "./by-reference.ts";

export interface Transfer extends Referenced {
  /** The collection account. */
  accountId: string;
}

export const transferSchema = new Schema<Transfer>(
  {
    ...referencedFields,
    accountId: { type: String, required: true },
  },
  { timestamps: true, versionKey: false },
);
// A reference counts once for each collection account.
transferSchema.index({ accountId: 1, reference: 1 }, { unique: true });
// The transfers of an account, oldest first.
transferSchema.index({ accountId: 1, _id: 1 });
// Transfers on their way: read by the sweeper, and by verification/.
transferSchema.index({ createdAt: 1 }, { partialFilterExpression: { status: "PENDING" } });
