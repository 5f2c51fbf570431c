// Transfers between two wallets of a business: its own and those of its end users. Each is one
// transaction, of the debited wallet.

import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { fail, failField } from "../../shared/errors.ts";
import { toDecimal, toMinor } from "../../shared/money.ts";
import { newestOf } from "../../shared/storage/search.ts";
import { transactionQuery } from "../../shared/storage/transaction-query.ts";
import type { RequestKind } from "./by-reference.ts";
import type { Deps } from "./deps.ts";
import { payloadOf } from "./events.ts";
import { OF_BUSINESS, VISIBLE } from "./transaction.model.ts";
import {
  FROM_WALLET,
  TO_WALLET,
  type WalletTransfer,
  walletTransferPostings,
} from "./wallet-transfer.model.ts";
import type { WalletView } from "./wallets.ts";

export const walletTransferKind: Omit<RequestKind<WalletTransfer>, "documents"> = {
  name: "transfer",
  postings: walletTransferPostings,
  freesReference: true,
  toEvent(transfer, at) {
    const { toWalletId, description: reason = "" } = transfer;
    const payload = { ...payloadOf(transfer, at), toWalletId, reason };
    return { eventType: "TRANSFER", status: "SUCCEEDED", payload };
  },
};

type Asked = Omit<Params<"wallet-ledger.move">, "businessId" | "fromWalletId" | "toWalletId"> & {
  deadline?: number;
};

/**
 * Moves money from one wallet to another. A repeated reference has the same result; that of a
 * declined transfer may be used again.
 * @throws VALIDATION if both are one wallet, or have different currencies; CONFLICT if the
 *   reference belongs to another transfer of the business; BUSINESS_FROZEN, ENTITY_FROZEN,
 *   WALLET_FROZEN if the debited wallet or its owner is stopped; INSUFFICIENT_FUNDS,
 *   WALLET_DISABLED, BALANCE_BOUND; UNAVAILABLE if the outcome is not known yet: repeat the same call
 */
export async function move(
  { requests, newId, controls }: Deps,
  from: WalletView,
  to: WalletView,
  { amount, reference, description, deadline }: Asked,
): Promise<WalletTransfer> {
  if (to.id === from.id) return failField("toWalletId", "must be another wallet");
  if (to.currency !== from.currency) {
    return failField("toWalletId", `must be a wallet in ${from.currency}`);
  }
  const { businessId, entityId, currency } = from;
  const asked = {
    walletId: from.id,
    toWalletId: to.id,
    amountMinor: toMinor(amount) as number,
    ...(description !== undefined && { description }),
  };
  return requests.walletTransfers.perform({
    key: { businessId, reference },
    deadline,
    fields: { _id: newId(), businessId, entityId, currency, reference, ...asked },
    isSame: (found) =>
      found.walletId === asked.walletId &&
      found.toWalletId === asked.toWalletId &&
      found.amountMinor === asked.amountMinor &&
      found.description === asked.description,
    permit: () => controls.refuse("transfer", { businessId, entityId, walletId: from.id }),
  });
}

/**
 * The transfers of a business, or those out of and into one of its wallets, newest first; `from` is
 * inclusive, `to` exclusive.
 */
export async function listWalletTransfers(
  { models }: Deps,
  { businessId, walletId, cursor, limit, ...made }: Params<"wallet-ledger.walletTransfers">,
): Promise<Result<"wallet-ledger.walletTransfers">> {
  const { ledger_wallet_transfers: transfers } = models;
  const filter = { ...VISIBLE, ...transactionQuery<WalletTransfer>({ businessId, ...made }) };
  const ranges =
    walletId === undefined
      ? [{ filter, hint: OF_BUSINESS }]
      : [
          { filter: { ...filter, walletId }, hint: FROM_WALLET },
          { filter: { ...filter, toWalletId: walletId }, hint: TO_WALLET },
        ];
  const { documents, nextCursor } = await newestOf(transfers, ranges, { cursor, limit });
  return { items: documents.map(walletTransferView), meta: { nextCursor } };
}

/** @throws TRANSFER_NOT_FOUND */
export async function findWalletTransfer(
  { models }: Deps,
  { businessId, id }: Params<"wallet-ledger.walletTransfer">,
): Promise<Result<"wallet-ledger.walletTransfer">> {
  const { ledger_wallet_transfers: transfers } = models;
  const found = await transfers
    .findOne({ _id: id, businessId, ...VISIBLE })
    .readConcern("majority")
    .lean<WalletTransfer>();
  return found ? walletTransferView(found) : fail("TRANSFER_NOT_FOUND");
}

/** The statuses as a transfer shows them. */
const SHOWN = { PENDING: "PENDING", SUCCESS: "SUCCEEDED", FAILED: "FAILED" } as const;

export function walletTransferView(
  transfer: WalletTransfer,
): Result<"wallet-ledger.walletTransfer"> {
  const { _id: id, status, walletId, toWalletId, currency, amountMinor } = transfer;
  return {
    id,
    status: SHOWN[status],
    fromWalletId: walletId,
    toWalletId,
    amount: toDecimal(amountMinor),
    currency,
    reference: transfer.reference as string,
    description: transfer.description ?? null,
    createdAt: transfer.createdAt.toISOString(),
  };
}
