// The collections of the payouts service.

import { keyedRequestSchema } from "../../shared/idempotency.ts";
import { payoutSchema } from "./payout.model.ts";
import { sandboxSchema } from "./rails/sandbox.ts";

export const schemas = {
  payouts: payoutSchema,
  sandbox_rail: sandboxSchema,
  payout_idempotency_keys: keyedRequestSchema,
};
