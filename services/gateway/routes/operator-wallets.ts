// Operators move money into and out of wallets: fundings, which credit what has reached the bank, and
// adjustments, which correct a mistake.

import { walletLedger } from "../../../shared/contracts/wallet-ledger.ts";
import { ADMIN, type Route, route } from "../http/route.ts";
import { noted } from "./operators.ts";

const WALLET = "/v1/admin/businesses/:businessId/wallets/:walletId";

export const operatorWalletRoutes: Route[] = [
  noted(
    `POST ${WALLET}/fundings`,
    "fundWalletAsAdmin",
    walletLedger["wallet-ledger.fund"],
    (params, call) => call("wallet-ledger.fund", params),
    { status: 201, isNoteOptional: true },
  ),
  route(`POST ${WALLET}/adjustments`, ADMIN, "adjustWalletAsAdmin", "wallet-ledger.adjust", {
    status: 201,
  }),
];
