// The dependencies of refunds, as types; assembly.ts makes them. This file imports no assembly, so
// that every domain file can name these types without an import circle.

import type { mongo } from "mongoose";
import type { Machine } from "../../../shared/resumable/machine.ts";
import type { Deps } from "../payments/deps.ts";
import type { Refund } from "./refund.model.ts";

/** The dependencies of payments; a refund has a machine of its own. */
export interface RefundDeps extends Omit<Deps, "machine"> {
  refunds: mongo.Collection<Refund>;
  machine: Machine<Refund>;
}
