// The collections of every service that has a database.

import { schemas as accounts } from "../../services/accounts/schemas.ts";
import { schemas as paymentLinks } from "../../services/payment-links/schemas.ts";
import { schemas as payouts } from "../../services/payouts/schemas.ts";
import { schemas as walletLedger } from "../../services/wallet-ledger/schemas.ts";
import { schemas as webhooks } from "../../services/webhooks/schemas.ts";

export const SCHEMAS = {
  accounts,
  "wallet-ledger": walletLedger,
  webhooks,
  payouts,
  "payment-links": paymentLinks,
};
