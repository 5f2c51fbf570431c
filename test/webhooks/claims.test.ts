// Due deliveries: the claims and the order of several processes that work on them at the same
// moment, which the tests arrange on a real database; and the documents read to find them.

import type { mongo } from "mongoose";
import { type ClaimedDelivery, createClaims } from "../../services/webhooks/queue/claims.ts";
import {
  type Delivery,
  deliverySchema,
  pendingFrom,
} from "../../services/webhooks/queue/delivery.model.ts";
import { type Event, eventSchema } from "../../services/webhooks/queue/event.model.ts";
import { createSweeper } from "../../services/webhooks/queue/sweeper.ts";
import { systemClock } from "../../shared/clock.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { MAX_ATTEMPTS_KEPT } from "../../shared/contracts/deliveries.ts";
import { newId } from "../../shared/ids.ts";
import { database } from "../../shared/storage/database.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { withCommands } from "../support/commands.ts";
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

const HOLD_MS = 60_000;
const LATER = new Date(Date.now() + 600_000);

function someClaims({ orderHoldMs = HOLD_MS, of = deliveries, onDue = () => {} } = {}) {
  const webhooks = { ...config.webhooks, orderHoldMs };
  const sources = { config: { ...config, webhooks }, clock: systemClock, newId, events };
  return createClaims({ ...sources, deliveries: of, onDue });
}

/** A sweeper, and a deliverer with that room, in total and by endpoint, that sends nothing. */
function aSweeper({
  whole = Number.POSITIVE_INFINITY,
  roomAt = (): number => whole,
  of = deliveries,
}: {
  whole?: number;
  roomAt?: (id: string) => number;
  of?: typeof deliveries;
} = {}) {
  const taken: ClaimedDelivery[] = [];
  const held: string[] = [];
  const errors: unknown[] = [];
  const room = (id?: string) => {
    const all = whole - held.length;
    const own = held.filter((each) => each === id).length;
    return id === undefined ? all : Math.min(all, roomAt(id) - own);
  };
  const sweeper = createSweeper({
    ...{ deliveries: of, claims: someClaims({ of }), clock: systemClock, turns: OFTEN },
    deliverer: {
      room,
      reserve: (id) => room(id) > 0 && held.push(id) > 0,
      free: (id) => void held.splice(held.indexOf(id), 1),
      take: (delivery) => void taken.push(delivery),
    },
    onError: (error) => errors.push(error),
  });
  return { sweeper, taken, held, errors };
}

function aDelivery(given: Partial<Delivery>): Delivery {
  const now = new Date();
  return {
    ...{ _id: newId(), eventId: newId(), transactionId: newId(), endpointId: newId() },
    ...{ businessId: newId(), seq: 1, eventType: "WITHDRAWAL", createdAt: now, attempts: [] },
    ...pendingFrom(now),
    ...given,
  };
}

/** Stores deliveries with their events. @returns their ids */
async function due(
  count: number,
  given: Partial<Delivery> = {},
  bodyOf = (eventId: string) => eventId,
): Promise<string[]> {
  const list = Array.from({ length: count }, () => aDelivery(given));
  await deliveries.insertMany(list);
  await events.insertMany(
    list.map(({ eventId: _id, businessId, transactionId, seq, eventType, endpointId }) => {
      const event = { _id, businessId, transactionId, seq, eventType, endpointIds: [endpointId] };
      return { ...event, at: new Date(), body: bodyOf(_id) };
    }),
  );
  return list.map(({ _id }) => _id);
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
  const both = [aSweeper({ of: together }), aSweeper({ of: together })];

  for (const { sweeper } of both) sweeper.start();
  await until(() => both.reduce((sum, { taken }) => sum + taken.length, 0) >= expected.length);
  for (const { sweeper } of both) await sweeper.stop();

  expect(ids(both.flatMap(({ taken }) => taken))).toEqual(expected.toSorted());
  expect(both.map(({ taken, held }) => held.length - taken.length)).toEqual([0, 0]);
  expect(both.flatMap(({ errors }) => errors)).toEqual([]);
});

