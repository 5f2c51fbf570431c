// Adjustments: an operator's corrections of a wallet's balance, each a transaction. No other service
// reads or writes this collection; tools/verify/ reads it.

import { whereSet } from "../../shared/storage/indexes.ts";
import type { Postings } from "./referenced.model.ts";
import { transactionSchema, type WalletTransaction } from "./transaction.model.ts";

/** The id of the document is also the id of the transfer in the journal. */
export interface Adjustment extends WalletTransaction {
  direction: "CREDIT" | "DEBIT";
  /** The operator's reason. */
  note: string;
}

export const adjustmentSchema = transactionSchema<Adjustment>();
// A reference counts once for each wallet, among its adjustments.
adjustmentSchema.index({ walletId: 1, reference: 1 }, { unique: true, ...whereSet("reference") });

export function adjustmentPostings({
  _id: id,
  direction,
  walletId,
  currency,
  amountMinor,
}: Adjustment): Postings {
  const kind = direction === "CREDIT" ? "adjustment-credit" : "adjustment-debit";
  return { first: { id, kind, walletId, currency, amountMinor } };
}
