// Retention: events and deliveries expire by an index that follows WEBHOOK_RETENTION, also in a
// database created with another setting; a pending delivery without its event ends.

import mongoose, { type mongo } from "mongoose";
import type { Delivery } from "../../services/webhooks/queue/delivery.model.ts";
import type { Event } from "../../services/webhooks/queue/event.model.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { newId } from "../../shared/ids.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { type System, startSystem, testEnvironment, until } from "../support/system.ts";
import { anEvent, deliveriesOnce, eventsOfPayout } from "../support/webhook-events.ts";

const DAY_S = 86_400;
const EXPIRING = [
  ["webhook_events", "at"],
  ["webhook_deliveries", "createdAt"],
] as const;

let connection: mongoose.Connection;
let db: mongo.Db;
let environment: Record<string, string>;
const started: System[] = [];

beforeEach(async () => {
  environment = testEnvironment({ WEBHOOK_RETRY_SCHEDULE: "1h,1h" });
  connection = await mongoose.createConnection(environment.MONGO_URL as string).asPromise();
  db = connection.getClient().db(connection.name);
});
afterEach(async () => {
  await connection.close();
  for (const system of started.splice(0).toReversed()) await system.stop();
});

/** Starts the service on the test's database with that retention. */
async function start(retention = ""): Promise<System> {
  const setting = { WEBHOOK_RETENTION: retention };
  const system = await startSystem([webhooks], { ...environment, ...setting });
  started.push(system);
  return system;
}

/** The number of days after which documents of the collections expire; null without an expiry. */
async function retentionDays(): Promise<(number | null)[]> {
  const found = EXPIRING.map(async ([name, field]) => {
    const indexes = await db.collection(name).indexes();
    const ttl = indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
    expect(ttl.length).toBeLessThanOrEqual(1);
    if (ttl[0]) expect(ttl[0].key).toEqual({ [field]: 1 });
    return ttl[0] ? (ttl[0].expireAfterSeconds as number) / DAY_S : null;
  });
  return Promise.all(found);
}

test("events and deliveries expire after ninety days by default", async () => {
  await start();
  expect(await retentionDays()).toEqual([90, 90]);
});

test("a changed setting is applied at the next start, whether longer or shorter", async () => {
  for (const [setting, days] of [
    ["30d", 30],
    ["365d", 365],
    ["365d", 365],
    ["7d", 7],
  ] as const) {
    const system = await start(setting);
    expect(await retentionDays()).toEqual([days, days]);
    await system.broker.stop();
  }
});

test("a longer retention stores the time since which all younger documents are kept", async () => {
  const since = async () => {
    const kept = db.collection<{ _id: string; since: Date }>("webhook_retention");
    const found = await kept.find().sort({ _id: -1 }).toArray();
    expect(found.map(({ _id }) => _id)).toEqual(EXPIRING.map(([name]) => name));
    return found.map((each) => each.since.getTime());
  };
  for (const setting of ["90d", "30d"]) await (await start(setting)).broker.stop();
  expect(await db.collection("webhook_retention").countDocuments()).toBe(0);

  const before = Date.now() - 30 * DAY_S * 1_000;
  await (await start("60d")).broker.stop();
  for (const each of await since()) expect(each).toBeGreaterThanOrEqual(before);
  const grown = await since();
  // A further increase keeps the first stored time.
  await (await start("365d")).broker.stop();
  expect(await since()).toEqual(grown);
});

test("several processes that start at once with a new setting all start", async () => {
  await start("30d");
  await Promise.all([start("60d"), start("60d"), start("60d")]);
  expect(await retentionDays()).toEqual([60, 60]);
});

test("an index on the same field without expiry is replaced by one with expiry", async () => {
  for (const [name, field] of EXPIRING) await db.collection(name).createIndex({ [field]: 1 });
  expect(await retentionDays()).toEqual([null, null]);
  await start("10d");
  expect(await retentionDays()).toEqual([10, 10]);
});

describe("a pending delivery whose event has expired", () => {
  let receiver: Receiver;
  let system: System;
  let deliveries: mongo.Collection<Delivery>;
  let events: mongo.Collection<Event>;
  let businessId: string;

  beforeEach(async () => {
    receiver = await startReceiver();
    system = await start();
    deliveries = db.collection("webhook_deliveries");
    events = db.collection("webhook_events");
    businessId = newId();
    await system.call("webhooks.createEndpoint", { businessId, url: receiver.url() });
  });
  afterEach(() => receiver.stop());

  test("becomes a dead letter without an attempt", async () => {
    receiver.behave(() => ({ status: 500 }));
    const event = anEvent({ businessId });
    await system.call("webhooks.publish", { events: [event] });
    await deliveriesOnce(system, event, (d) => d.attempts.length === 1);
    await events.deleteOne({ _id: event.id });
    await deliveries.updateOne({ eventId: event.id }, { $set: { nextAttemptAt: new Date() } });

    const [delivery] = await deliveriesOnce(system, event, (d) => d.status === "DEAD_LETTER");

    expect(delivery).toMatchObject({ deadLetterReason: "expired", nextAttemptAt: null });
    expect(delivery?.attempts).toHaveLength(1);
    expect(receiver.requests).toHaveLength(1);
  });

  test("does not hold back later deliveries", async () => {
    receiver.behave(({ event }) => ({ status: event.status === "PENDING" ? 500 : 200 }));
    const [first, second] = eventsOfPayout(businessId, ["PENDING", "SUCCESS"]) as [
      ReturnType<typeof anEvent>,
      ReturnType<typeof anEvent>,
    ];
    await system.call("webhooks.publish", { events: [first] });
    await deliveriesOnce(system, first, (d) => d.attempts.length === 1);
    await system.call("webhooks.publish", { events: [second] });
    await until(async () => deliveries.findOne({ eventId: second.id, held: true }));
    await events.deleteOne({ _id: first.id });
    await deliveries.updateMany(
      { transactionId: first.transactionId },
      { $set: { nextAttemptAt: new Date() } },
    );

    const ended = await deliveriesOnce(system, first, (d) => d.status !== "PENDING");

    expect(ended.map(({ deadLetterReason }) => deadLetterReason)).toEqual(["expired", null]);
    expect(receiver.accepted).toEqual([second.id]);
  });
});