test("a sweep takes only due deliveries, up to the free room, each with its event's body", async () => {
  await due(30);
  await due(5, { nextAttemptAt: LATER });
  const one = aSweeper({ whole: 20 });
  one.sweeper.start();
  await until(() => one.taken.length > 0);
  await one.sweeper.stop();
  expect(one.taken).toHaveLength(20);
  for (const { body, eventId } of one.taken) expect(body).toBe(eventId);

  const other = aSweeper();
  other.sweeper.start();
  await until(() => other.taken.length > 0);
  await other.sweeper.stop();
  expect(other.taken).toHaveLength(10);
});

test("a claimed delivery carries a body of up to 4 KB in bytes", async () => {
  const most = "\u20ac".repeat(1_365);
  await due(3, {}, () => `${most}a`);
  await due(3, {}, () => `${most}ab`);
  const { sweeper, taken } = aSweeper();
  sweeper.start();
  await until(() => taken.length === 6);
  await sweeper.stop();
  const bodies = taken.map(({ body }) => body);
  expect(bodies.filter((body) => body === `${most}a`)).toHaveLength(3);
  expect(bodies.filter((body) => body === null)).toHaveLength(3);
});

test("a claimed delivery is due again after its claim has expired", async () => {
  const [id] = await due(1);
  const { sweeper, taken } = aSweeper();
  sweeper.start();
  await until(() => taken.length === 1);
  const { claimedUntil } = taken[0] as ClaimedDelivery;
  expect(claimedUntil).toBeGreaterThan(Date.now() + config.webhooks.timeoutMs);
  await deliveries.updateMany(
    { nextAttemptAt: new Date(claimedUntil) },
    { $set: { nextAttemptAt: new Date() } },
  );
  await until(() => taken.length === 2);
  await sweeper.stop();
  const [first, second] = taken as [ClaimedDelivery, ClaimedDelivery];
  expect([first._id, second._id]).toEqual([id, id]);
  expect(second.claim).not.toBe(first.claim);
});

test("outcomes that are recorded together keep their own attempts, up to a hundred", async () => {
  const at = new Date();
  const attempt = (response: string | null) => {
    return { at, statusCode: 200, durationMs: 1, error: null, errorClass: null, response };
  };
  const kept = Array.from({ length: MAX_ATTEMPTS_KEPT }, (_, i) => attempt(String(i)));
  await due(3);
  await due(1, { attempts: kept });
  const claims = someClaims();
  const claimed = await claims.claim(await deliveries.find().sort({ _id: 1 }).toArray());
  type Four = [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery, ClaimedDelivery];
  const [first, second, none, full] = claimed as Four;
  // Another process has the claim of the second one since.
  await deliveries.updateOne({ _id: second._id }, { $set: { claim: "another" } });
  const fields = { nextAttemptAt: null, failures: 0, failingSince: null };
  const change = { ...fields, status: "DELIVERED", deadLetterReason: null } as const;
  const end = { ...fields, status: "DEAD_LETTER", deadLetterReason: "deleted" } as const;
  await Promise.all([
    claims.record({ delivery: first, change, attempt: attempt("$status") }),
    claims.record({ delivery: second, change, attempt: attempt("lost") }),
    claims.record({ delivery: none, change: end, attempt: null }),
    claims.record({ delivery: full, change, attempt: attempt("last") }),
  ]);
  const stored = await deliveries.find().sort({ _id: 1 }).toArray();
  expect(stored.map(({ status, claim, attempts }) => [status, claim, attempts])).toEqual([
    ["DELIVERED", null, [attempt("$status")]],
    ["PENDING", "another", []],
    ["DEAD_LETTER", null, []],
    ["DELIVERED", null, [...kept.slice(1), attempt("last")]],
  ]);
});

