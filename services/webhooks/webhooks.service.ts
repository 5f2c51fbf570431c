// The webhooks service: endpoints of businesses, published events, and their delivery. The
// publishing service decides the content of an event.

import type { ServiceSchema } from "moleculer";
import { type Clock, systemClock } from "../../shared/clock.ts";
import type { ConfigOf } from "../../shared/config/config.ts";
import type { Params } from "../../shared/contracts/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { metricsOf } from "../../shared/observability/metrics.ts";
import { turnsOf } from "../../shared/resumable/sweeps.ts";
import { call, implement } from "../../shared/rpc/actions.ts";
import { createKeepAnswers } from "../../shared/rpc/idempotency.ts";
import { defineService } from "../../shared/service.ts";
import { database, withDatabase } from "../../shared/storage/database.ts";
import { findThing } from "../../shared/storage/find.ts";
import { Records, withRecords } from "../../shared/storage/records.ts";
import { listAttention } from "./attention.ts";
import { readBacklog } from "./backlog.ts";
import {
  deliveryView,
  endPending,
  findDelivery,
  listDeliveries,
  listOfTransactions,
} from "./deliveries.ts";
import { createDeliverer, type Deliverer } from "./delivery.ts";
import type { Resolve } from "./destination.ts";
import {
  createEndpoint,
  createLinkEndpoint,
  deleteEndpoint,
  endpointView,
  findEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
} from "./endpoints.ts";
import { findEvent, listEvents } from "./event-list.ts";
import { hasEvent, type Publishing, publish, publishTest } from "./events.ts";
import { createHeads } from "./heads.ts";
import { beginReplay, createReplayer, REPLAYS_EVERY_MS, replayDelivery } from "./replay.ts";
import { resolverFor } from "./resolve.ts";
import { expireAfter } from "./retention.ts";
import { reviseEvents } from "./revision.ts";
import { schemas } from "./schemas.ts";
import { createSweeper, DELIVERIES_EVERY_MS, type Sweeper } from "./sweeper.ts";
import { createSwitchOff, NOTICES_EVERY_MS, type SwitchOff } from "./switch-off.ts";
import { countTest } from "./test-limit.ts";

/**
 * @param resolve how host names of destinations are looked up
 * @param clock tells the hours of heads of the ledger
 */
