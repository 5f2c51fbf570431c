// Transfers of collected money: from a collection account to a wallet of the business itself. No
// other service reads or writes this collection; tools/verify/ reads it.

import { resumableSchema } from "../../shared/resumable/schema.ts";
import { BY_EARLIER_RELEASE, earlierPending } from "./earlier-requests.ts";
import { type Postings, type Referenced, referencedFields } from "./referenced.model.ts";

/** The credited wallet is `walletId`. */
export interface AccountTransfer extends Referenced {
  /** The collection account. */
  accountId: string;
}

export const transferSchema = resumableSchema<AccountTransfer>({
  ...referencedFields,
  accountId: String,
});
// A reference counts once for each collection account.
transferSchema.index({ accountId: 1, reference: 1 }, { unique: true });
// The transfers of all businesses with a reference, for operators.
transferSchema.index({ reference: 1, _id: -1 });
// The transfers of an account.
transferSchema.index({ accountId: 1, _id: 1 });
transferSchema.index(BY_EARLIER_RELEASE, earlierPending);

export function transferPostings({
  _id,
  accountId,
  walletId,
  currency,
  amountMinor,
}: AccountTransfer): Postings {
  const money = { currency, amountMinor };
  return {
    first: { id: `${_id}:out`, kind: "transfer-out", walletId: accountId, ...money },
    second: {
      in: { id: `${_id}:in`, kind: "transfer-in", walletId, ...money },
      back: { id: `${_id}:back`, kind: "transfer-in", walletId: accountId, ...money },
    },
  };
}

/** The transfer and the part of it that a posting's id names; null for any other posting. */
export function parseTransferPart(
  id: string,
): { transferId: string; part: "out" | "in" | "back" } | null {
  const match = /^(.+):(out|in|back)$/.exec(id);
  return match && { transferId: match[1] as string, part: match[2] as "out" | "in" | "back" };
}
