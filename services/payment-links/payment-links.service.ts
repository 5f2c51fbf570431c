// payment-links: links, checkout, payments, refunds, subscriptions and billing.
//
// Its folders are floors, and a folder imports only from the floors below it:
//   links, acquirers → payments → refunds, billing → checkout, customers → assembly.ts and files
//   beside it → actions → this file

import type { ServiceSchema } from "moleculer";
import { systemClock } from "../../shared/clock.ts";
import type { ConfigOf } from "../../shared/config/config.ts";
import { OUTCOME_WITHIN_MS } from "../../shared/contracts/payments.ts";
import { newId } from "../../shared/ids.ts";
import { metricsOf } from "../../shared/observability/metrics.ts";
import { createContexts } from "../../shared/partners/context.ts";
import { readBacklog } from "../../shared/resumable/backlog.ts";
import { crashAt } from "../../shared/resumable/crash.ts";
import { LOOK_EVERY_MS } from "../../shared/resumable/due.ts";
import { turnsOf } from "../../shared/resumable/sweeps.ts";
import { call, implement } from "../../shared/rpc/actions.ts";
import { askAccounts, followControls } from "../../shared/rpc/controls.ts";
import { createKeepAnswers } from "../../shared/rpc/idempotency.ts";
import { ledgerClient } from "../../shared/rpc/posts.ts";
import { defineService } from "../../shared/service.ts";
import { database, withDatabase } from "../../shared/storage/database.ts";
import { Records, withRecords } from "../../shared/storage/records.ts";
import { type Acquirers, openAcquirers } from "./acquirers/load.ts";
import { billingActions } from "./actions/billing.ts";
import { customerActions } from "./actions/customers.ts";
import { linkActions } from "./actions/links.ts";
import { paymentActions } from "./actions/payments.ts";
import { createDeps, type Deps, listWorkers } from "./assembly.ts";
import type { Environment } from "./payments/deps.ts";
import { schemas } from "./schemas.ts";

const DRAINED_WITHIN_MS = 4_000;

/** @param overrides replacements of dependencies, for tests */
export default defineService(function paymentLinks(
  config: ConfigOf<"payment-links">,
  overrides: Partial<
    Pick<Environment, "clock" | "turns" | keyof Acquirers | "reached" | "outcomeWithinMs">
  > = {},
): ServiceSchema {
  const { clock = systemClock } = overrides;
  const db = database(config, "payment-links", schemas);
  const linkRecords = new Records(db.models.payment_links);
  const models = { ...db.models, payment_links: linkRecords };
  const keys = () => db.collection("link_idempotency_keys");
  const keepAnswers = createKeepAnswers(config, keys, config);
  let started: Deps;
  const deps = () => started;
  let workers: ReturnType<typeof listWorkers> = [];

  return {
    name: "payment-links",

    mixins: [withDatabase(db), withRecords(linkRecords)],

    actions: implement("payment-links", clock, keepAnswers, {
      ...linkActions(deps, models),
      ...paymentActions(deps, models),
      ...billingActions(deps, models),
      ...customerActions(deps, models),
    }),

    methods: {
      gauges: () => [
        readBacklog(db.collection("payments"), "payment", clock),
        readBacklog(db.collection("payment_refunds"), "refund", clock),
        readBacklog(db.collection("subscriptions"), "subscription", clock),
      ],
    },

    async started() {
      const { broker, logger } = this;
      const contextOf = createContexts(db.connection.getClient(), db.connection.name, "acquirers", {
        sandbox: config.sandbox,
        clock,
        log: logger,
      });
      const acquirers = await openAcquirers(config, contextOf);
      if (!acquirers.acquirer) logger.warn("No acquirer: payments are refused with 503");
      const environment: Environment = {
        clock,
        turns: turnsOf(broker, "payment-links", LOOK_EVERY_MS),
        newId,
        // Work that belongs to no request, or outlives it, calls from the broker, never from a
        // context.
        ledger: ledgerClient(broker),
        controls: followControls({
          clock,
          read: askAccounts(broker),
          log: logger,
        }),
        publish: (events) => call(broker, "webhooks.publish", { events }),
        revise: (events) => call(broker, "webhooks.reviseEvents", { events }),
        ...acquirers,
        config,
        outcomeWithinMs: OUTCOME_WITHIN_MS,
        log: logger,
        metrics: metricsOf(broker),
        reached: (point, { linkId }) => crashAt(config, point, linkId),
        ...overrides,
      };
      started = createDeps(environment, db);
      workers = listWorkers(started);
      for (const worker of workers) worker.start();
    },

    async stopped() {
      await started?.controls.stop();
      await Promise.all(workers.map((worker) => worker.stop(DRAINED_WITHIN_MS)));
    },
  };
});
