// The usage log of a subscription: each entry follows the one before it, by a number that is taken once,
// and says all that is known after it. So whoever adds one knows that nothing came between, and what was
// used in a period is settled by the entry that closes it: nothing enters a closed period.

import { Schema } from "mongoose";

/** Units are kept as whole millionths, in decimal digits: they may be more than a number holds. */
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
  /** The lowest period that is not closed after this entry; null: nothing is taken any more. */
  open: number | null;
  /** What was used in each period that is not closed, by its number. */
  periods: Record<string, PeriodUsage>;

  /** Of usage: the caller's reference, what was used and when (business's clock), where it counts. */
  reference?: string;
  units?: Millionths;
  at?: number;
  period?: number;
  isLate?: boolean;

  /** Of an entry that closes a period: which, and what was used in it. */
  closes?: number;
  closed?: PeriodUsage;
}

/** Only what filters and indexes name is typed here: documents are read and written as they are. */
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
// The order: a place is taken once.
usageSchema.index({ subscriptionId: 1, seq: 1 }, { unique: true });
// A reference counts once.
usageSchema.index(
  { subscriptionId: 1, reference: 1 },
  { unique: true, partialFilterExpression: { reference: { $exists: true } } },
);
// A period is closed once.
usageSchema.index(
  { subscriptionId: 1, closes: 1 },
  { unique: true, partialFilterExpression: { closes: { $exists: true } } },
);
// The list, newest first, of usage alone.
usageSchema.index(
  { subscriptionId: 1, _id: 1 },
  { partialFilterExpression: { reference: { $exists: true } } },
);
