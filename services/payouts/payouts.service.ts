// payouts: withdrawals, rails, the state machine, withdrawal limits. It never changes a balance itself.

import type { ServiceSchema } from "moleculer";
import { call, implement, nodesServing } from "../../shared/actions.ts";
import { systemClock } from "../../shared/clock.ts";
import { crashAt } from "../../shared/crash.ts";
import { database } from "../../shared/database.ts";
import type { Config } from "../../shared/env.ts";
import { fail } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { PAYOUT_METHODS } from "../../shared/payout-methods.ts";
import { cancel } from "./cancel.ts";
import { createDeps, type Deps, type World } from "./deps.ts";
import { findPayout, listAttention, listPayouts, timelineOf } from "./listing.ts";
import { payloadOf, transactionOf } from "./payload.ts";
import { type Payout, payoutSchema } from "./payout.model.ts";
import { askNow } from "./push.ts";
import { loadRails } from "./rails/load.ts";
import { type SandboxPayment, sandboxSchema } from "./rails/sandbox.ts";
import { resolve } from "./resolve.ts";
import { withdraw } from "./withdraw.ts";

const DRAINED_WITHIN_MS = 4_000;
/** Of calls behind which all withdrawals wait: what a dead node does not answer is asked anew. */
const SOON = { timeoutMs: 1_500 };

/** @param instead what a test puts in the place of a part of the service's world */
export default function payouts(
  config: Config,
  instead: Partial<Pick<World, "clock" | "rails" | "at">> = {},
): ServiceSchema {
  const db = database(config, "payouts", { payouts: payoutSchema, sandbox_rail: sandboxSchema });
  const { payouts: model } = db.models;
  let deps: Deps;

  return {
    name: "payouts",

    actions: implement("payouts", {
      async ready() {
        await db.ping();
        return {};
      },

      async withdraw(params, { meta: { actor, deadline } }) {
        return withdraw(deps, { actor: actor ?? fail("UNAUTHORIZED"), params, deadline });
      },

      transactions: (params) => listPayouts(model, params),

      attention: (params) => listAttention(model, params),

      transaction: async (params) => transactionOf(await findPayout(model, params)),

      timeline: async (params, context) => timelineOf(context, await findPayout(model, params)),

      async webhookPayload({ businessId, transactionId: id }) {
        const payout = await findPayout(model, { businessId, id });
        return payloadOf(payout, payout.status, systemClock.now());
      },

      cancel: async (params) => transactionOf(await cancel(deps, () => findPayout(model, params))),

      async resolve({ id, outcome, note }, { meta: { actor } }) {
        const payout = await model
          .findOne({ _id: id, visible: true })
          .readConcern("majority")
          .lean<Payout>();
        const by = `admin ${(actor ?? fail("UNAUTHORIZED")).sub}: ${note}`;
        return transactionOf(
          await resolve(deps, payout ?? fail("TRANSACTION_NOT_FOUND"), { outcome, by }),
        );
      },

      async railNotified(params) {
        await askNow(deps, params);
        return {};
      },
    }),

    async started() {
      await db.open();
      const { broker, logger } = this;
      const ledgers = () => nodesServing(broker, "wallet-ledger.post");
      const collections = db.connection.getClient().db(db.connection.name);
      const sandboxBook = collections.collection<SandboxPayment>("sandbox_rail");
      const rails = await loadRails(config, sandboxBook, systemClock);
      const missing = PAYOUT_METHODS.filter((method) => !rails.forMethod[method]);
      if (missing.length > 0) logger.warn(`No rail for ${missing.join(", ")}: refused with 503`);
      deps = createDeps({
        clock: systemClock,
        newId,
        payouts: collections.collection<Payout>("payouts"),
        // What outlives or is not one request leaves from the broker, never from a context.
        services: {
          findDestinations(requests) {
            const ask = () => call(broker, "accounts.payoutDestinations", { requests }, SOON);
            return ask().catch(ask);
          },
          // Who posts asks again with the same id.
          post(postings, ledger) {
            const nodeID = ledger === undefined ? undefined : ledgers()[ledger];
            return call(broker, "wallet-ledger.post", { postings }, { ...SOON, nodeID });
          },
          ledgers: () => ledgers().length,
          claimToken: (claim) => call(broker, "accounts.claimToken", claim),
          releaseToken: (release) => call(broker, "accounts.releaseToken", release),
          openInstrument: (linkedAccountId) =>
            call(broker, "accounts.instrument", { linkedAccountId }),
          publish: (events) => call(broker, "webhooks.publish", { events }),
          announce(change) {
            broker.broadcast("payout.status.changed", change).catch(() => {});
          },
        },
        rails,
        config,
        log: {
          warn: (message, details) => logger.warn(message, details),
          error: (message, details) => logger.error(message, details),
        },
        at: (point, { entityId }) => crashAt(config, point, entityId),
        ...instead,
      });
      deps.machine.start();
    },

    async stopped() {
      await deps?.machine.stop(DRAINED_WITHIN_MS);
      await db.close();
    },
  };
}
