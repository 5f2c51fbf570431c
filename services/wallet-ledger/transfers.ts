// Transfers of collected money move it to a wallet of the business itself, which can pay it out.

import type { Result } from "../../shared/contracts/contracts.ts";
import { failField } from "../../shared/errors.ts";
import { toDecimal } from "../../shared/money.ts";
import { type Paging, readPage } from "../../shared/storage/paging.ts";
import type { RequestKind } from "./by-reference.ts";
import type { Deps } from "./deps.ts";
import type { AccountNow } from "./reads.ts";
import { type AccountTransfer, transferPostings } from "./transfer.model.ts";
import type { WalletView } from "./wallets.ts";

export const transferKind: Omit<RequestKind<AccountTransfer>, "documents"> = {
  name: "collection-transfer",
  postings: transferPostings,
  freesReference: false,
  toEvent: () => null,
};

/**
 * Transfers money from a collection account. A repeated reference has the same result.
 * @param account a collection account of a business
 * @param wallet any wallet of the same business or of its end users
 * @param amountMinor in minor units
 * @throws VALIDATION if the wallet is not the business's own wallet in the account's currency;
 *   CONFLICT if the reference belongs to another amount or wallet; INSUFFICIENT_FUNDS,
 *   WALLET_DISABLED, BALANCE_BOUND; UNAVAILABLE if the outcome is not known yet: repeat the same
 *   call
 */
export async function transfer(
  { requests, newId }: Deps,
  { _id: accountId, currency }: AccountNow,
  wallet: WalletView,
  { amountMinor, reference }: { amountMinor: number; reference: string },
): Promise<AccountTransfer> {
  const { id: walletId, businessId, entityId } = wallet;
  if (entityId !== businessId || wallet.currency !== currency) {
    return failField("walletId", `must be the business's own wallet in ${currency}`);
  }
  return requests.transfers.perform({
    key: { accountId, reference },
    fields: { _id: newId(), businessId, accountId, reference, walletId, currency, amountMinor },
    isSame: (found) => found.amountMinor === amountMinor && found.walletId === walletId,
  });
}

/** The transfers from an account. A FAILED transfer left its money on the account. */
export async function listTransfers(
  { models }: Deps,
  accountId: string,
  paging: Paging,
): Promise<Result<"wallet-ledger.transfers">> {
  const { documents, meta } = await readPage(models.ledger_transfers, { accountId }, paging);
  return { items: documents.map(transferView), meta };
}

export function transferView(document: AccountTransfer): Result<"wallet-ledger.transfer"> {
  const { _id: id, accountId, walletId, status, currency, amountMinor } = document;
  return {
    id,
    status,
    collectionAccountId: accountId,
    walletId,
    amount: toDecimal(amountMinor),
    currency,
    reference: document.reference as string,
    createdAt: document.createdAt.toISOString(),
  };
}
