// All actions and broadcast events. Services know only this about each other.

import { accounts } from "./contracts/accounts.ts";
import { applicationTokens } from "./contracts/application-tokens.ts";
import { auditLog } from "./contracts/audit-log.ts";
import { ledgerBooks } from "./contracts/books.ts";
import type { Contract, EventContract, ParamsOf, ResultOf } from "./contracts/contract.ts";
import { eventList } from "./contracts/event-list.ts";
import { ledgerHeads } from "./contracts/ledger-heads.ts";
import { linkedAccountLists } from "./contracts/linked-account-lists.ts";
import { linkedAccounts } from "./contracts/linked-accounts.ts";
import { paymentLinks } from "./contracts/payment-links.ts";
import { payments } from "./contracts/payments.ts";
import { payoutEvents, payouts } from "./contracts/payouts.ts";
import { personalData } from "./contracts/personal-data.ts";
import { subscriptions } from "./contracts/subscriptions.ts";
import { walletLedger } from "./contracts/wallet-ledger.ts";
import { webhooks } from "./contracts/webhooks.ts";
import type { Infer } from "./field.ts";

export const contracts = {
  ...accounts,
  ...applicationTokens,
  ...auditLog,
  ...linkedAccounts,
  ...linkedAccountLists,
  ...walletLedger,
  ...ledgerHeads,
  ...ledgerBooks,
  ...payouts,
  ...paymentLinks,
  ...payments,
  ...subscriptions,
  ...webhooks,
  ...eventList,
  ...personalData,
};

/** Events that a service broadcasts; a broadcast may be lost. */
export const events = payoutEvents satisfies Record<string, EventContract>;

export type ActionName = keyof typeof contracts;
export type Params<A extends ActionName> = ParamsOf<(typeof contracts)[A]>;
export type Result<A extends ActionName> = ResultOf<(typeof contracts)[A]>;
export type Payload<E extends keyof typeof events> = Infer<(typeof events)[E]["payload"]>;

export function contractFor(name: ActionName): Contract {
  return contracts[name];
}
