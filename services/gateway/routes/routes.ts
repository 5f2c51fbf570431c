// The table of routes: every endpoint, who may call it and which action it is. Whatever needs more
// than a line has a file of its own.

import { internationalLink } from "../../../shared/contracts/international-data.ts";
import { withdrawalBody } from "../../../shared/contracts/payouts.ts";
import type { Config } from "../../../shared/env.ts";
import {
  accepted,
  created,
  createdOrThere,
  EXTERNAL,
  EXTERNAL_APIS,
  OWN_BUSINESS,
  ownBusinessWith,
  PUBLIC,
  type Route,
  route,
} from "../http/route.ts";
import { attentionRoutes } from "./attention.ts";
import { businessRoutes, clientRoutes } from "./businesses.ts";
import { healthRoutes } from "./health.ts";
import { internationalAnswer, internationalExample, internationalParams } from "./international.ts";
import { linkedAccountListRoutes } from "./linked-account-lists.ts";
import { checkoutRoutes, linkRoutes } from "./payment-links.ts";
import { cardVault, paymentRoutes, payRoutes } from "./payments.ts";
import { setupRoutes, subscriptionRoutes, testClock } from "./subscriptions.ts";
import { tokenAnswer, tokenBody, tokenErrors, tokenExample, tokenParams } from "./token.ts";
import { resolveRoute, transactionRoutes } from "./transactions.ts";
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
    ...under("Operators", [...attentionRoutes, resolveRoute]),
    ...under("Businesses and end users", businessRoutes),
    ...under("API clients", clientRoutes),
    ...under("Wallets", sandbox ? [...wallets, funding] : wallets),
    ...under("Linked accounts", [...linkedAccountListRoutes, ...linkedAccounts]),
    ...under("Payment links", linkRoutes),
    ...under("Checkout", [
      ...checkoutRoutes,
      ...payRoutes,
      ...setupRoutes,
      ...(sandbox ? [cardVault] : []),
    ]),
    ...under("Payments", paymentRoutes),
    ...under("Subscriptions", [...subscriptionRoutes, ...(sandbox ? [testClock] : [])]),
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
    errorForm: tokenErrors,
    example: tokenExample,
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
      unknownAs: "OUTCOME_UNKNOWN",
      example: withdrawalExample,
    },
  ),
];

const wallets = [
  route(`POST ${BUSINESS}/wallets`, ownBusinessWith("wallets"), "wallet-ledger.openWallet", {
    answer: createdOrThere("wallet-ledger.openWallet", "wallet"),
  }),
  route(`GET ${BUSINESS}/wallets`, OWN_BUSINESS, "wallet-ledger.businessWallets"),
  route(`GET ${BUSINESS}/wallets/:walletId`, OWN_BUSINESS, "wallet-ledger.wallet"),
  route(`GET ${BUSINESS}/wallets/:walletId/entries`, OWN_BUSINESS, "wallet-ledger.entries"),
  route(
    `PATCH ${BUSINESS}/wallets/:walletId`,
    ownBusinessWith("wallets"),
    "wallet-ledger.setDisabled",
  ),
  route(
    `POST ${BUSINESS}/collection-accounts`,
    ownBusinessWith("wallets"),
    "wallet-ledger.openCollectionAccount",
    {
      answer: createdOrThere("wallet-ledger.openCollectionAccount", "account"),
    },
  ),
  route(`GET ${BUSINESS}/collection-accounts`, OWN_BUSINESS, "wallet-ledger.collectionAccounts"),
  route(
    `POST ${BUSINESS}/collection-accounts/:id/transfers`,
    ownBusinessWith("transfers"),
    "wallet-ledger.transfer",
    { answer: created("wallet-ledger.transfer") },
  ),
  route(
    `GET ${BUSINESS}/collection-accounts/:id/transfers`,
    OWN_BUSINESS,
    "wallet-ledger.transfers",
  ),
];

/** Only in the sandbox: elsewhere wallets are credited by internal systems. */
const funding = route(
  `POST ${BUSINESS}/wallets/:walletId/fund`,
  ownBusinessWith("wallets"),
  "wallet-ledger.fund",
  { answer: created("wallet-ledger.fund") },
);

const linkedAccounts = [
  route(
    `POST ${BUSINESS}/linked-accounts/:currency`,
    ownBusinessWith("linked-accounts"),
    "accounts.linkAccount",
    { answer: created("accounts.linkAccount") },
  ),
  route(
    `DELETE ${BUSINESS}/linked-accounts/:currency/:linkedAccountId`,
    ownBusinessWith("linked-accounts"),
    "accounts.unlinkAccount",
  ),
  route(
    `PATCH ${BUSINESS}/linked-accounts/:currency/:linkedAccountId`,
    ownBusinessWith("linked-accounts"),
    "accounts.renameLinkedAccount",
  ),
  route(
    "POST /v1/ext/application-token/:token/linked-accounts/:currency/link/international_bank/:step",
    EXTERNAL,
    "accounts.linkInternational",
    {
      from: internationalParams,
      body: internationalLink,
      answer: internationalAnswer,
      example: internationalExample,
    },
  ),
  route(
    `POST ${BUSINESS}/application-tokens`,
    ownBusinessWith("linked-accounts"),
    "accounts.createApplicationToken",
    { answer: created("accounts.createApplicationToken") },
  ),
  route(`GET ${BUSINESS}/application-tokens`, OWN_BUSINESS, "accounts.applicationTokens"),
];

const webhooks = [
  route(`POST ${BUSINESS}/webhooks`, ownBusinessWith("webhooks"), "webhooks.createEndpoint", {
    answer: created("webhooks.createEndpoint"),
  }),
  route(`GET ${BUSINESS}/webhooks`, OWN_BUSINESS, "webhooks.endpoints"),
  route(`GET ${BUSINESS}/webhooks/:id`, OWN_BUSINESS, "webhooks.endpoint"),
  route(`PATCH ${BUSINESS}/webhooks/:id`, ownBusinessWith("webhooks"), "webhooks.updateEndpoint"),
  route(`DELETE ${BUSINESS}/webhooks/:id`, ownBusinessWith("webhooks"), "webhooks.deleteEndpoint"),
  route(
    `POST ${BUSINESS}/webhooks/:id/rotate-secret`,
    ownBusinessWith("webhooks"),
    "webhooks.rotateSecret",
  ),
  route(
    `POST ${BUSINESS}/webhooks/:id/test`,
    ownBusinessWith("webhooks"),
    "webhooks.testEndpoint",
    { answer: created("webhooks.testEndpoint") },
  ),
  route(`POST ${BUSINESS}/webhooks/:id/replay`, ownBusinessWith("webhooks"), "webhooks.replay", {
    answer: accepted("webhooks.replay"),
  }),
  route(`GET ${BUSINESS}/webhooks/:id/deliveries`, OWN_BUSINESS, "webhooks.deliveries"),
  route(`GET ${BUSINESS}/webhooks/:id/deliveries/:deliveryId`, OWN_BUSINESS, "webhooks.delivery"),
  route(
    `POST ${BUSINESS}/webhooks/:id/deliveries/:deliveryId/replay`,
    ownBusinessWith("webhooks"),
    "webhooks.replayDelivery",
    { answer: accepted("webhooks.replayDelivery") },
  ),
];
