// Transfers: collected money goes to a wallet of the business itself, from where it can be paid out.
// The two may lie in different partitions, so it is two postings: out of the account to `transit`, and
// from `transit` to the wallet. Only the first may be declined for want of money; between the two the
// document is pending, and is gone on with until the money has arrived.

import type { Model } from "mongoose";
import type { Result } from "../../shared/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { toDecimal } from "../../shared/money.ts";
import { oldestFirst } from "../../shared/paging.ts";
import type { BlockLog } from "./block-log.ts";
import { type End, findOrInsert, postAgain, settle, told } from "./by-reference.ts";
import { transferPostings } from "./postings.ts";
import type { AccountNow } from "./reads.ts";
import type { Transfer } from "./transfer.model.ts";
import type { WalletView } from "./wallets.ts";

/**
 * Transfers from a collection account; the same reference has the same result.
 * @param account a collection account of a business
 * @param wallet any wallet of the same business or of its end users
 * @param amountMinor in minor units
 * @throws VALIDATION it is not the business's own wallet in the account's currency; CONFLICT the
 *   reference stands for another amount or wallet; INSUFFICIENT_FUNDS, WALLET_DISABLED,
 *   BALANCE_BOUND; UNAVAILABLE the outcome is not known yet: the same call answers it
 */
export async function transfer(
  transfers: Model<Transfer>,
  post: (document: Transfer) => Promise<End>,
  account: AccountNow,
  wallet: WalletView,
  { amountMinor, reference }: Pick<Transfer, "amountMinor" | "reference">,
): Promise<Transfer> {
  const { _id: accountId, currency } = account;
  const { businessId, entityId } = wallet;
  if (entityId !== businessId || wallet.currency !== currency) {
    return fail("VALIDATION", `walletId must be the business's own wallet in ${currency}`);
  }
  const money = { walletId: wallet.id, currency, amountMinor };
  const found = await findOrInsert(
    transfers,
    { accountId, reference },
    { _id: newId(), businessId, accountId, reference, ...money, status: "PENDING" },
  );
  if (found.amountMinor !== amountMinor || found.walletId !== wallet.id) return fail("CONFLICT");
  return told(await settle(transfers, found, post));
}

/**
 * Posts both halves of a transfer, or once more what of them was posted before.
 * @param at comes by between the two
 */
export function postTransfer(
  log: BlockLog,
  at: (point: "transfer-out-posted", document: Transfer) => void,
): (document: Transfer) => Promise<End> {
  return async (document) => {
    const postings = transferPostings(document);
    const refused = await postAgain(log, postings.out);
    if (refused) return { status: "FAILED", declined: refused };
    at("transfer-out-posted", document);
    const full = await postAgain(log, postings.in);
    if (!full) return { status: "SUCCESS" };
    // A wallet so full that it leaves the safe integers: the money goes back to where it was.
    if (await postAgain(log, postings.back)) return fail("UNAVAILABLE");
    return { status: "FAILED", declined: full };
  };
}

/** The transfers from an account, oldest first; one that FAILED has left its money where it was. */
export async function listTransfers(
  transfers: Model<Transfer>,
  accountId: string,
  paging: { page?: number; limit?: number },
): Promise<Result<"wallet-ledger.transfers">> {
  const { documents, meta } = await oldestFirst(transfers, { accountId }, paging);
  return { items: documents.map(transferView), meta };
}

export function transferView(document: Transfer): Result<"wallet-ledger.transfer"> {
  const { _id: id, accountId, walletId, status, currency, amountMinor, reference } = document;
  return {
    id,
    status,
    collectionAccountId: accountId,
    walletId,
    amount: toDecimal(amountMinor),
    currency,
    reference,
    createdAt: document.createdAt.toISOString(),
  };
}
