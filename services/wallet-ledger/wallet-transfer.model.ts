// Transfers between two wallets of a business and its end users, each a transaction of the debited
// wallet. No other service reads or writes this collection; tools/verify/ reads it.

import { whereSet } from "../../shared/storage/indexes.ts";
import type { Postings } from "./referenced.model.ts";
import { transactionSchema, VISIBLE, type WalletTransaction } from "./transaction.model.ts";

export interface WalletTransfer extends WalletTransaction {
  /** The debited wallet is `walletId`. */
  toWalletId: string;
  description?: string;
}

export const walletTransferSchema = transactionSchema<WalletTransfer>({ toWalletId: String });
// A reference counts once for each business.
walletTransferSchema.index(
  { businessId: 1, reference: 1 },
  { unique: true, ...whereSet("reference") },
);
/** The transfers out of a wallet, and into it, newest first. */
export const FROM_WALLET = { walletId: 1, _id: -1 } as const;
export const TO_WALLET = { toWalletId: 1, _id: -1 } as const;
for (const index of [FROM_WALLET, TO_WALLET]) {
  walletTransferSchema.index(index, { partialFilterExpression: VISIBLE });
}

export function walletTransferPostings({
  _id,
  walletId,
  toWalletId,
  currency,
  amountMinor,
}: WalletTransfer): Postings {
  const money = { currency, amountMinor };
  const [out, arrival] = ["wallet-transfer-out", "wallet-transfer-in"] as const;
  return {
    first: { id: `${_id}:out`, kind: out, walletId, ...money },
    second: {
      in: { id: `${_id}:in`, kind: arrival, walletId: toWalletId, ...money },
      back: { id: `${_id}:back`, kind: arrival, walletId, ...money },
    },
  };
}
