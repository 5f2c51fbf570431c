// Transfers: from a collection account to a wallet of the business itself. No other service reads
// or writes this collection; tools/verify/ reads it.

import { Schema } from "mongoose";
import { type Referenced, referencedFields } from "./by-reference.ts";
import type { Posting } from "./postings.ts";

export interface AccountTransfer extends Referenced {
  /** The collection account. */
  accountId: string;
}

export const transferSchema = new Schema<AccountTransfer>(
  {
    ...referencedFields,
    accountId: { type: String, required: true },
  },
  { versionKey: false },
);
// A reference counts once for each collection account.
transferSchema.index({ accountId: 1, reference: 1 }, { unique: true });
// The transfers of all businesses with a reference, for operators.
transferSchema.index({ reference: 1, _id: -1 });
// The transfers of an account.
transferSchema.index({ accountId: 1, _id: 1 });
// Transfers on their way: read by the sweeper, and by tools/verify/.
transferSchema.index({ createdAt: 1 }, { partialFilterExpression: { status: "PENDING" } });

/** The postings of a transfer; `back` is posted only if the wallet cannot hold the money. */
export function transferPostings({
  _id,
  accountId,
  walletId,
  currency,
  amountMinor,
}: AccountTransfer) {
  const money = { currency, amountMinor };
  return {
    out: { id: `${_id}:out`, kind: "transfer-out", walletId: accountId, ...money },
    in: { id: `${_id}:in`, kind: "transfer-in", walletId, ...money },
    back: { id: `${_id}:back`, kind: "transfer-in", walletId: accountId, ...money },
  } satisfies Record<string, Posting>;
}

/** The transfer and the part of it that a posting's id names; null for any other posting. */
export function parseTransferPart(
  id: string,
): { transferId: string; part: "out" | "in" | "back" } | null {
  const match = /^(.+):(out|in|back)$/.exec(id);
  return match && { transferId: match[1] as string, part: match[2] as "out" | "in" | "back" };
}
