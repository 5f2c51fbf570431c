// The dependencies of refunds: those of payments, and the refunds.

import type { mongo } from "mongoose";
import type { Machine } from "../../../shared/resumable/machine.ts";
import type { PaymentDeps } from "../payments/deps.ts";
import type { Refund } from "./refund.model.ts";

export interface RefundDeps extends PaymentDeps {
  refunds: {
    documents: mongo.Collection<Refund>;
    machine: Machine<Refund>;
  };
}
