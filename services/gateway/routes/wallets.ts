// Wallets of end users and collection accounts of businesses, their statements and the transfers.

import { type ActionName, contractFor, type Result } from "../../../shared/contracts/contracts.ts";
import type { Field } from "../../../shared/contracts/field.ts";
import {
  type AnswerForm,
  EXTERNAL,
  envelope,
  OWN_BUSINESS,
  ownBusinessWith,
  type Route,
  route,
} from "../http/route.ts";

const BUSINESS = "/v1/business/:businessId";
const PAYMENT = "0198c0de-7a55-7000-8000-8f3e2b7d1a60";
const WRITE = ownBusinessWith("wallets");

export const walletRoutes: Route[] = [
  route(`POST ${BUSINESS}/wallets`, WRITE, "createWallet", "wallet-ledger.openWallet", {
    answer: createdOrThere("wallet-ledger.openWallet", "wallet"),
  }),
  route(`GET ${BUSINESS}/wallets`, OWN_BUSINESS, "listWallets", "wallet-ledger.businessWallets"),
  route(`GET ${BUSINESS}/wallets/:walletId`, OWN_BUSINESS, "getWallet", "wallet-ledger.wallet"),
  route(
    `GET ${BUSINESS}/wallets/:walletId/entries`,
    OWN_BUSINESS,
    "listWalletEntries",
    "wallet-ledger.entries",
  ),
  route(`PATCH ${BUSINESS}/wallets/:walletId`, WRITE, "updateWallet", "wallet-ledger.updateWallet"),
  route(
    `POST ${BUSINESS}/collection-accounts`,
    WRITE,
    "createCollectionAccount",
    "wallet-ledger.openCollectionAccount",
    {
      answer: createdOrThere("wallet-ledger.openCollectionAccount", "account"),
    },
  ),
  route(
    `GET ${BUSINESS}/collection-accounts`,
    OWN_BUSINESS,
    "listCollectionAccounts",
    "wallet-ledger.collectionAccounts",
  ),
  route(
    `GET ${BUSINESS}/collection-accounts/:id/entries`,
    OWN_BUSINESS,
    "listCollectionAccountEntries",
    "wallet-ledger.collectionEntries",
    {
      example: {
        response: {
          success: true,
          data: [
            {
              id: PAYMENT,
              transactionId: PAYMENT,
              kind: "collection",
              entry: "CREDIT",
              amount: "25.00",
              balance: "125.00",
              createdAt: "2026-01-05T09:30:00.000Z",
            },
          ],
          meta: { nextCursor: null },
        },
      },
    },
  ),
  route(
    `POST ${BUSINESS}/collection-accounts/:id/transfers`,
    ownBusinessWith("transfers"),
    "createTransfer",
    "wallet-ledger.transfer",
    { status: 201 },
  ),
  route(
    `GET ${BUSINESS}/collection-accounts/:id/transfers`,
    OWN_BUSINESS,
    "listTransfers",
    "wallet-ledger.transfers",
  ),
];

/** The caller's own wallets. */
export const ownWalletsRoute: Route = route(
  "GET /v1/ext/wallets",
  EXTERNAL,
  "listOwnWallets",
  "wallet-ledger.ownWallets",
  { from: { entityId: ({ caller }) => caller?.sub } },
);

export const walletTransferRoutes: Route[] = [
  route(
    `POST ${BUSINESS}/transfers`,
    ownBusinessWith("transfers"),
    "createWalletTransfer",
    "wallet-ledger.move",
    { status: 201 },
  ),
  route(
    `GET ${BUSINESS}/transfers`,
    OWN_BUSINESS,
    "listWalletTransfers",
    "wallet-ledger.walletTransfers",
  ),
  route(
    `GET ${BUSINESS}/transfers/:id`,
    OWN_BUSINESS,
    "getWalletTransfer",
    "wallet-ledger.walletTransfer",
  ),
];

/** Exists only in the sandbox. In production, internal systems credit wallets. */
export const fundingRoute: Route = route(
  `POST ${BUSINESS}/wallets/:walletId/fund`,
  WRITE,
  "fundWallet",
  "wallet-ledger.fund",
  { status: 201 },
);

/** For a result `{created, [key]: resource}`: 201 if the request created it, 200 if it existed. */
function createdOrThere<A extends ActionName>(
  name: A,
  key: Exclude<keyof Result<A>, "created"> & string,
): AnswerForm<Result<A>> {
  const resource = contractFor(name).result.fields?.[key] as Field;
  return {
    statuses: [200, 201],
    schema: envelope({ data: resource.schema }),
    of: (result) => ({
      status: (result as { created: boolean }).created ? 201 : 200,
      body: { success: true, data: result[key] },
    }),
  };
}
