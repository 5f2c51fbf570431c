// Assembles the payouts' domain: makes its gathered operations and its machine, once for each
// process.

import { createAnswerLog } from "../../shared/partners/answer-log.ts";
import { gather } from "../../shared/resumable/gather.ts";
import { createMachine } from "../../shared/resumable/machine.ts";
import { gatherPosts } from "../../shared/rpc/posts.ts";
import { createAdmission } from "./admission.ts";
import type { Deps, Environment } from "./deps.ts";
import { gatherHolders } from "./idempotency.ts";
import { changeFor, reachPoint } from "./lifecycle.ts";
import { createLimitCounters } from "./limit-counters.ts";
import { gatherLimitedInserts, gatherLimitUse } from "./limits.ts";
import { estimatePayoutBytes, toWebhookPayload } from "./payload.ts";
import type { Payout } from "./payout.model.ts";
import { createPayoutLimits } from "./payout-limits.ts";

const BATCH = { maxItems: 500 };

export function createDeps(environment: Environment): Deps {
  const { findDestinations, findPayees, post, owners, committed, ...services } =
    environment.services;
  const { payouts, clock, config } = environment;
  const deps: Deps = {
    ...environment,
    services,
    findDestination: gather(findDestinations, BATCH),
    findPayee: gather(findPayees, BATCH),
    post: gatherPosts({ post, owners }),
    isDebited: (asked) => committed(asked.map(({ _id: id, walletId }) => ({ id, walletId }))),
    insert: gatherLimitedInserts(payouts, clock),
    readLimitUse: gatherLimitUse(payouts, clock, config),
    findHolder: gatherHolders(payouts),
    limits: createPayoutLimits(
      createLimitCounters(environment.limitCounters, payouts, clock),
      environment.controls,
      clock,
    ),
    admission: createAdmission(clock, environment.unsubmittedAtMost),
    answerLog: createAnswerLog(clock),
    machine: createMachine<Payout>({
      ...environment,
      kind: "payout",
      documents: payouts,
      changeFor: (payout, isFresh) => changeFor(deps, payout, isFresh),
      afterTransition: (payout) => reachPoint(deps, payout),
      outlet: {
        counts: ({ step }) => step !== "claim" && step !== "debit",
        publish: services.publish,
        toEvent: (payout, status, at) => ({ body: toWebhookPayload(payout, status, at) }),
        estimateBytes: estimatePayoutBytes,
        published: (payout) => environment.reached("published", payout),
        announce: ({ _id: id, businessId }, status, at) =>
          services.announce({ id, businessId, status, at }),
      },
    }),
  };
  return deps;
}
