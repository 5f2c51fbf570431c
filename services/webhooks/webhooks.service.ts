// webhooks: endpoints of businesses, the events handed over for them, and their delivery. It says
// nothing of its own: what an event tells is decided by whoever hands it over.

import type { ServiceSchema } from "moleculer";
import type { mongo } from "mongoose";
import { implement } from "../../shared/actions.ts";
import { database } from "../../shared/database.ts";
import type { Config } from "../../shared/env.ts";
import { fail } from "../../shared/errors.ts";
import { deliveriesOf, endPending, listDeliveries } from "./deliveries.ts";
import { type Delivery, deliverySchema } from "./delivery.model.ts";
import { createDeliverer, type Deliverer } from "./delivery.ts";
import { type Resolve, resolveName } from "./destination.ts";
import { type Endpoint, endpointSchema } from "./endpoint.model.ts";
import {
  createEndpoint,
  deleteEndpoint,
  endpointView,
  findEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
} from "./endpoints.ts";
import { type Event, eventSchema } from "./event.model.ts";
import { type Collections, publish, publishTest } from "./events.ts";
import { createSweeper, type Sweeper } from "./sweeper.ts";

/** @param resolve how host names of destinations are looked up */
export default function webhooks(
  config: Config,
  { resolve = resolveName }: { resolve?: Resolve } = {},
): ServiceSchema {
  const db = database(config, "webhooks", {
    webhook_endpoints: endpointSchema,
    webhook_events: eventSchema,
    webhook_deliveries: deliverySchema,
  });
  const { webhook_endpoints: endpoints, webhook_deliveries: deliveries } = db.models;
  let collections: Collections;
  let deliverer: Deliverer;
  let sweeper: Sweeper;
  const wake = () => sweeper.wake();

  /** The driver's own collections, for the batches: nothing in them needs casting or checking. */
  function open(): Collections {
    const native = db.connection.getClient().db(db.connection.name);
    const named = <T extends mongo.BSON.Document>(name: string) => native.collection<T>(name);
    return {
      endpoints: named<Endpoint>("webhook_endpoints"),
      events: named<Event>("webhook_events"),
      deliveries: named<Delivery>("webhook_deliveries"),
    };
  }

  return {
    name: "webhooks",

    actions: implement("webhooks", {
      async ready() {
        await db.ping();
        return {};
      },

      createEndpoint: (params) => createEndpoint(endpoints, config, params),

      endpoints: ({ businessId, ...paging }) => listEndpoints(endpoints, businessId, paging),

      async endpoint({ businessId, id }) {
        return endpointView(await findEndpoint(endpoints, businessId, id));
      },

      async updateEndpoint(params) {
        const view = await updateEndpoint(endpoints, config, params);
        deliverer.forget(view.id);
        if (view.disabled) await endPending(deliveries, view.id, "disabled");
        return view;
      },

      async deleteEndpoint({ businessId, id }) {
        await deleteEndpoint(endpoints, businessId, id);
        deliverer.forget(id);
        await endPending(deliveries, id, "deleted");
        return { id };
      },

      async rotateSecret({ businessId, id }) {
        const view = await rotateSecret(endpoints, config, businessId, id);
        deliverer.forget(id);
        return view;
      },

      async testEndpoint({ businessId, id }) {
        const endpoint = await findEndpoint(endpoints, businessId, id);
        if (endpoint.disabled) fail("WEBHOOK_DISABLED");
        return { id: await publishTest(collections, deliverer, endpoint, wake) };
      },

      async deliveries({ businessId, id, cursor, limit }) {
        await findEndpoint(endpoints, businessId, id);
        return listDeliveries(deliveries, id, { cursor, limit });
      },

      deliveriesOf: ({ businessId, transactionId }) =>
        deliveriesOf(deliveries, businessId, transactionId),

      async publish({ events }) {
        await publish(collections, deliverer, events, wake);
        return {};
      },
    }),

    async started() {
      await db.open();
      collections = open();
      deliverer = createDeliverer({
        config,
        ...collections,
        resolve,
        log: this.logger,
        onDue: wake,
      });
      sweeper = createSweeper({
        ...collections,
        deliverer,
        onError: (error) => this.logger.warn("Due webhooks were not claimed, once", error),
      });
      sweeper.start();
    },

    async stopped() {
      await sweeper?.stop();
      await deliverer?.stop();
      await db.close();
    },
  };
}
