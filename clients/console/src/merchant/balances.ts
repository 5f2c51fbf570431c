// The balances of the business: its own wallets and its collection accounts.

import { call, type Data, type Item, readPage, type Session } from "../api.ts";
import { nameOf } from "../pages/of-business.ts";
import type { Wallet } from "../pages/wallets.tsx";

export type CollectionAccount = Item<"GET /v1/business/{businessId}/collection-accounts">;

/** There is at most one of each in a currency. */
export interface Balances {
  wallets: Wallet[];
  collectionAccounts: CollectionAccount[];
}

/** A wallet with the end user who owns it; the owner is null if the business owns the wallet. */
export interface OwnedWallet extends Wallet {
  owner: Data<"GET /v1/business/{businessId}/entities/{entityId}"> | null;
}

export async function readWallet(session: Session, walletId: string): Promise<OwnedWallet> {
  const wallet = await call("GET /v1/business/{businessId}/wallets/{walletId}", { walletId });
  const { entityId } = wallet;
  if (entityId === session.id) return { ...wallet, owner: null };
  const owner = await call("GET /v1/business/{businessId}/entities/{entityId}", { entityId });
  return { ...wallet, owner };
}

export function walletInWords({ owner, currency }: OwnedWallet): string {
  return owner ? `${currency} wallet of ${nameOf(owner)}` : `Own ${currency} wallet`;
}

export async function readBalances({ id: entityId }: Session): Promise<Balances> {
  const [wallets, collectionAccounts] = await Promise.all([
    readPage("GET /v1/business/{businessId}/wallets", { entityId }),
    readPage("GET /v1/business/{businessId}/collection-accounts", {}),
  ]);
  return { wallets: wallets.items, collectionAccounts: collectionAccounts.items };
}
