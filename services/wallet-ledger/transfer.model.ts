// Transfers: from a collection account to a wallet of the business itself. A collection of
// wallet-ledger alone.

import { Schema } from "mongoose";
import type { Currency } from "../../shared/money.ts";
import { type Referenced, referencedFields } from "./by-reference.ts";

export interface Transfer extends Referenced {
  /** The collection account. */
  accountId: string;
  walletId: string;
  currency: Currency;
}

export const transferSchema = new Schema<Transfer>(
  {
    ...referencedFields,
    accountId: { type: String, required: true },
    walletId: { type: String, required: true },
    currency: { type: String, required: true },
  },
  { timestamps: true, versionKey: false },
);
// A reference counts once for each collection account.
transferSchema.index({ accountId: 1, reference: 1 }, { unique: true });
// The transfers of an account, oldest first.
transferSchema.index({ accountId: 1, _id: 1 });
// Transfers on their way: read by the sweeper, and by verification/.
transferSchema.index({ createdAt: 1 }, { partialFilterExpression: { status: "PENDING" } });
