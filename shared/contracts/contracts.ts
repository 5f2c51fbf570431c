// All actions and broadcast events. Services know only this about each other.

import { accounts } from "./accounts.ts";
import { applicationTokens } from "./application-tokens.ts";
import { auditLog } from "./audit-log.ts";
import { ledgerBooks } from "./books.ts";
import type { Contract, EventContract, ParamsOf, ResultOf } from "./contract.ts";
import { controlling } from "./controls.ts";
import { eventList } from "./event-list.ts";
import type { Infer } from "./field.ts";
import { ledgerHeads } from "./ledger-heads.ts";
import { linkedAccountLists } from "./linked-account-lists.ts";
import { linkedAccounts } from "./linked-accounts.ts";
import { parties } from "./parties.ts";
import { paymentLinks } from "./payment-links.ts";
import { payments } from "./payments.ts";
import { payoutEvents, payouts } from "./payouts.ts";
import { personalData } from "./personal-data.ts";
import { reports } from "./reports.ts";
import { subscriptions } from "./subscriptions.ts";
import { walletLedger } from "./wallet-ledger.ts";
import { webhooks } from "./webhooks.ts";

export const contracts = {
  ...accounts,
  ...applicationTokens,
  ...auditLog,
  ...controlling,
  ...linkedAccounts,
  ...linkedAccountLists,
  ...parties,
  ...walletLedger,
  ...ledgerHeads,
  ...ledgerBooks,
  ...reports,
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
