// The collections of the payouts service.

import { payoutSchema } from "./payout.model.ts";
import { sandboxSchema } from "./rails/sandbox.ts";

export const schemas = { payouts: payoutSchema, sandbox_rail: sandboxSchema };
