// Claims of due deliveries while several sweepers see them at the same moment: one sweeper takes
// each delivery.

import type { mongo } from "mongoose";
import { type Delivery, deliverySchema } from "../../services/webhooks/queue/delivery.model.ts";
import type { Deliverer } from "../../services/webhooks/queue/delivery.ts";
import { type Event, eventSchema } from "../../services/webhooks/queue/event.model.ts";
import type { ClaimedDelivery } from "../../services/webhooks/queue/outcome.ts";
import { createSweeper } from "../../services/webhooks/queue/sweeper.ts";
import { systemClock } from "../../shared/clock.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { newId } from "../../shared/ids.ts";
import { database } from "../../shared/storage/database.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { testEnvironment, until } from "../support/system.ts";
import { OFTEN } from "../support/turns.ts";

const config = loadConfig(testEnvironment());
const schemas = { webhook_deliveries: deliverySchema, webhook_events: eventSchema };
const db = database(config, "test", schemas);
let deliveries: mongo.Collection<Delivery>;
let events: mongo.Collection<Event>;

beforeAll(async () => {
  await migrateConfigured(config, { schemas });
  await db.open();
  deliveries = db.collection("webhook_deliveries");
  events = db.collection("webhook_events");
});
beforeEach(() => deliveries.deleteMany({}));
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await db.connection.dropDatabase();
  await db.close();
});

const SOURCES = { clock: systemClock, newId };

/** A deliverer that takes up to `room` deliveries and sends none. */
function aDeliverer(room = Number.POSITIVE_INFINITY) {
  const taken: ClaimedDelivery[] = [];
  let reserved = 0;
  const deliverer: Pick<Deliverer, "reserve" | "free" | "room" | "leaseEnd" | "take"> = {
    reserve: () => reserved < room && ++reserved > 0,
    free: () => void reserved--,
    room: () => room - reserved,
    leaseEnd: () => new Date(Date.now() + 60_000),
    take: (delivery) => void taken.push(delivery),
  };
  return { deliverer, taken, reserved: () => reserved };
}

async function due(
  count: number,
  nextAttemptAt = new Date(),
  bodyOf = (eventId: string) => eventId,
): Promise<string[]> {
  const list = Array.from({ length: count }, () => {
    const [eventId, transactionId, endpointId, businessId] = [newId(), newId(), newId(), newId()];
    const shared = { businessId, transactionId, seq: 1, eventType: "WITHDRAWAL" as const };
    const state = { status: "PENDING" as const, deadLetterReason: null, claim: null, held: false };
    const past = { createdAt: new Date(), failures: 0, failingSince: null, attempts: [] };
    const ids = { _id: newId(), eventId, endpointId };
    return {
      event: {
        ...{ _id: eventId, ...shared, at: new Date() },
        ...{ body: bodyOf(eventId), endpointIds: [endpointId] },
      },
      delivery: { ...ids, ...shared, ...state, ...past, nextAttemptAt },
    };
  });
  await events.insertMany(list.map(({ event }) => event));
  await deliveries.insertMany(list.map(({ delivery }) => delivery));
  return list.map(({ delivery }) => delivery._id);
}

const ids = (taken: ClaimedDelivery[]) => taken.map(({ _id }) => _id).toSorted();

test("a delivery that two sweepers read at the same moment is taken by one of them", async () => {
  const expected = await due(200);
  // Each sweeper claims only after both have read.
  let looked = 0;
  const bothLooked = Promise.withResolvers<void>();
  const together = new Proxy(deliveries, {
    get: (target, name) =>
      name === "updateMany"
        ? async (...args: Parameters<typeof target.updateMany>) => {
            looked += 1;
            if (looked === 2) bothLooked.resolve();
            await bothLooked.promise;
            return target.updateMany(...args);
          }
        : (Reflect.get(target, name) as unknown),
  });
  const both = [aDeliverer(), aDeliverer()];
  const errors: unknown[] = [];
  const sweepers = both.map(({ deliverer }) =>
    createSweeper({
      ...SOURCES,
      deliveries: together,
      events,
      deliverer,
      turns: OFTEN,
      onError: (error) => errors.push(error),
    }),
  );

  for (const sweeper of sweepers) sweeper.start();
  await until(() => both.reduce((sum, { taken }) => sum + taken.length, 0) >= expected.length);
  for (const sweeper of sweepers) await sweeper.stop();

  expect(ids(both.flatMap(({ taken }) => taken))).toEqual(expected.toSorted());
  expect(both.map(({ taken, reserved }) => reserved() - taken.length)).toEqual([0, 0]);
  expect(errors).toEqual([]);
});

test("a sweep takes only due deliveries, up to the free room, each with its event's body", async () => {
  await due(30);
  await due(5, new Date(Date.now() + 60_000));
  const one = aDeliverer(20);
  const options = { ...SOURCES, deliveries, events, turns: OFTEN, onError: () => {} };
  const sweeper = createSweeper({ ...options, deliverer: one.deliverer });
  sweeper.start();
  await until(() => one.taken.length > 0);
  await sweeper.stop();
  expect(one.taken).toHaveLength(20);
  for (const { body, eventId } of one.taken) expect(body).toBe(eventId);

  const other = aDeliverer();
  const second = createSweeper({ ...options, deliverer: other.deliverer });
  second.start();
  await until(() => other.taken.length > 0);
  await second.stop();
  expect(other.taken).toHaveLength(10);
});

test("a claimed delivery carries a body of up to 4 KB in bytes", async () => {
  const most = "\u20ac".repeat(1_365);
  await due(3, new Date(), () => `${most}a`);
  await due(3, new Date(), () => `${most}ab`);
  const { deliverer, taken } = aDeliverer();
  const options = { ...SOURCES, deliveries, events, turns: OFTEN, onError: () => {} };
  const sweeper = createSweeper({ ...options, deliverer });
  sweeper.start();
  await until(() => taken.length === 6);
  await sweeper.stop();
  const bodies = taken.map(({ body }) => body);
  expect(bodies.filter((body) => body === `${most}a`)).toHaveLength(3);
  expect(bodies.filter((body) => body === null)).toHaveLength(3);
});

test("a claimed delivery is due again after its claim has expired", async () => {
  const [id] = await due(1);
  const one = aDeliverer();
  const lapsing = { ...one.deliverer, leaseEnd: () => new Date(Date.now() + 300) };
  const options = { ...SOURCES, deliveries, events, turns: OFTEN, onError: () => {} };
  const sweeper = createSweeper({ ...options, deliverer: lapsing });
  sweeper.start();
  await until(() => one.taken.length === 2);
  await sweeper.stop();
  const [first, second] = one.taken as [ClaimedDelivery, ClaimedDelivery];
  expect([first._id, second._id]).toEqual([id, id]);
  expect(second.claim).not.toBe(first.claim);
});

test("a search that waited for the database for minutes does not put the next one off", async () => {
  const { deliverer, taken } = aDeliverer();
  const realNow = performance.now.bind(performance);
  let passedMs = 0;
  jest.spyOn(performance, "now").mockImplementation(() => realNow() + passedMs);
  const slow = new Proxy(deliveries, {
    get: (target, name) => {
      if (name === "aggregate") passedMs += 10 * 60_000;
      return Reflect.get(target, name) as unknown;
    },
  });
  const sweeper = createSweeper({
    ...SOURCES,
    deliveries: slow,
    events,
    deliverer,
    turns: OFTEN,
    onError: () => {},
  });
  sweeper.start();
  try {
    for (const taking of [1, 2]) {
      await due(1);
      await until(() => taken.length === taking);
    }
  } finally {
    await sweeper.stop();
  }
});
