// The table of routes: every endpoint, who may call it and which action it is. Whatever needs more
// than a line has a file of its own.

import { withdrawalBody } from "../../shared/contracts/payouts.ts";
import type { Config } from "../../shared/env.ts";
import { healthRoutes } from "./health.ts";
import {
  ADMIN,
  created,
  createdOrThere,
  EXTERNAL_APIS,
  OWN_BUSINESS,
  PUBLIC,
  type Route,
  route,
} from "./route.ts";
import { refuseToken, tokenAnswer, tokenBody, tokenParams } from "./token.ts";
import { transactionRoutes } from "./transactions.ts";
import {
  withdrawalAnswer,
  withdrawalExample,
  withdrawalHeaders,
  withdrawalParams,
} from "./withdrawal.ts";

const BUSINESS = "/v1/business/:businessId";

/** All routes of a system with this configuration. */
export function routes({ sandbox }: Pick<Config, "sandbox">): Route[] {
  const table = [
    ...under("Tokens", tokens),
    ...under("Withdrawals", withdrawals),
    ...under("Transactions", transactionRoutes),
    ...under("Businesses and end users", businesses),
    ...under("Wallets", sandbox ? [...wallets, funding] : wallets),
    ...under("Linked accounts", linkedAccounts),
    ...under("Webhooks", webhooks),
  ];
  return [...table, ...under("Health", healthRoutes(table))];
}

function under(area: string, list: Route[]): Route[] {
  return list.map((each) => ({ ...each, area }));
}

const tokens = [
  route("POST /v1/oauth/token", PUBLIC, "accounts.issueToken", {
    from: tokenParams,
    body: tokenBody,
    takesForm: true,
    answer: tokenAnswer,
    refuse: refuseToken,
  }),
];

const withdrawals = [
  route(
    "POST /v1/ext/linked-accounts/:currency/:linkedAccountId/withdrawal",
    EXTERNAL_APIS,
    "payouts.withdraw",
    {
      from: withdrawalParams,
      body: withdrawalBody,
      headers: withdrawalHeaders,
      answer: withdrawalAnswer,
      outcomeMatters: true,
      example: withdrawalExample,
    },
  ),
];

const businesses = [
  route("POST /v1/admin/businesses", ADMIN, "accounts.createBusiness", {
    answer: created("accounts.createBusiness"),
  }),
  route(`POST ${BUSINESS}/entities`, OWN_BUSINESS, "accounts.createEntity", {
    answer: created("accounts.createEntity"),
  }),
  route(`GET ${BUSINESS}/entities`, OWN_BUSINESS, "accounts.entities"),
];

const wallets = [
  route(`POST ${BUSINESS}/wallets`, OWN_BUSINESS, "wallet-ledger.openWallet", {
    answer: createdOrThere("wallet-ledger.openWallet", "wallet"),
  }),
  route(`GET ${BUSINESS}/wallets/:walletId`, OWN_BUSINESS, "wallet-ledger.wallet"),
  route(`GET ${BUSINESS}/wallets/:walletId/entries`, OWN_BUSINESS, "wallet-ledger.entries"),
  route(`PATCH ${BUSINESS}/wallets/:walletId`, OWN_BUSINESS, "wallet-ledger.setDisabled"),
  route(
    `POST ${BUSINESS}/collection-accounts`,
    OWN_BUSINESS,
    "wallet-ledger.openCollectionAccount",
    {
      answer: createdOrThere("wallet-ledger.openCollectionAccount", "account"),
    },
  ),
  route(`GET ${BUSINESS}/collection-accounts`, OWN_BUSINESS, "wallet-ledger.collectionAccounts"),
];

/** Only in the sandbox: elsewhere wallets are credited by internal systems. */
const funding = route(
  `POST ${BUSINESS}/wallets/:walletId/fund`,
  OWN_BUSINESS,
  "wallet-ledger.fund",
  {
    answer: created("wallet-ledger.fund"),
  },
);

const linkedAccounts = [
  route(`POST ${BUSINESS}/linked-accounts/:currency`, OWN_BUSINESS, "accounts.linkAccount", {
    answer: created("accounts.linkAccount"),
  }),
  route(
    `DELETE ${BUSINESS}/linked-accounts/:currency/:linkedAccountId`,
    OWN_BUSINESS,
    "accounts.unlinkAccount",
  ),
  route(`POST ${BUSINESS}/application-tokens`, OWN_BUSINESS, "accounts.createApplicationToken", {
    answer: created("accounts.createApplicationToken"),
  }),
  route(`GET ${BUSINESS}/application-tokens`, OWN_BUSINESS, "accounts.applicationTokens"),
];

const webhooks = [
  route(`POST ${BUSINESS}/webhooks`, OWN_BUSINESS, "webhooks.createEndpoint", {
    answer: created("webhooks.createEndpoint"),
  }),
  route(`GET ${BUSINESS}/webhooks`, OWN_BUSINESS, "webhooks.endpoints"),
  route(`GET ${BUSINESS}/webhooks/:id`, OWN_BUSINESS, "webhooks.endpoint"),
  route(`PATCH ${BUSINESS}/webhooks/:id`, OWN_BUSINESS, "webhooks.updateEndpoint"),
  route(`DELETE ${BUSINESS}/webhooks/:id`, OWN_BUSINESS, "webhooks.deleteEndpoint"),
  route(`POST ${BUSINESS}/webhooks/:id/rotate-secret`, OWN_BUSINESS, "webhooks.rotateSecret"),
  route(`POST ${BUSINESS}/webhooks/:id/test`, OWN_BUSINESS, "webhooks.testEndpoint", {
    answer: created("webhooks.testEndpoint"),
  }),
  route(`GET ${BUSINESS}/webhooks/:id/deliveries`, OWN_BUSINESS, "webhooks.deliveries"),
];
