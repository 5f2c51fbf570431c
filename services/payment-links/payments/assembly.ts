// Assembles the payments' domain: makes its gathered operations and its machine, once for each
// process.

import { createAnswerLog } from "../../../shared/partners/answer-log.ts";
import { createMachine } from "../../../shared/resumable/machine.ts";
import { gatherPosts } from "../../../shared/rpc/posts.ts";
import { gatherBy, gatherKnown } from "../../../shared/storage/find-by-id.ts";
import { gatherInserts } from "../../../shared/storage/insert-all.ts";
import { limitConcurrency } from "./concurrency-limit.ts";
import type { Deps, World } from "./deps.ts";
import { changeFor } from "./lifecycle.ts";
import type { Payment } from "./payment.model.ts";
import { gatherClaims } from "./payment-claims.ts";
import { estimatePaymentBytes, toPaymentEvent } from "./payment-views.ts";

export function createDeps(world: World): Deps {
  const { links, payments, methods, clock } = world;
  const deps: Deps = {
    ...world,
    findLink: gatherBy(links, "tokenHash"),
    findMethod: gatherKnown(methods, "payment method"),
    enterCheckout: limitConcurrency(),
    claims: gatherClaims(payments, clock),
    post: gatherPosts(world.ledger),
    insert: gatherInserts(payments),
    answerLog: createAnswerLog(clock),
    machine: createMachine<Payment>({
      ...world,
      kind: "payment",
      documents: payments,
      changeFor: (payment, isFresh) => changeFor(deps, payment, isFresh),
      outlet: {
        publish: world.publish,
        toEvent: toPaymentEvent,
        estimateBytes: estimatePaymentBytes,
        published: (payment) => world.reached("payment-published", payment),
      },
    }),
  };
  return deps;
}
