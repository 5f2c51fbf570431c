// The dependencies of refunds, as types: the service gives a RefundWorld, and assembly.ts makes the
// RefundDeps of it. This file imports no assembly, so that every domain file can name these types
// without an import circle.

import type { mongo } from "mongoose";
import type { Machine } from "../../../shared/resumable/machine.ts";
import type { Deps, Services } from "../payments/deps.ts";
import type { Refund } from "./refund.model.ts";

/** The points of the lifecycle at which a test can stop or kill a node. */
export type RefundPoint =
  | "refund-inserted"
  | "refund-allocated"
  | "refund-posted"
  | "refund-answered"
  | "refund-reversed"
  | "refund-published";

export interface RefundWorld
  extends Pick<
    Deps,
    "clock" | "newId" | "payments" | "acquirer" | "formerAcquirers" | "log" | "post"
  > {
  refunds: mongo.Collection<Refund>;
  publish: Services["publish"];
  /** Called at each point; in production it returns at once. */
  reached(point: RefundPoint, refund: Refund): Promise<void> | void;
}

export interface RefundDeps extends RefundWorld {
  machine: Machine<Refund>;
}
