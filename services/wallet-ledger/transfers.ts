// Transfers move collected money to a wallet of the business itself, which can pay it out. The two
// accounts may be in different partitions, so a transfer is two postings: from the account to
// `transit`, and from `transit` to the wallet. Only the first may be declined for lack of funds.
// Between the two the document is pending, and the sweeper posts again until the money has arrived.

import type { Result } from "../../shared/contracts/contracts.ts";
import { fail, failField } from "../../shared/errors.ts";
import { toDecimal } from "../../shared/money.ts";
import { type Paging, readPage } from "../../shared/storage/paging.ts";
import {
  findOrInsert,
  type PostingsEnd,
  postAgain,
  requireSuccess,
  settle,
} from "./by-reference.ts";
import type { Deps } from "./deps.ts";
import type { AccountNow } from "./reads.ts";
import { type AccountTransfer, transferPostings } from "./transfer.model.ts";
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
  deps: Deps,
  account: AccountNow,
  wallet: WalletView,
  { amountMinor, reference }: Pick<AccountTransfer, "amountMinor" | "reference">,
): Promise<AccountTransfer> {
  const { clock, newId } = deps;
  const { ledger_transfers: transfers } = deps.models;
  const { _id: accountId, currency } = account;
  const { businessId, entityId } = wallet;
  if (entityId !== businessId || wallet.currency !== currency) {
    return failField("walletId", `must be the business's own wallet in ${currency}`);
  }
  const money = { walletId: wallet.id, currency, amountMinor };
  const found = await findOrInsert(
    clock,
    transfers,
    { accountId, reference },
    { _id: newId(), businessId, accountId, reference, ...money, status: "PENDING" },
  );
  if (found.amountMinor !== amountMinor || found.walletId !== wallet.id) return fail("CONFLICT");
  const post = (document: AccountTransfer) => postTransfer(deps, document);
  return requireSuccess(await settle(clock, transfers, found, post));
}

/** Posts both halves of a transfer, for the first time or again. */
export async function postTransfer(
  { ledger: { log }, reached }: Deps,
  document: AccountTransfer,
): Promise<PostingsEnd> {
  const postings = transferPostings(document);
  const refused = await postAgain(log, postings.out);
  if (refused) return { status: "FAILED", declined: refused };
  reached("transfer-out-posted", document);
  const full = await postAgain(log, postings.in);
  if (!full) return { status: "SUCCESS" };
  // The wallet's balance would leave the safe integers: the money goes back to the account.
  if (await postAgain(log, postings.back)) return fail("UNAVAILABLE");
  return { status: "FAILED", declined: full };
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
