// The counters of limits: what the payouts of an owner in a window come to. Only limit-counters.ts
// reads and writes them, each by a compare-and-set on `v`.

import { Schema } from "mongoose";

/** A payout is counted, or it was given back. */
export type Mark = "in" | "out";

export interface LimitCounter {
  /** The window, the currency, the method or `*`, and the owner (payout-limits.ts). */
  _id: string;
  v: number;
  /** The sum of the counted payouts without fees, and their number. */
  usedMinor: number;
  count: number;
  /** The payouts that do not say it themselves yet. */
  marks: Record<string, Mark>;
  /** The base: the same of the window's payouts that do not name the counter. */
  baseMinor: number;
  baseCount: number;
  /** When it was last read, epoch ms, and how long that took. */
  baseAt: number;
  baseMs: number;
  expiresAt: Date;
}

export const limitCounterSchema = new Schema<LimitCounter>(
  { _id: String, expiresAt: Date },
  { versionKey: false, strict: false },
);
limitCounterSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
