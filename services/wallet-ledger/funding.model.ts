// Fundings: credits from outside, each a transaction. No other service reads or writes this
// collection; tools/verify/ reads it.

import { BY_EARLIER_RELEASE, earlierPending } from "./earlier-requests.ts";
import type { Postings } from "./referenced.model.ts";
import { transactionSchema, type WalletTransaction } from "./transaction.model.ts";

/** The id of the document is also the id of the transfer in the journal. */
export type Funding = WalletTransaction;

// Each has a reference, so its indexes are those of the previous release, without a condition.
export const fundingSchema = transactionSchema<Funding>({}, {});
// A reference counts once for each wallet.
fundingSchema.index({ walletId: 1, reference: 1 }, { unique: true });
fundingSchema.index(BY_EARLIER_RELEASE, earlierPending);

export function fundingPostings({ _id: id, walletId, currency, amountMinor }: Funding): Postings {
  return { first: { id, kind: "funding", walletId, currency, amountMinor } };
}
