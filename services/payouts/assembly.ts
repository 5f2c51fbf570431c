// Assembles the payouts' domain: makes its gathered operations and its machine, once for each
// process.

import { createAnswerLog } from "../../shared/partners/answer-log.ts";
import { gather } from "../../shared/resumable/gather.ts";
import { createMachine } from "../../shared/resumable/machine.ts";
import { gatherPosts } from "../../shared/rpc/posts.ts";
import type { Deps, World } from "./deps.ts";
import { gatherKeyHolders } from "./idempotency.ts";
import { changeFor, reachPoint } from "./lifecycle.ts";
import { gatherLimitedInserts, gatherLimitUse } from "./limits.ts";
import { toWebhookPayload } from "./payload.ts";
import type { Payout } from "./payout.model.ts";

const BATCH = { maxItems: 500 };

export function createDeps(world: World): Deps {
  const { findDestinations, post, owners, ...services } = world.services;
  const { payouts, clock, config } = world;
  const deps: Deps = {
    ...world,
    services,
    findDestination: gather(findDestinations, BATCH),
    post: gatherPosts({ post, owners }),
    insert: gatherLimitedInserts(payouts, clock),
    readLimitUse: gatherLimitUse(payouts, clock, config),
    findKeyHolder: gatherKeyHolders(payouts),
    answerLog: createAnswerLog(clock),
    machine: createMachine<Payout>({
      ...world,
      kind: "payout",
      documents: payouts,
      changeFor: (payout, isFresh) => changeFor(deps, payout, isFresh),
      afterTransition: (payout) => reachPoint(deps, payout),
      outlet: {
        publish: services.publish,
        toEvent: (payout, status, at) => ({ body: toWebhookPayload(payout, status, at) }),
        // A character of the reason takes at most three bytes in JSON and UTF-8.
        estimateBytes: ({ states, reason }) => states.length * (800 + 3 * reason.length),
        published: (payout) => world.reached("published", payout),
        announce: ({ _id: id, businessId }, status, at) =>
          services.announce({ id, businessId, status, at }),
      },
    }),
  };
  return deps;
}