export default defineService(function webhooks(
  config: ConfigOf<"webhooks">,
  {
    resolve = resolverFor(config.webhooks),
    clock = systemClock,
  }: { resolve?: Resolve; clock?: Clock } = {},
): ServiceSchema {
  const db = database(config, "webhooks", schemas);
  const { webhook_deliveries: deliveries } = db.models;
  const endpoints = new Records(db.models.webhook_endpoints, { paymentLinkId: "CONFLICT" });
  const keys = () => db.collection("webhook_idempotency_keys");
  const keepAnswers = createKeepAnswers(config, keys, config);
  let publishing: Publishing;
  let deliverer: Deliverer;
  let sweeper: Sweeper;
  let switchOff: SwitchOff;
  let replayer: ReturnType<typeof createReplayer>;
  let heads: ReturnType<typeof createHeads>;
  const wake = (endpointIds?: string[]) => sweeper.wake(endpointIds);

  async function changeEndpoint(params: Params<"webhooks.updateEndpoint">) {
    const { view, startsAnew } = await updateEndpoint(endpoints, config, params);
    deliverer.forget(view.id, startsAnew);
    if (view.disabled) await endPending(deliveries, view.id, "disabled");
    return view;
  }

  return {
    name: "webhooks",

    mixins: [withDatabase(db), withRecords(endpoints)],

    // Contracts: shared/contracts/webhooks.ts
    actions: implement("webhooks", keepAnswers, {
      createEndpoint: (params, _context, making) =>
        createEndpoint(endpoints, config, params, making),

      createLinkEndpoint: (params) => createLinkEndpoint(endpoints, config, params),

      endpoints: ({ businessId, ...paging }) => listEndpoints(endpoints, businessId, paging),

      async endpoint({ businessId, id }) {
        return endpointView(await findEndpoint(endpoints, businessId, id));
      },

      updateEndpoint: changeEndpoint,

      enableEndpoint: (key) => changeEndpoint({ ...key, disabled: false }),

      async deleteEndpoint({ businessId, id }) {
        // The endpoint is the outbox, so its events are published before it is deleted.
        await switchOff.publishNotices(await findEndpoint(endpoints, businessId, id));
        await deleteEndpoint(endpoints, businessId, id);
        deliverer.forget(id);
        await endPending(deliveries, id, "deleted");
        return { id };
      },

      async rotateSecret({ businessId, id }, _context, making) {
        const view = await rotateSecret(endpoints, config, { businessId, id }, making);
        deliverer.forget(id);
        return view;
      },

      async testEndpoint({ businessId, id }, _context, making) {
        const endpoint = await findEndpoint(endpoints, businessId, id);
        // An event that an earlier run of the request stored has been counted.
        if (!making.isRepeat || !(await hasEvent(publishing, making.id))) {
          if (endpoint.disabled) fail("WEBHOOK_DISABLED");
          await countTest(endpoints, { businessId, id });
        }
        await publishTest(publishing, endpoint, making.id);
        return { id: making.id };
      },

      async deliveries({ businessId, ...params }) {
        await findEndpoint(endpoints, businessId, params.id);
        return listDeliveries(deliveries, params);
      },

      async delivery({ businessId, id, deliveryId }) {
        await findEndpoint(endpoints, businessId, id);
        return deliveryView(await findDelivery(deliveries, id, deliveryId));
      },

      async replayDelivery(params, _context, making) {
        const view = await replayDelivery({ endpoints, deliveries }, params, making);
        wake([params.id]);
        return view;
      },

      async replay(params, _context, making) {
        const begun = await beginReplay({ endpoints, deliveries }, params, making);
        replayer.wake();
        return begun;
      },

      whereIs: ({ id }) =>
        findThing(id, [
          { kind: "webhook", documents: db.collection("webhook_endpoints") },
          { kind: "delivery", documents: db.collection("webhook_deliveries") },
          { kind: "event", documents: db.collection("webhook_events") },
        ]),

      attention: (params) => listAttention(db.models, params),

      events: (params) => listEvents(publishing.events, params),

      event: (params) => findEvent(publishing.events, params),

      deliveriesOf: (params) => listOfTransactions(deliveries, params),

      async publish({ events }) {
        await publish(publishing, events);
        return {};
      },

      async reviseEvents(params) {
        await reviseEvents(publishing, params);
        wake();
        return {};
      },
    }),

    methods: {
      gauges: () => [readBacklog(db.collection("webhook_deliveries"))],
    },

    async started() {
      const turns = (everyMs: number) => turnsOf(this.broker, "webhooks", everyMs);
      const collections = {
        endpoints: db.collection("webhook_endpoints"),
        events: db.collection("webhook_events"),
        deliveries: db.collection("webhook_deliveries"),
      };
      await expireAfter(
        db.connection.getClient().db(db.connection.name),
        config.webhooks.retentionMs,
      );
      deliverer = createDeliverer({
        config,
        ...collections,
        resolve,
        log: this.logger,
        metrics: metricsOf(this.broker),
        onDue: wake,
        onDueLater: (at) => sweeper.noticeDue(at),
        onAttempt: async (endpoint, attempt) => switchOff.note(endpoint, attempt),
      });
      publishing = { ...collections, deliverer, wake };
      sweeper = createSweeper({
        ...collections,
        deliverer,
        turns: turns(DELIVERIES_EVERY_MS),
        onError: (error) =>
          this.logger.warn("A sweep of due webhooks failed and is tried again", error),
      });
      sweeper.start();
      heads = createHeads({
        publishing,
        clock,
        makeHead: async (businessId) =>
          (await call(this.broker, "wallet-ledger.head", { businessId })).head,
        onError: (error) =>
          this.logger.warn("A head of the ledger failed and is tried again", error),
      });
      switchOff = createSwitchOff({
        ...collections,
        turns: turns(NOTICES_EVERY_MS),
        publish: (events) => publish(publishing, events),
        async onDisabled(id) {
          deliverer.forget(id);
          await endPending(deliveries, id, "disabled");
        },
        onError: (error) =>
          this.logger.warn("Switching off an endpoint failed and is tried again", error),
      });
      replayer = createReplayer({
        ...collections,
        turns: turns(REPLAYS_EVERY_MS),
        onDue: wake,
        onError: (error) => this.logger.warn("A part of a replay failed and is tried again", error),
      });
    },

    async stopped() {
      await heads?.stop();
      await replayer?.stop();
      await sweeper?.stop();
      await switchOff?.stop();
      await deliverer?.stop();
    },
  };
});
