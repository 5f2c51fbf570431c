// Wallets of end users and collection accounts of businesses, their statements and the transfers.

import {
  created,
  createdOrThere,
  OWN_BUSINESS,
  ownBusinessWith,
  type Route,
  route,
} from "../http/route.ts";

const BUSINESS = "/v1/business/:businessId";

export const walletRoutes: Route[] = [
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

/** Exists only in the sandbox. In production, internal systems credit wallets. */
export const fundingRoute: Route = route(
  `POST ${BUSINESS}/wallets/:walletId/fund`,
  ownBusinessWith("wallets"),
  "wallet-ledger.fund",
  { answer: created("wallet-ledger.fund") },
);
