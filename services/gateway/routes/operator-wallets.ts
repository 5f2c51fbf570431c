// Operators move money into and out of wallets: fundings, which credit what has reached the bank, and
// adjustments, which correct a mistake.

import { walletLedger } from "../../../shared/contracts/wallet-ledger.ts";
import { ADMIN, type Route, route } from "../http/route.ts";
import { noted } from "./operators.ts";

const AT = "2026-01-05T09:30:00.000Z";
const funding = {
  id: "0198c0de-7a58-7000-8000-4e6a1c9d2b70",
  flow: "FUNDING",
  status: "SUCCESS",
  amount: "100.00",
  fees: "0.00",
  currency: "USD",
  method: null,
  entityId: "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
  walletId: "0198c0de-7a54-7000-8000-6a2b8f0d1c37",
  linkedAccountId: null,
  reason: "wire-311",
  failureReason: null,
  failureCode: null,
  needsAttention: false,
  reference: "wire-311",
  metadata: null,
  createdAt: AT,
  updatedAt: AT,
};
const ofAdjustment = { flow: "ADJUSTMENT", direction: "CREDIT", reference: "ticket-311" };
const adjustment = { ...funding, ...ofAdjustment, reason: "ticket-311" };

const WALLET = "/v1/admin/businesses/:businessId/wallets/:walletId";

export const operatorWalletRoutes: Route[] = [
  noted(
    `POST ${WALLET}/fundings`,
    "fundWalletAsAdmin",
    walletLedger["wallet-ledger.fund"],
    (params, call) => call("wallet-ledger.fund", params),
    {
      status: 201,
      isNoteOptional: true,
      example: { response: { success: true, data: funding } },
    },
  ),
  route(`POST ${WALLET}/adjustments`, ADMIN, "adjustWalletAsAdmin", "wallet-ledger.adjust", {
    status: 201,
    example: { response: { success: true, data: adjustment } },
  }),
];
