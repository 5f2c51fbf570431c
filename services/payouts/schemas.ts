// The collections of the payouts service. The book of the sandbox's rail is one of them, because
// `npm run migrate` makes all collections of this database.

import { Schema } from "mongoose";
import type { SandboxPayment } from "../../partners/sandbox/rail-book.ts";
import { keyedRequestSchema } from "../../shared/rpc/idempotency.ts";
import { limitCounterSchema } from "./limit-counter.model.ts";
import { payoutSchema } from "./payout.model.ts";

const sandboxRailSchema = new Schema<SandboxPayment>(
  { _id: { type: String, required: true } },
  { versionKey: false, strict: false },
);

export const schemas = {
  payouts: payoutSchema,
  payout_limit_counters: limitCounterSchema,
  sandbox_rail: sandboxRailSchema,
  payout_idempotency_keys: keyedRequestSchema,
};
