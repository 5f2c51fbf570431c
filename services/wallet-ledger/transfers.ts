// Transfers move collected money to a wallet of the business itself, which can pay it out. The two
// accounts may be in different partitions, so a transfer is two postings: from the account to
// `transit`, and from `transit` to the wallet. Only the first may be declined for lack of funds.
// Between the two the document is pending, and the sweeper posts again until the money has arrived.

import type { Model } from "mongoose";
import type { Result } from "../../shared/contracts/contracts.ts";
import { fail, failField } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { toDecimal } from "../../shared/money.ts";
import { type Paging, readPage } from "../../shared/storage/paging.ts";
import type { BlockLog } from "./block-log.ts";
import { type End, findOrInsert, postAgain, requireSuccess, settle } from "./by-reference.ts";
import type { AccountNow } from "./reads.ts";
import { type Transfer, transferPostings } from "./transfer.model.ts";
import type { WalletView } from "./wallets.ts";

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
  transfers: Model<Transfer>,
  post: (document: Transfer) => Promise<End>,
  account: AccountNow,
  wallet: WalletView,
  { amountMinor, reference }: Pick<Transfer, "amountMinor" | "reference">,
): Promise<Transfer> {
  const { _id: accountId, currency } = account;
  const { businessId, entityId } = wallet;
  if (entityId !== businessId || wallet.currency !== currency) {
    return failField("walletId", `must be the business's own wallet in ${currency}`);
  }
  const money = { walletId: wallet.id, currency, amountMinor };
  const found = await findOrInsert(
    transfers,
    { accountId, reference },
    { _id: newId(), businessId, accountId, reference, ...money, status: "PENDING" },
  );
  if (found.amountMinor !== amountMinor || found.walletId !== wallet.id) return fail("CONFLICT");
  return requireSuccess(await settle(transfers, found, post));
}

/**
 * Posts both halves of a transfer, for the first time or again.
 * @param at is called between the two halves
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
    // The wallet's balance would leave the safe integers: the money goes back to the account.
    if (await postAgain(log, postings.back)) return fail("UNAVAILABLE");
    return { status: "FAILED", declined: full };
  };
}

/** The transfers from an account. A FAILED transfer left its money on the account. */
export async function listTransfers(
  transfers: Model<Transfer>,
  accountId: string,
  paging: Paging,
): Promise<Result<"wallet-ledger.transfers">> {
  const { documents, meta } = await readPage(transfers, { accountId }, paging);
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
