// payouts: withdrawals, rails, the state machine, withdrawal limits. Only the ledger changes
// balances.

import type { ServiceSchema } from "moleculer";
import { systemClock } from "../../shared/clock.ts";
import type { ConfigOf } from "../../shared/config/config.ts";
import { PAYOUT_METHODS } from "../../shared/config/payout-methods.ts";
import { errorType } from "../../shared/errors.ts";
import { idMaker } from "../../shared/ids.ts";
import { metricsOf } from "../../shared/observability/metrics.ts";
import { createContexts } from "../../shared/partners/context.ts";
import { loadScreening } from "../../shared/partners/load.ts";
import { readBacklog } from "../../shared/resumable/backlog.ts";
import { crashAt } from "../../shared/resumable/crash.ts";
import { LOOK_EVERY_MS } from "../../shared/resumable/due.ts";
import type { Revise } from "../../shared/resumable/erasure.ts";
import { retryNow } from "../../shared/resumable/retry.ts";
import { turnsOf } from "../../shared/resumable/sweeps.ts";
import { call, implement } from "../../shared/rpc/actions.ts";
import { rememberBusinesses } from "../../shared/rpc/businesses.ts";
import { askAccounts, followControls } from "../../shared/rpc/controls.ts";
import { createKeepAnswers } from "../../shared/rpc/idempotency.ts";
import { ledgerClient } from "../../shared/rpc/posts.ts";
import { defineService } from "../../shared/service.ts";
import { database, withDatabase } from "../../shared/storage/database.ts";
import { findThing, findThings } from "../../shared/storage/find.ts";
import { createDeps } from "./assembly.ts";
import { cancel } from "./cancel.ts";
import type { Deps, Environment } from "./deps.ts";
import { countOpen, eraseEntity } from "./erasure.ts";
import {
  findAnyPayout,
  findPayout,
  listAttention,
  listWithdrawals,
  NOT_DECLINED,
  type PayoutReading,
  readTimeline,
  withdrawalOf,
} from "./listing.ts";
import { listPartners } from "./partners.ts";
import { pay } from "./pay.ts";
import { toTransaction, toWebhookPayload, toWithdrawal } from "./payload.ts";
import { askNow } from "./push.ts";
import { loadRails } from "./rails/load.ts";
import { readReferences } from "./references.ts";
import { resolve } from "./resolve.ts";
import { listReviews, readReviewGauges, review } from "./review.ts";
import { schemas } from "./schemas.ts";
import { readStatistics } from "./statistics.ts";
import { release } from "./stopped.ts";
import { listPayouts } from "./transaction-list.ts";
import { businessOf, withdraw } from "./withdraw.ts";

const DRAINED_WITHIN_MS = 4_000;
/** Short, because all withdrawals wait for these calls; a call to a dead node is repeated. */
const LOOK_UP = { timeoutMs: 1_500 };

