// Assembles the refunds' domain: makes its machine, once for each process.

import type { mongo } from "mongoose";
import { createMachine } from "../../../shared/resumable/machine.ts";
import type { Deps } from "../payments/deps.ts";
import type { RefundDeps } from "./deps.ts";
import { refundChangeFor } from "./lifecycle.ts";
import type { Refund } from "./refund.model.ts";
import { estimateRefundBytes, toRefundEvent } from "./refund-views.ts";

export function createRefundDeps(world: Deps, refunds: mongo.Collection<Refund>): RefundDeps {
  const deps: RefundDeps = {
    ...world,
    refunds,
    machine: createMachine<Refund>({
      ...world,
      kind: "refund",
      documents: refunds,
      changeFor: (refund, isFresh) => refundChangeFor(deps, refund, isFresh),
      outlet: {
        publish: world.publish,
        toEvent: toRefundEvent,
        estimateBytes: estimateRefundBytes,
        published: (refund) => world.reached("refund-published", refund),
      },
    }),
  };
  return deps;
}
