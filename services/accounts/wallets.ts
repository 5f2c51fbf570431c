// The calls of accounts to the ledger: the owner of a wallet. Accounts does not read balances.

import type { Result } from "../../shared/contracts/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { type Caller, call } from "../../shared/rpc/actions.ts";

/**
 * A SPEND wallet of a business.
 * @throws WALLET_NOT_FOUND if it does not exist, is another business's, or is no SPEND wallet
 */
export async function findWallet(
  caller: Caller,
  businessId: string,
  walletId: string,
): Promise<Result<"wallet-ledger.wallet">> {
  const wallet = await call(caller, "wallet-ledger.wallet", { businessId, walletId });
  return wallet.type === "SPEND" ? wallet : fail("WALLET_NOT_FOUND");
}