/** @param overrides replacements of dependencies, for tests */
export default defineService(function payouts(
  config: ConfigOf<"payouts">,
  overrides: Partial<
    Pick<Environment, "clock" | "turns" | "rails" | "screening" | "unsubmittedAtMost" | "reached">
  > = {},
): ServiceSchema {
  const { clock = systemClock } = overrides;
  const db = database(config, "payouts", schemas);
  const { payouts: model } = db.models;
  // No answer of payouts has a secret, and payouts has no encryption keys.
  const keepAnswers = createKeepAnswers(config, () => db.collection("payout_idempotency_keys"));
  let deps: Deps;
  let revise: Revise;

  /** Counts a request for a payout by its outcome. */
  async function counted<T>(accepting: Promise<T>): Promise<T> {
    try {
      const accepted = await accepting;
      deps.metrics.count("payrail_withdrawals_total", { outcome: "accepted" });
      return accepted;
    } catch (error) {
      const outcome = errorType(error) ?? "INTERNAL";
      deps.metrics.count("payrail_withdrawals_total", { outcome });
      throw error;
    }
  }

  const reading = (): PayoutReading => ({ payouts: model, isDebited: deps.isDebited });

  return {
    name: "payouts",

    mixins: [withDatabase(db)],

    // Contracts: shared/contracts/payouts.ts
    actions: implement("payouts", clock, keepAnswers, {
      withdraw: (params, { meta: { actor, deadline, idempotency } }) =>
        counted(withdraw(deps, { actor, params, deadline, idempotency })),

      pay: (params, { meta: { deadline, idempotency } }) =>
        counted(pay(deps, { params, deadline, idempotency })),

      withdrawal: async ({ id }, { meta: { actor } }) =>
        toWithdrawal(await findPayout(reading(), { id, ...withdrawalOf(actor) })),

      withdrawals: (params, { meta: { actor } }) => listWithdrawals(reading(), actor, params),

      async withdrawalLimits(_params, { meta: { actor } }) {
        const businessId = await businessOf(deps, actor);
        return deps.limits.use({ businessId, entityId: actor.sub });
      },

      limitsOf: (owner) => deps.limits.use(owner),

      transactions: (params, context) =>
        listPayouts(
          { ...reading(), findParties: (asked) => call(context, "accounts.findParties", asked) },
          params,
        ),

      references: (params) => readReferences(db.collection("payouts"), params),

      statistics: (params) => readStatistics(deps, params, clock.now()),

      whereIs: ({ id }) =>
        findThing(id, [
          { kind: "payout", documents: db.collection("payouts"), filter: NOT_DECLINED },
        ]),

      whereAre({ text: reference }) {
        const filter = { reference, ...NOT_DECLINED };
        return findThings([{ kind: "payout", documents: db.collection("payouts"), filter }]);
      },

      attention: (params) => listAttention(model, params, deps.clock.now()),

      reviews: (params) => listReviews(model, params),

      async review({ id, ...decision }, { meta: { actor } }, { isRepeat }) {
        const find = () => findAnyPayout(model, id);
        const decided = { ...decision, by: actor.sub, isRepeat };
        return toTransaction(await review(deps, find, decided));
      },

      partners: () => listPartners(deps),

      transaction: async (params) => toTransaction(await findPayout(reading(), params)),

      async timeline(params, context) {
        const payout = await findPayout(reading(), params);
        return readTimeline(context, payout, params.unaccepted === true);
      },

      async webhookPayload({ businessId, transactionId: id }) {
        const payout = await findPayout(reading(), { businessId, id });
        return toWebhookPayload(payout, payout.status, clock.now());
      },

      cancel: async (params) =>
        toTransaction(await cancel(deps, () => findPayout(reading(), params))),

      async resolve({ id, outcome, note }, { meta: { actor } }, { isRepeat }) {
        const payout = await findAnyPayout(model, id);
        const by = `admin ${actor.sub}: ${note}`;
        return toTransaction(await resolve(deps, payout, { outcome, by, isRepeat }));
      },

      retry: async ({ id }) => toTransaction(await retryNow(deps, await findAnyPayout(model, id))),

      countOpen: (params) => countOpen(deps, params),

      eraseEntity: (params) => eraseEntity(deps, params, revise),

      async railNotified(params) {
        await askNow(deps, params);
        return {};
      },
    }),

    methods: {
      gauges: () => [
        readBacklog(db.collection("payouts"), "payout", clock),
        readReviewGauges(db.collection("payouts"), clock),
        ...(deps ? [deps.admission.gauges()] : []),
      ],
    },

    async started() {
      const { broker, logger } = this;
      revise = (events) => call(broker, "webhooks.reviseEvents", { events });
      const contextOf = createContexts(db.connection.getClient(), db.connection.name, "rails", {
        sandbox: config.sandbox,
        sandboxSettleMs: config.sandboxSettleMs,
        clock,
        log: logger,
      });
      const rails = await loadRails(config, contextOf);
      const screening = config.screening && (await loadScreening(config.screening, contextOf));
      const missing = PAYOUT_METHODS.filter((method) => !rails.forMethod[method]);
      if (missing.length > 0) logger.warn(`No rail for ${missing.join(", ")}: refused with 503`);
      deps = createDeps({
        clock,
        turns: turnsOf(broker, "payouts", LOOK_EVERY_MS),
        newId: idMaker(clock),
        payouts: db.collection("payouts"),
        limitCounters: db.collection("payout_limit_counters"),
        // Work that belongs to no request, or outlives it, calls from the broker, never from a
        // context.
        services: {
          ...ledgerClient(broker),
          findDestinations(requests) {
            const ask = () => call(broker, "accounts.payoutDestinations", { requests }, LOOK_UP);
            return ask().catch(ask);
          },
          findPayees: (linkedAccountIds) =>
            call(broker, "accounts.payees", { linkedAccountIds }, LOOK_UP),
          businessOf: rememberBusinesses(
            async (entityId) =>
              (await call(broker, "accounts.businessOf", { entityId }, LOOK_UP)).businessId,
          ),
          wallet: (key) => call(broker, "wallet-ledger.wallet", key, LOOK_UP),
          claimToken: (claim) => call(broker, "accounts.claimToken", claim),
          releaseToken: (token) => call(broker, "accounts.releaseToken", token),
          committed: (postings) => call(broker, "wallet-ledger.committed", { postings }, LOOK_UP),
          openInstrument: (linkedAccountId) =>
            call(broker, "accounts.instrument", { linkedAccountId }),
          publish: (events) => call(broker, "webhooks.publish", { events }),
          announce(change) {
            broker.broadcast("payout.status.changed", change).catch(() => {});
          },
        },
        controls: followControls({
          clock,
          read: askAccounts(broker),
          log: logger,
          onReleased(control) {
            release(deps, control).catch((error) => logger.warn("A release waits", error));
          },
        }),
        rails,
        ...(screening && { screening }),
        config,
        log: logger,
        metrics: metricsOf(broker),
        reached: (point, { entityId }) => crashAt(config, point, entityId),
        ...overrides,
      });
      deps.machine.start();
      for (const rail of rails.named.values()) rail.start?.();
    },

    async stopped() {
      if (!deps) return;
      await Promise.all([deps.machine.stop(DRAINED_WITHIN_MS), deps.controls.stop()]);
      const stopped = [...deps.rails.named.values()].map(async (rail) => rail.stop?.());
      await clock.within(Promise.allSettled(stopped), DRAINED_WITHIN_MS);
    },
  };
});
