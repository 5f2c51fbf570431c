// The collections of the wallet-ledger service.

import { keyedRequestSchema } from "../../shared/rpc/idempotency.ts";
import { fundingSchema } from "./funding.model.ts";
import { ledgerSchemas } from "./ledger.ts";
import { transferSchema } from "./transfer.model.ts";
import { verificationSchema } from "./verification.model.ts";

export const schemas = {
  ...ledgerSchemas,
  ledger_fundings: fundingSchema,
  ledger_transfers: transferSchema,
  verifications: verificationSchema,
  ledger_idempotency_keys: keyedRequestSchema,
};
