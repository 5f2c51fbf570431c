// The collections of the wallet-ledger service.

import { keyedRequestSchema } from "../../shared/rpc/idempotency.ts";
import { adjustmentSchema } from "./adjustment.model.ts";
import { fundingSchema } from "./funding.model.ts";
import { ledgerSchemas } from "./ledger.ts";
import { transferSchema } from "./transfer.model.ts";
import { verificationSchema } from "./verification.model.ts";
import { walletTransferSchema } from "./wallet-transfer.model.ts";

export const schemas = {
  ...ledgerSchemas,
  ledger_fundings: fundingSchema,
  ledger_adjustments: adjustmentSchema,
  ledger_transfers: transferSchema,
  ledger_wallet_transfers: walletTransferSchema,
  verifications: verificationSchema,
  ledger_idempotency_keys: keyedRequestSchema,
};
