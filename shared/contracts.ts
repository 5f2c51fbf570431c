// Every action of every service: where the services meet, and the only thing they know of each other.

import { accounts } from "./contracts/accounts.ts";
import type { Contract, ParamsOf, ResultOf } from "./contracts/contract.ts";
import { linkedAccountLists } from "./contracts/linked-account-lists.ts";
import { linkedAccounts } from "./contracts/linked-accounts.ts";
import { paymentLinks } from "./contracts/payment-links.ts";
import { payouts } from "./contracts/payouts.ts";
import { subscriptions } from "./contracts/subscriptions.ts";
import { walletLedger } from "./contracts/wallet-ledger.ts";
import { webhooks } from "./contracts/webhooks.ts";

export const contracts = {
  ...accounts,
  ...linkedAccounts,
  ...linkedAccountLists,
  ...walletLedger,
  ...payouts,
  ...paymentLinks,
  ...subscriptions,
  ...webhooks,
};

export type ActionName = keyof typeof contracts;
export type Params<A extends ActionName> = ParamsOf<(typeof contracts)[A]>;
export type Result<A extends ActionName> = ResultOf<(typeof contracts)[A]>;

export function contractOf(name: ActionName): Contract {
  return contracts[name];
}
