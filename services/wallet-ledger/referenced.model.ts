// The common part of the documents of requests under a caller's reference (by-reference.ts).

import type { Currency } from "../../shared/money.ts";
import type { Resumable } from "../../shared/resumable/document.ts";
import type { DeclineReason } from "./journal.model.ts";
import type { Posting } from "./postings.ts";

export interface Referenced extends Resumable<"PENDING" | "SUCCESS" | "FAILED"> {
  step: "post" | "closed";
  /** The caller's reference; unset if it may be used again, because nothing was moved. */
  reference?: string;
  /** The account that is credited or debited; of a transfer between two accounts see its model. */
  walletId: string;
  currency: Currency;
  amountMinor: number;
  declined?: DeclineReason;
  /** The balance of the account of the first posting after it, in minor units. */
  balanceMinor?: number;
  createdAt: Date;
  updatedAt: Date;
}

/** The fields of indexes and filters. */
export const referencedFields = {
  reference: String,
  walletId: String,
  currency: String,
  amountMinor: Number,
  createdAt: Date,
  updatedAt: Date,
} as const;

/** The postings of a request, in order; `back` is posted only if the second is refused. */
export interface Postings {
  first: Posting;
  second?: { in: Posting; back: Posting };
}
