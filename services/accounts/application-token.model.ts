// Application tokens of end users: to pay out once, or to link an account.

import { Schema } from "mongoose";
import type { Currency } from "../../shared/money.ts";

export interface ApplicationToken {
  _id: string;
  hash: string;
  lastFour: string;
  businessId: string;
  tokenType: "PAYOUT" | "ACCOUNT";
  entityId: string;
  currency: Currency;
  /** The required amount of the withdrawal, in minor units; null: any amount. */
  amountMinor: number | null;
  /** The business's own wallet that is debited; null: the entity's wallet. */
  merchantWalletId: string | null;
  expiresAt: Date;
  claimedFor: string | null;
  /** The last payouts that released the token; none of them can claim it again. */
  releasedFor: string[];
  createdAt: Date;
}

export const applicationTokenSchema = new Schema<ApplicationToken>(
  {
    _id: { type: String, required: true },
    hash: { type: String, required: true },
    lastFour: { type: String, required: true },
    businessId: { type: String, required: true },
    tokenType: { type: String, enum: ["PAYOUT", "ACCOUNT"], required: true },
    entityId: { type: String, required: true },
    currency: { type: String, required: true },
    amountMinor: { type: Number, default: null },
    merchantWalletId: { type: String, default: null },
    expiresAt: { type: Date, required: true },
    claimedFor: { type: String, default: null },
    releasedFor: { type: [String], required: true },
    createdAt: { type: Date, required: true },
  },
  { versionKey: false },
);
// For claims and releases, which find a token by its hash.
applicationTokenSchema.index({ hash: 1 }, { unique: true });
// The tokens of a business, and their number.
applicationTokenSchema.index({ businessId: 1, _id: 1 });
