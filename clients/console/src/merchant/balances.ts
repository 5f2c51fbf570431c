// The balances of the business: its own wallets and its collection accounts.

import { type Item, readPage, type Session } from "../api.ts";

export type Wallet = Item<"GET /v1/business/{businessId}/wallets">;
export type CollectionAccount = Item<"GET /v1/business/{businessId}/collection-accounts">;

/** There is at most one of each in a currency. */
export interface Balances {
  wallets: Wallet[];
  collectionAccounts: CollectionAccount[];
}

export async function readBalances({ id: entityId }: Session): Promise<Balances> {
  const [wallets, collectionAccounts] = await Promise.all([
    readPage("GET /v1/business/{businessId}/wallets", { entityId }),
    readPage("GET /v1/business/{businessId}/collection-accounts", {}),
  ]);
  return { wallets: wallets.items, collectionAccounts: collectionAccounts.items };
}
