// The counters of limits: what the payouts of an owner in a window come to. Only payout-limits.ts reads and
// writes them, each by a compare-and-set on `v`.

import { Schema } from "mongoose";

export interface LimitCounter {
  /** The window, the currency, the method or `*`, and the owner (payout-limits.ts). */
  _id: string;
  v: number;
  /** The sum of the counted payouts without fees, and their number. */
  usedMinor: number;
  count: number;
  /**
   * The payouts of which it is not stored elsewhere that they are counted (`in`), or that they are
   * given back (`out`); a payout that is out is never counted.
   */
  marks: Record<string, "in" | "out">;
  /** Of the window's payouts that were accepted without the limit, as they were last read. */
  baseMinor: number;
  baseCount: number;
  /** Epoch ms. */
  baseAt: number;
  expiresAt: Date;
}

export const limitCounterSchema = new Schema<LimitCounter>(
  { _id: String, expiresAt: Date },
  { versionKey: false, strict: false },
);
limitCounterSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
