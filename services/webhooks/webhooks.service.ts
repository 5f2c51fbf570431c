// The webhooks service: endpoints of businesses, published events, and their delivery. The
// publishing service decides the content of an event.

import type { ServiceSchema } from "moleculer";
import { systemClock } from "../../shared/clock.ts";
import type { ConfigOf } from "../../shared/config/config.ts";
import type { Params } from "../../shared/contracts/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { idMaker } from "../../shared/ids.ts";
import { metricsOf } from "../../shared/observability/metrics.ts";
import { turnsOf } from "../../shared/resumable/sweeps.ts";
import { call, implement } from "../../shared/rpc/actions.ts";
import { createKeepAnswers } from "../../shared/rpc/idempotency.ts";
import { defineService } from "../../shared/service.ts";
import { database, withDatabase } from "../../shared/storage/database.ts";
import { findThing } from "../../shared/storage/find.ts";
import { Records, withRecords } from "../../shared/storage/records.ts";
import { createDeps, stopDeps } from "./assembly.ts";
import { listAttention } from "./attention.ts";
import type { Deps, Environment } from "./deps.ts";
import {
  createEndpoint,
  createLinkEndpoint,
  deleteEndpoint,
  findEndpoint,
  listEndpoints,
  rotateSecret,
  showEndpoint,
  updateEndpoint,
} from "./endpoints/endpoints.ts";
import { findEvent, listEvents } from "./events/event-list.ts";
import { hasEvent, publish, publishTest } from "./events/events.ts";
import { beginReplay, replayDelivery } from "./events/replay.ts";
import { reviseEvents } from "./events/revision.ts";
import { countTest } from "./events/test-limit.ts";
import { resolverFor } from "./exchange/resolve.ts";
import { readBacklog } from "./queue/backlog.ts";
import {
  deliveryView,
  endPending,
  findDelivery,
  listDeliveries,
  listOfTransactions,
} from "./queue/deliveries.ts";
import { expireAfter } from "./retention.ts";
import { schemas } from "./schemas.ts";

/** @param overrides replacements of dependencies, for tests */
export default defineService(function webhooks(
  config: ConfigOf<"webhooks">,
  overrides: Partial<Pick<Environment, "clock" | "resolve">> = {},
): ServiceSchema {
  const { clock = systemClock } = overrides;
  const db = database(config, "webhooks", schemas);
  const models = {
    ...db.models,
    webhook_endpoints: new Records(db.models.webhook_endpoints, { paymentLinkId: "CONFLICT" }),
  };
  const keys = () => db.collection("webhook_idempotency_keys");
  const keepAnswers = createKeepAnswers(config, keys, config);
  let deps: Deps;

  async function changeEndpoint(params: Params<"webhooks.updateEndpoint">) {
    const { endpoint, startsAnew } = await updateEndpoint(deps, params);
    const { _id: id, disabled } = endpoint;
    deps.deliverer.forget(id, startsAnew);
    if (disabled) await endPending(deps, id, "disabled");
    return showEndpoint(deps, endpoint);
  }

  return {
    name: "webhooks",

    mixins: [withDatabase(db), withRecords(models.webhook_endpoints)],

    // Contracts: shared/contracts/webhooks.ts
    actions: implement("webhooks", clock, keepAnswers, {
      createEndpoint: (params, _context, creation) => createEndpoint(deps, params, creation),

      createLinkEndpoint: (params) => createLinkEndpoint(deps, params),

      endpoints: ({ businessId, ...paging }) => listEndpoints(deps, businessId, paging),

      async endpoint({ businessId, id }) {
        return showEndpoint(deps, await findEndpoint(deps, businessId, id));
      },

      updateEndpoint: changeEndpoint,

      enableEndpoint: (key) => changeEndpoint({ ...key, disabled: false }),

      async deleteEndpoint({ businessId, id }) {
        // The endpoint is the outbox, so its events are published before it is deleted.
        await deps.switchOff.publishNotices(await findEndpoint(deps, businessId, id));
        await deleteEndpoint(deps, businessId, id);
        deps.deliverer.forget(id);
        await endPending(deps, id, "deleted");
        return { id };
      },

      async rotateSecret({ businessId, id }, _context, creation) {
        const view = await rotateSecret(deps, { businessId, id }, creation);
        deps.deliverer.forget(id);
        return view;
      },

      async testEndpoint({ businessId, id }, _context, creation) {
        const endpoint = await findEndpoint(deps, businessId, id);
        // An event that an earlier run of the request stored has been counted.
        if (!creation.isRepeat || !(await hasEvent(deps, creation.id))) {
          if (endpoint.disabled) fail("WEBHOOK_DISABLED");
          await countTest(deps, { businessId, id });
        }
        await publishTest(deps, endpoint, creation.id);
        return { id: creation.id };
      },

      async deliveries({ businessId, ...params }) {
        await findEndpoint(deps, businessId, params.id);
        return listDeliveries(deps, params);
      },

      async delivery({ businessId, id, deliveryId }) {
        await findEndpoint(deps, businessId, id);
        return deliveryView(await findDelivery(deps, id, deliveryId));
      },

      async replayDelivery(params, _context, creation) {
        const view = await replayDelivery(deps, params, creation);
        deps.sweeper.wake([params.id]);
        return view;
      },

      async replay(params, _context, creation) {
        const begun = await beginReplay(deps, params, creation);
        deps.replayer.wake();
        return begun;
      },

      whereIs: ({ id }) =>
        findThing(id, [
          { kind: "webhook", documents: db.collection("webhook_endpoints") },
          { kind: "delivery", documents: db.collection("webhook_deliveries") },
          { kind: "event", documents: db.collection("webhook_events") },
        ]),

      attention: (params) => listAttention(deps, params),

      events: (params) => listEvents(deps, params),

      event: (params) => findEvent(deps, params),

      deliveriesOf: (params) => listOfTransactions(deps, params),

      async publish({ events }) {
        await publish(deps, events);
        return {};
      },

      async reviseEvents(params) {
        await reviseEvents(deps, params);
        deps.sweeper.wake();
        return {};
      },
    }),

    methods: {
      gauges: () => [readBacklog(db.collection("webhook_deliveries"), clock)],
    },

    async started() {
      const { broker, logger } = this;
      const driverDb = db.connection.getClient().db(db.connection.name);
      await expireAfter(driverDb, clock, config.webhooks.retentionMs);
      deps = createDeps({
        config,
        clock,
        newId: idMaker(clock),
        turns: (everyMs) => turnsOf(broker, "webhooks", everyMs),
        models,
        endpoints: db.collection("webhook_endpoints"),
        events: db.collection("webhook_events"),
        deliveries: db.collection("webhook_deliveries"),
        resolve: resolverFor(config.webhooks),
        makeHead: async (businessId) =>
          (await call(broker, "wallet-ledger.head", { businessId })).head,
        log: logger,
        metrics: metricsOf(broker),
        ...overrides,
      });
    },

    async stopped() {
      if (deps) await stopDeps(deps);
    },
  };
});
