// The usage log of a subscription. Each entry has the next number, which only one entry can take,
// and carries the sums after it. So a writer knows that no entry came in between. The entry that
// closes a period settles its usage: no usage enters a closed period.

import { Schema } from "mongoose";
import { whereSet } from "../../../shared/storage/indexes.ts";

/** Units are whole millionths in decimal digits, because they may be more than a number holds. */
export type Millionths = string;

export interface PeriodUsage {
  units: Millionths;
  /** The part of them that belongs to earlier periods, which were closed already. */
  late: Millionths;
}

export interface UsageEntry {
  _id: string;
  subscriptionId: string;
  businessId: string;
  /** From 0, without gaps. */
  seq: number;
  /** The lowest period that is not closed after this entry; null: no usage is taken any more. */
  open: number | null;
  /** The usage in each period that is not closed, by its number. */
  periods: Record<string, PeriodUsage>;

  /**
   * A report: the caller's reference, its units and time (business's clock), the period it counts
   * in.
   */
  reference?: string;
  units?: Millionths;
  at?: number;
  period?: number;
  isLate?: boolean;

  /** An entry that closes a period: its number, and the usage in it. */
  closes?: number;
  closed?: PeriodUsage;
}

/**
 * Only fields of filters and indexes are typed here: documents are read and written as they are.
 */
export const usageSchema = new Schema<UsageEntry>(
  {
    _id: { type: String, required: true },
    subscriptionId: String,
    seq: Number,
    reference: String,
    closes: Number,
  },
  { versionKey: false, strict: false },
);
// The order: one entry takes a place.
usageSchema.index({ subscriptionId: 1, seq: 1 }, { unique: true });
// A reference counts once.
usageSchema.index({ subscriptionId: 1, reference: 1 }, { unique: true, ...whereSet("reference") });
// A period is closed once.
usageSchema.index({ subscriptionId: 1, closes: 1 }, { unique: true, ...whereSet("closes") });
// The list of reports, newest first.
usageSchema.index({ subscriptionId: 1, _id: 1 }, whereSet("reference"));