test("a search that waited for the database for minutes does not put the next one off", async () => {
  const realNow = performance.now.bind(performance);
  let passedMs = 0;
  jest.spyOn(performance, "now").mockImplementation(() => realNow() + passedMs);
  const slow = new Proxy(deliveries, {
    get: (target, name) => {
      if (name === "aggregate") passedMs += 10 * 60_000;
      return Reflect.get(target, name) as unknown;
    },
  });
  const { sweeper, taken } = aSweeper({ of: slow });
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

/** Two deliveries of one transaction to one endpoint, both claimed. */
async function twoClaimed(overrides: Partial<Delivery> = {}) {
  const [transactionId, endpointId, businessId] = [newId(), newId(), newId()];
  const list = [1, 2].map((seq) => ({
    ...aDelivery({ transactionId, endpointId, businessId, seq, nextAttemptAt: LATER }),
    ...(seq === 1 && overrides),
    claim: newId(),
  }));
  await deliveries.insertMany(list);
  const claimed = list.map((each) => ({ ...each, claimedUntil: LATER.getTime(), body: null }));
  return { earlier: claimed[0], later: claimed[1] } as Record<
    "earlier" | "later",
    Delivery & ClaimedDelivery
  >;
}

const deliveredNow = (delivery: ClaimedDelivery) => ({
  ...{ delivery, attempt: null },
  change: {
    ...{ status: "DELIVERED" as const, deadLetterReason: null, nextAttemptAt: null },
    ...{ failures: 0, failingSince: null },
  },
});

const stored = async (delivery: Delivery) =>
  (await deliveries.findOne({ _id: delivery._id })) as Delivery;

test("a later delivery is held until the earlier one ends, and is due then", async () => {
  const { earlier, later } = await twoClaimed();
  const released = jest.fn();
  const claims = someClaims({ onDue: released });

  expect(await claims.mayGo(later)).toBe(false);
  expect(await stored(later)).toMatchObject({ held: true, claim: null, nextAttemptAt: LATER });
  const ended = deliveredNow(earlier);
  await claims.record(ended);
  await claims.releaseAfter(ended);

  expect(released).toHaveBeenCalledTimes(1);
  const { held, nextAttemptAt } = await stored(later);
  expect(held).toBe(false);
  expect(nextAttemptAt?.getTime()).toBeLessThanOrEqual(Date.now());
});

test("an end of the earlier delivery is not missed while the later one is being held", async () => {
  const { earlier, later } = await twoClaimed();
  const elsewhere = someClaims();
  // The earlier delivery ends and releases held deliveries, between the read and the hold.
  const crossed = withCommands(deliveries, async (send) => {
    const ended = deliveredNow(earlier);
    await elsewhere.record(ended);
    await elsewhere.releaseAfter(ended);
    return send();
  });
  const released = jest.fn();
  const claims = someClaims({ of: crossed, onDue: released });

  expect(await claims.mayGo(later)).toBe(false);

  expect(released).toHaveBeenCalled();
  const { held, nextAttemptAt } = await stored(later);
  expect(held).toBe(false);
  expect(nextAttemptAt?.getTime()).toBeLessThanOrEqual(Date.now());
});

test("a delivery that has failed for too long is not ended while an attempt is under way", async () => {
  const { earlier, later } = await twoClaimed({ failingSince: new Date(Date.now() - 2 * HOLD_MS) });
  const claims = someClaims();

  expect(await claims.mayGo(later)).toBe(false);
  expect(await stored(earlier)).toMatchObject({ status: "PENDING", claim: earlier.claim });

  await deliveries.updateOne({ _id: earlier._id }, { $set: { claim: null } });
  await deliveries.updateOne({ _id: later._id }, { $set: { claim: later.claim, held: false } });
  expect(await claims.mayGo(later)).toBe(true);
  expect(await stored(earlier)).toMatchObject({
    status: "DEAD_LETTER",
    deadLetterReason: "superseded",
    nextAttemptAt: null,
  });
});

test("a hold changes nothing if another process has the claim", async () => {
  const { later } = await twoClaimed();
  const claims = someClaims();
  expect(await claims.mayGo({ ...later, claim: newId() })).toBe(false);
  expect(await stored(later)).toMatchObject({ claim: later.claim, held: false });
});

describe("a held delivery is not due again", () => {
  const MINUTE_MS = 60_000;
  const inMs = (ms: number) => new Date(Date.now() + ms);

  /** The milliseconds until a held delivery is due, unless it is released before. */
  async function heldFor(earlierState: Partial<Delivery>): Promise<number> {
    const { earlier, later } = await twoClaimed();
    await deliveries.updateOne({ _id: earlier._id }, { $set: { claim: null, ...earlierState } });
    const claims = someClaims({ orderHoldMs: 60 * MINUTE_MS });
    expect(await claims.mayGo(later)).toBe(false);
    return ((await stored(later)).nextAttemptAt?.getTime() as number) - Date.now();
  }

  test("for a while if the earlier one is due and waits for its endpoint", async () => {
    expect(await heldFor({ nextAttemptAt: inMs(-10 * MINUTE_MS) })).toBeGreaterThan(20_000);
    // The same if the process that had claimed it has died.
    const lapsed = { nextAttemptAt: inMs(-10 * MINUTE_MS), claim: newId() };
    expect(await heldFor(lapsed)).toBeGreaterThan(20_000);
  });

  test("before the retry of the earlier one", async () => {
    expect(await heldFor({ nextAttemptAt: inMs(5 * MINUTE_MS) })).toBeGreaterThan(5 * MINUTE_MS);
  });

  test("later than the time at which the earlier one may be ended", async () => {
    const failingSince = inMs(-58 * MINUTE_MS);
    const left = await heldFor({ nextAttemptAt: inMs(300 * MINUTE_MS), failingSince });
    expect(left).toBeLessThanOrEqual(2 * MINUTE_MS);
    expect(left).toBeGreaterThan(MINUTE_MS);
  });
});

test("reads neither ended nor future deliveries, nor a backlog without free room", async () => {
  const [none, little, ...others] = Array.from({ length: 12 }, () => newId()) as [
    string,
    string,
    ...string[],
  ];
  for (let i = 0; i < 2; i++) {
    await due(5_000, { endpointId: none });
    await due(5_000, { endpointId: little });
    await due(5_000, { endpointId: others[i] as string, nextAttemptAt: LATER });
    await due(2_500, { endpointId: others[i] as string, status: "DELIVERED", nextAttemptAt: null });
    await due(2_500, { endpointId: little, status: "DEAD_LETTER", nextAttemptAt: null });
  }
  for (const id of others) await due(5, { endpointId: id });
  const roomAt = (id: string) => (id === none ? 0 : id === little ? 4 : 100);
  const { sweeper, held, errors } = aSweeper({ roomAt });
  const native = db.connection.getClient().db(db.connection.name);
  await native.command({ profile: 2 });
  const looks = () =>
    native
      .collection<{ keysExamined: number; docsExamined: number }>("system.profile")
      .find({ op: "command", "command.aggregate": "webhook_deliveries" })
      .toArray();

  sweeper.start();
  await until(() => held.length >= 54);
  // The sweeper continues to read, because deliveries without room remain.
  await until(async () => (await looks()).length >= 5);
  await sweeper.stop();
  await native.command({ profile: 0 });

  const expected = [
    ...Array<string>(4).fill(little),
    ...others.flatMap((id) => Array<string>(5).fill(id)),
  ];
  expect(held.toSorted()).toEqual(expected.toSorted());
  for (const { keysExamined, docsExamined } of await looks()) {
    expect(keysExamined).toBeLessThan(200);
    expect(docsExamined).toBeLessThan(200);
  }
  expect(errors).toEqual([]);
});

test("continues at the delivery where the room ended, so each endpoint has its turn", async () => {
  const endpointIds = Array.from({ length: 20 }, () => newId());
  for (const endpointId of endpointIds) await due(50, { endpointId });
  const { sweeper, taken, held } = aSweeper({ whole: 10, roomAt: () => 5 });
  sweeper.start();
  await until(() => {
    held.splice(0);
    sweeper.wake();
    return new Set(taken.map(({ endpointId }) => endpointId)).size === endpointIds.length;
  });
  await sweeper.stop();
  expect(taken.length).toBeLessThan(20 * 50);
});
