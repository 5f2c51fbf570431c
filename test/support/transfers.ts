// For tests of transfers: merchants with a collection account and a wallet, and requests of
// transfers.

import { randomUUID } from "node:crypto";
import type { TestBusiness, World } from "./world.ts";

export interface Merchant {
  business: TestBusiness;
  /** The collection account, which holds 100.00. */
  accountId: string;
  /** The empty wallet of the business itself. */
  walletId: string;
}

export async function createMerchant(world: World, collected = 100): Promise<Merchant> {
  const business = await world.business();
  const accountId = await world.collectionAccount(business, collected);
  const { id: walletId } = await world.wallet(business, business);
  return { business, accountId, walletId };
}

export const transfersPath = ({ business, accountId }: Merchant) =>
  `/v1/business/${business.id}/collection-accounts/${accountId}/transfers`;

/** Requests a transfer of 40.00 from the collection account to the wallet. */
export function transfer(world: World, from: Merchant, body: Record<string, unknown> = {}) {
  const whole = { walletId: from.walletId, amount: 40, reference: randomUUID(), ...body };
  return world.http.post(transfersPath(from), whole, { token: from.business.token });
}

/** The balances of the collection account and of the wallet. */
export const readBalances = (world: World, { business, accountId, walletId }: Merchant) =>
  Promise.all([accountId, walletId].map((id) => world.balance(business, { id })));
