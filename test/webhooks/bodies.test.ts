// Large events: a delivery reads its large body when its attempt begins.

import mongoose, { type mongo } from "mongoose";
import { Webhook } from "standardwebhooks";
import type { Delivery } from "../../services/webhooks/queue/delivery.model.ts";
import { START_LIMIT } from "../../services/webhooks/queue/endpoint.ts";
import type { Event } from "../../services/webhooks/queue/event.model.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { newId } from "../../shared/ids.ts";
import { type Received, type Receiver, startReceiver } from "../support/receiver.ts";
import { type System, startSystem, until } from "../support/system.ts";
import { anEvent, deliveriesOnce } from "../support/webhook-events.ts";

let system: System;
let receiver: Receiver;
let connection: mongoose.Connection;
let events: mongo.Collection<Event>;
let deliveries: mongo.Collection<Delivery>;

beforeAll(async () => {
  system = await startSystem([webhooks], { WEBHOOK_RETRY_SCHEDULE: "50ms,1h" });
  connection = await mongoose.createConnection(system.config.mongoUrl as string).asPromise();
  const db = connection.getClient().db(connection.name);
  events = db.collection("webhook_events");
  deliveries = db.collection("webhook_deliveries");
});
afterAll(async () => {
  await connection.close();
  await system.stop();
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());

const register = (businessId: string, path = "/") =>
  system.call("webhooks.createEndpoint", { businessId, url: receiver.url(path) });

/** An event of about 100 KB with characters of one to four bytes. */
function aLargeEvent(businessId: string) {
  const payload = { customData: "a\u00e9\u20ac\u{1f600}".repeat(10_000) };
  return anEvent({ businessId, body: { eventType: "WITHDRAWAL", status: "SUCCESS", payload } });
}

test("a large event arrives complete and signed, on the first attempt and on a retry", async () => {
  const businessId = newId();
  const endpoints = [await register(businessId, "/a"), await register(businessId, "/b")];
  const refused = new Set<string>();
  receiver.behave(({ path, id }) => {
    const isFirst = !refused.has(path + id);
    refused.add(path + id);
    return { status: isFirst ? 500 : 200 };
  });
  const large = aLargeEvent(businessId);
  const small = anEvent({ businessId });

  await system.call("webhooks.publish", { events: [large, small] });
  for (const event of [large, small]) {
    await deliveriesOnce(system, event, ({ status }) => status === "DELIVERED");
  }

  const ofLarge = receiver.requests.filter(({ id }) => id === large.id);
  const ofSmall = receiver.requests.filter(({ id }) => id === small.id);
  expect(ofLarge.length + ofSmall.length).toBe(4 * endpoints.length);
  for (const { body } of ofLarge) expect(body).toBe(JSON.stringify(large.body));
  for (const { body } of ofSmall) expect(body).toBe(JSON.stringify(small.body));
  const verifies = (secret: string, { body, headers }: Received) => {
    try {
      return Boolean(new Webhook(secret).verify(body, headers as Record<string, string>));
    } catch {
      return false;
    }
  };
  for (const request of receiver.requests) {
    expect(endpoints.filter(({ secret }) => verifies(secret, request))).toHaveLength(1);
  }
});

test("a large event removed before its first attempt becomes a dead letter and is not sent", async () => {
  const businessId = newId();
  await register(businessId);
  const answer = Promise.withResolvers<void>();
  receiver.behave(() => ({ after: answer.promise }));
  const first = Array.from({ length: START_LIMIT }, () => anEvent({ businessId }));
  await system.call("webhooks.publish", { events: first });
  await until(() => receiver.requests.length === START_LIMIT);
  const large = aLargeEvent(businessId);
  await system.call("webhooks.publish", { events: [large] });
  // The delivery is claimed and waits for its turn.
  expect(await deliveries.findOne({ eventId: large.id })).toMatchObject({
    claim: expect.any(String) as string,
  });
  await events.deleteOne({ _id: large.id });
  answer.resolve();

  const [delivery] = await deliveriesOnce(system, large, ({ status }) => status !== "PENDING");

  expect(delivery).toMatchObject({
    status: "DEAD_LETTER",
    deadLetterReason: "expired",
    nextAttemptAt: null,
    attempts: [],
  });
  expect(receiver.requests.map(({ id }) => id)).not.toContain(large.id);
});

test("a large event removed before its retry becomes a dead letter", async () => {
  const businessId = newId();
  await register(businessId);
  receiver.behave(() => ({ status: 503, headers: { "retry-after": "3600" } }));
  const large = aLargeEvent(businessId);
  await system.call("webhooks.publish", { events: [large] });
  await deliveriesOnce(system, large, ({ attempts }) => attempts.length === 1);
  await events.deleteOne({ _id: large.id });
  await deliveries.updateOne({ eventId: large.id }, { $set: { nextAttemptAt: new Date() } });

  const [delivery] = await deliveriesOnce(system, large, ({ status }) => status !== "PENDING");

  expect(delivery).toMatchObject({ status: "DEAD_LETTER", deadLetterReason: "expired" });
  expect(receiver.requests).toHaveLength(1);
});
