// A business's past deliveries, written into the collections of webhooks, because a test cannot
// wait for so many of them or for their rare states.

import mongoose, { type Connection } from "mongoose";
import type { Endpoint, Replay } from "../../services/webhooks/endpoints/endpoint.model.ts";
import type { Delivery } from "../../services/webhooks/queue/delivery.model.ts";
import type { Event } from "../../services/webhooks/queue/event.model.ts";
import { newId } from "../../shared/ids.ts";
import type { System } from "./system.ts";

export interface Past {
  connection: Connection;
  deliveries: mongoose.mongo.Collection<Delivery>;
  /** Stores deliveries to an endpoint with their events; they are delivered by default. */
  add(endpoint: { id: string; businessId: string }, list: Partial<Delivery>[]): Promise<Delivery[]>;
  /** Gives an endpoint a replay that is under way, or changes it. */
  setReplay(endpointId: string, replay: Replay): Promise<void>;
  replayOf(endpointId: string): Promise<Replay | undefined>;
  close(): Promise<void>;
}

export async function pastOf({ config }: Pick<System, "config">): Promise<Past> {
  // Majority reads, so the services see every change that this client sees.
  const reading = { readConcernLevel: "majority" } as const;
  const connection = await mongoose
    .createConnection(config.mongoUrl as string, reading)
    .asPromise();
  const deliveries = connection.collection<Delivery>("webhook_deliveries");
  const events = connection.collection<Event>("webhook_events");
  const endpoints = connection.collection<Endpoint>("webhook_endpoints");
  return {
    connection,
    deliveries: deliveries as unknown as Past["deliveries"],

    async add({ id: endpointId, businessId }, list) {
      const whole = list.map((each) => aDelivery({ endpointId, businessId, ...each }));
      await events.insertMany(whole.map(eventOf));
      await deliveries.insertMany(whole);
      return whole;
    },

    async setReplay(endpointId, replay) {
      await endpoints.updateOne({ _id: endpointId }, { $set: { replay } });
    },

    async replayOf(endpointId) {
      return (await endpoints.findOne({ _id: endpointId }))?.replay;
    },

    close: () => connection.close(),
  };
}

function aDelivery(
  given: Pick<Delivery, "endpointId" | "businessId"> & Partial<Delivery>,
): Delivery {
  const attempt = { statusCode: 200, durationMs: 3, error: null, errorClass: null, response: null };
  return {
    _id: newId(),
    eventId: newId(),
    transactionId: newId(),
    seq: 1,
    eventType: "WITHDRAWAL",
    status: "DELIVERED",
    deadLetterReason: null,
    createdAt: new Date(),
    nextAttemptAt: null,
    claim: null,
    held: false,
    failures: 0,
    failingSince: null,
    attempts: [{ at: new Date(), ...attempt }],
    ...given,
  };
}

function eventOf(delivery: Delivery): Event {
  const { eventId, businessId, transactionId, seq, eventType, endpointId, createdAt } = delivery;
  const payload = { transactionId, seq };
  return {
    _id: eventId,
    businessId,
    transactionId,
    seq,
    at: createdAt,
    eventType,
    body: JSON.stringify({ eventType, status: "SUCCESS", payload }),
    endpointIds: [endpointId],
  };
}
