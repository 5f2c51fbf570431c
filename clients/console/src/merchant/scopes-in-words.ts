// What each scope allows, in words. Reading needs no scope.

import type { Data } from "../api.ts";

export type ApiClient = Data<"GET /v1/business/{businessId}/api-clients/{clientId}">;
type Scope = ApiClient["scopes"][number];

export const SCOPES: Record<Scope, string> = {
  "external.apis":
    "Everything, also what no other scope allows: withdrawals, new payment links, API clients, and " +
    "erasing personal data",
  wallets:
    "Open and disable wallets, be told of low balances, open collection accounts, fund wallets in the sandbox",
  transfers: "Transfer collected money to the wallet of the business, move money between wallets",
  payouts: "Pay linked accounts, cancel payouts, set your own limits of payouts",
  "linked-accounts": "Link, rename and unlink accounts, make application tokens",
  "payment-links": "Disable payment links",
  refunds: "Refund payments",
  subscriptions: "Record usage, set seats, cancel subscriptions, link for another card, test clock",
  webhooks: "Manage webhook endpoints, send deliveries again",
};
