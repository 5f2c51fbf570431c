// One endpoint or business does not delay the others: turns, places, and the number of documents
// read to find due deliveries.

import { type AddressInfo, createServer, type Socket } from "node:net";
import { mock } from "node:test";
import type { mongo } from "mongoose";
import { START_LIMIT } from "../../services/webhooks/queue/circuits.ts";
import { type Delivery, deliverySchema } from "../../services/webhooks/queue/delivery.model.ts";
import { type Event, eventSchema } from "../../services/webhooks/queue/event.model.ts";
import { createLanes, holdLimit } from "../../services/webhooks/queue/lanes.ts";
import type { ClaimedDelivery } from "../../services/webhooks/queue/outcome.ts";
import { createSweeper } from "../../services/webhooks/queue/sweeper.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { systemClock } from "../../shared/clock.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { newId } from "../../shared/ids.ts";
import { database } from "../../shared/storage/database.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { type System, startSystem, testEnvironment, until } from "../support/system.ts";
import { OFTEN } from "../support/turns.ts";
import { anEvent } from "../support/webhook-events.ts";

describe("lanes", () => {
  const settled = () => new Promise((resolve) => void setImmediate(resolve));

  /** Lanes, the deliveries begun in them in order, and functions that end these. */
  function someLanes({ running = { quick: 4, slow: 4, all: 12 }, held = 1_000 } = {}) {
    const limits = new Map<string, number>();
    const quick = new Set<string>();
    const begun: string[] = [];
    const under: { lane: string; end: () => void }[] = [];
    const roomIn: string[] = [];
    const lanes = createLanes({
      bounds: { running, held },
      limit: (lane) => limits.get(lane) ?? 32,
      isQuick: (lane) => quick.has(lane),
      onRoom: (lane) => roomIn.push(lane),
    });
    /** Hands a delivery over, as the deliverer does. @returns its result when it has ended */
    async function hand(lane: string, business = lane): Promise<string> {
      if (!lanes.reserve(lane, business)) return "refused";
      const done = await lanes.run(lane, () => {
        begun.push(lane);
        return new Promise((resolve) => {
          under.push({ lane, end: () => resolve("done") });
        });
      });
      lanes.free(lane);
      return done === null ? "given up" : "done";
    }
    async function end(lane?: string): Promise<void> {
      const at = under.findIndex((each) => lane === undefined || each.lane === lane);
      under.splice(at, 1)[0]?.end();
      await settled();
    }
    return { lanes, limits, quick, begun, under, roomIn, hand, end };
  }

  test("businesses take turns, and then the endpoints of each", async () => {
    const { hand, begun, end } = someLanes({ running: { quick: 1, slow: 1, all: 1 } });
    for (const lane of ["a1", "a2", "a3"]) {
      for (let i = 0; i < 2; i++) void hand(lane, "a");
    }
    for (let i = 0; i < 3; i++) void hand("b1", "b");
    void hand("c1", "c");
    for (let i = 0; i < 10; i++) await end();
    expect(begun.join(" ")).toBe("a1 a1 b1 c1 a2 b1 a3 b1 a2 a3");
  });

  test("slow and quick endpoints have separate places and do not take each other's", async () => {
    const { hand, begun, quick, under } = someLanes();
    for (let i = 0; i < 10; i++) void hand(`slow${i}`);
    expect(begun).toHaveLength(4);
    quick.add("quick");
    for (let i = 0; i < 10; i++) void hand("quick");
    expect(under.filter(({ lane }) => lane === "quick")).toHaveLength(4);
  });

  test("an endpoint that becomes slow frees its quick places", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const { hand, under, quick, end } = someLanes();
      for (let i = 0; i < 4; i++) {
        quick.add(`dying${i}`);
        void hand(`dying${i}`);
      }
      quick.add("healthy");
      void hand("healthy");
      expect(under.some(({ lane }) => lane === "healthy")).toBe(false);
      mock.timers.tick(1_001);
      expect(under.some(({ lane }) => lane === "healthy")).toBe(true);
      void hand("new");
      expect(under.some(({ lane }) => lane === "new")).toBe(false);
      await end("dying0");
      expect(under.some(({ lane }) => lane === "new")).toBe(true);
    } finally {
      mock.timers.reset();
    }
  });

  test("a lane runs deliveries up to its limit, and holds only those that begin soon", async () => {
    const { hand, limits, lanes, under, roomIn, end } = someLanes();
    limits.set("e", 2);
    const handed = Array.from({ length: 5 }, () => hand("e"));
    expect(under).toHaveLength(2);
    expect(holdLimit(2)).toBe(2);
    expect(lanes.room("e")).toBe(0);
    expect(await Promise.all(handed.slice(2))).toEqual(["refused", "refused", "refused"]);
    await end();
    expect(roomIn).toEqual(["e"]);
    limits.set("e", 0);
    expect([lanes.room("e"), await hand("e")]).toEqual([0, "refused"]);
  });

  test("a new delivery does not overtake one that was refused a place before", async () => {
    const { lanes, limits, hand, roomIn, end } = someLanes();
    limits.set("e", 3);
    for (let i = 0; i < holdLimit(3); i++) void hand("e");
    expect(lanes.reserve("e", "e")).toBe(false);
    await end();
    expect(lanes.reserve("e", "e", true)).toBe(false);
    while (roomIn.length === 0) await end();
    expect(lanes.reserve("e", "e")).toBe(true);
    expect(lanes.reserve("e", "e", true)).toBe(true);
  });

  test("a lane that falls silent gives up its waiting deliveries, and running ones continue", async () => {
    const { hand, limits, lanes, under, end } = someLanes();
    const handed = Array.from({ length: 10 }, () => hand("e"));
    expect(under).toHaveLength(2);
    limits.set("e", 0);
    lanes.empty("e");
    expect(await Promise.all(handed.slice(2))).toEqual(Array(8).fill("given up"));
    for (let i = 0; i < 2; i++) await end();
    expect(await Promise.all(handed.slice(0, 2))).toEqual(["done", "done"]);
    limits.set("e", 1);
    void hand("e");
    expect(under).toHaveLength(1);
  });

  test("a business takes at most half of the free slow places", async () => {
    const { hand, under, end } = someLanes({ running: { quick: 4, slow: 8, all: 12 } });
    const running = (business: string) => under.filter(({ lane }) => lane[0] === business).length;
    for (const business of ["a", "b", "c"]) {
      for (let i = 0; i < 20; i++) void hand(`${business}${i}`, business);
    }
    expect(["a", "b", "c"].map(running)).toEqual([4, 2, 1]);
    for (let i = 0; i < 4; i++) await end(under.find(({ lane }) => lane[0] === "a")?.lane);
    expect(running("b") + running("c")).toBeGreaterThan(3);
  });

  test("a business holds at most as many places as are free, and its endpoints share them", () => {
    const { lanes } = someLanes({ held: 3_000 });
    /**
     * Reserves as many places as possible for each endpoint in turn.
     * @returns the number for each
     */
    const taken = (business: string, endpoints: number) =>
      Array.from({ length: endpoints }, (_, i) => {
        let count = 0;
        while (lanes.reserve(`${business}${i}`, business)) count += 1;
        return count;
      });
    const sum = (counts: number[]) => counts.reduce((a, b) => a + b, 0);
    for (const [business, endpoints] of Object.entries({ a: 300, b: 300, c: 1, d: 300 })) {
      const counts = taken(business, endpoints);
      expect(sum(counts)).toBeGreaterThan(0);
      expect(sum(counts)).toBeLessThanOrEqual(lanes.room() + 1);
    }
    // A business that had all its places frees some, but not for the same endpoint.
    expect(lanes.room("a0")).toBe(0);
    for (let i = 0; i < 100; i++) lanes.free("a0");
    expect(lanes.reserve("a0", "a")).toBe(false);
    expect(lanes.reserve("a299", "a") || lanes.reserve("e0", "e")).toBe(true);
  });
});

describe("the sweeper", () => {
  const config = loadConfig(testEnvironment());
  const schemas = { webhook_deliveries: deliverySchema, webhook_events: eventSchema };
  const db = database(config, "test", schemas);
  let deliveries: mongo.Collection<Delivery>;
  let events: mongo.Collection<Event>;
  const HOUR_MS = 3_600_000;

  beforeAll(async () => {
    await migrateConfigured(config, { schemas });
    await db.open();
    deliveries = db.collection("webhook_deliveries");
    events = db.collection("webhook_events");
  });
  beforeEach(async () => {
    await deliveries.deleteMany({});
    await events.deleteMany({});
  });
  afterAll(async () => {
    await db.connection.dropDatabase();
    await db.close();
  });

  /** Stores deliveries to one endpoint. */
  async function some(
    count: number,
    endpointId: string,
    overrides: Partial<Pick<Delivery, "status" | "nextAttemptAt">> = {},
  ): Promise<void> {
    const shared = { businessId: endpointId, eventType: "WITHDRAWAL" as const, seq: 1 };
    const state = { status: "PENDING" as const, deadLetterReason: null, claim: null, held: false };
    const past = { createdAt: new Date(), failures: 0, failingSince: null, attempts: [] };
    const list = Array.from({ length: count }, (): Delivery => {
      const ids = { _id: newId(), eventId: newId(), transactionId: newId(), endpointId };
      return { ...ids, ...shared, ...state, ...past, nextAttemptAt: new Date(), ...overrides };
    });
    await deliveries.insertMany(list);
    await events.insertMany(
      list.map(({ eventId: _id, transactionId }) => {
        return { _id, transactionId, ...shared, at: new Date(), body: "{}", endpointIds: [] };
      }),
    );
  }

  /** A sweeper for a deliverer with this room per endpoint, and this room in total. */
  function aSweeper(roomOf: (endpointId: string) => number, whole = Number.POSITIVE_INFINITY) {
    const taken: string[] = [];
    const held: string[] = [];
    const ofOne = (id: string) => held.filter((each) => each === id).length;
    const room = (id?: string) => {
      const all = whole - held.length;
      return id === undefined ? all : Math.min(all, roomOf(id) - ofOne(id));
    };
    const errors: unknown[] = [];
    const sweeper = createSweeper({
      clock: systemClock,
      newId,
      deliveries,
      events,
      deliverer: {
        room,
        reserve: (id) => room(id) > 0 && held.push(id) > 0,
        free: (id) => void held.splice(held.indexOf(id), 1),
        leaseEnd: () => new Date(Date.now() + HOUR_MS),
        take: ({ endpointId }: ClaimedDelivery) => void taken.push(endpointId),
      },
      turns: OFTEN,
      onError: (error) => errors.push(error),
    });
    return { sweeper, taken, errors, freeAll: () => held.splice(0) };
  }

  test("reads neither ended nor future deliveries, nor a backlog without free room", async () => {
    const [none, little, ...others] = Array.from({ length: 12 }, () => newId()) as [
      string,
      string,
      ...string[],
    ];
    const later = { nextAttemptAt: new Date(Date.now() + HOUR_MS) };
    const ended = { nextAttemptAt: null };
    for (let i = 0; i < 2; i++) {
      await some(5_000, none);
      await some(5_000, little);
      await some(5_000, others[i] as string, later);
      await some(2_500, others[i] as string, { status: "DELIVERED", ...ended });
      await some(2_500, little, { status: "DEAD_LETTER", ...ended });
    }
    for (const id of others) await some(5, id);
    const room = (id: string) => (id === none ? 0 : id === little ? 4 : 100);
    const { sweeper, taken, errors } = aSweeper(room);
    const native = db.connection.getClient().db(db.connection.name);
    await native.command({ profile: 2 });
    const looks = () =>
      native
        .collection<{ keysExamined: number; docsExamined: number }>("system.profile")
        .find({ op: "command", "command.aggregate": "webhook_deliveries" })
        .toArray();

    sweeper.start();
    await until(() => taken.length >= 54);
    // The sweeper continues to read, because deliveries without room remain.
    await until(async () => (await looks()).length >= 5);
    await sweeper.stop();
    await native.command({ profile: 0 });

    const expected = new Map<string, number>([
      [little, 4],
      ...others.map((id) => [id, 5] as const),
    ]);
    expect(
      new Map(
        Map.groupBy(taken, String)
          .entries()
          .map(([id, all]) => [id, all.length]),
      ),
    ).toEqual(expected);
    for (const { keysExamined, docsExamined } of await looks()) {
      expect(keysExamined).toBeLessThan(200);
      expect(docsExamined).toBeLessThan(200);
    }
    expect(errors).toEqual([]);
  });

  test("continues at the delivery where the room ended, so each endpoint has its turn", async () => {
    const ids = Array.from({ length: 20 }, () => newId());
    for (const id of ids) await some(50, id);
    const { sweeper, taken, freeAll } = aSweeper(() => 5, 10);
    sweeper.start();
    await until(() => {
      freeAll();
      sweeper.wake();
      return new Set(taken).size === ids.length;
    });
    await sweeper.stop();
    expect(taken.length).toBeLessThan(20 * 50);
  });
});

describe("the service", () => {
  let system: System;
  let receiver: Receiver;
  let blackHole: Awaited<ReturnType<typeof startBlackHole>>;

  beforeEach(async () => {
    receiver = await startReceiver();
    blackHole = await startBlackHole();
    // Longer than the test, so silent endpoints keep their places.
    const settings = { WEBHOOK_TIMEOUT: "90s", LOG_LEVEL: "fatal" };
    system = await startSystem([webhooks, webhooks], settings, { overNats: true });
  });
  afterEach(async () => {
    blackHole.stop();
    await receiver.stop();
    await system.stop();
  });

  const endpoint = (businessId: string, url: string) =>
    system.call("webhooks.createEndpoint", { businessId, url });

  test("delivers to an answering endpoint while a hundred are silent and others are slow", async () => {
    const slow = Promise.withResolvers<void>();
    receiver.behave(({ path }) => (path === "/slow" ? { after: slow.promise } : {}));
    const [crowded, ...dead] = Array.from({ length: 51 }, () => newId()) as [string, ...string[]];
    const silent = [...Array.from({ length: 50 }, () => crowded), ...dead];
    await Promise.all(silent.map((businessId) => endpoint(businessId, blackHole.url)));
    const slowOne = newId();
    await endpoint(slowOne, receiver.url("/slow"));
    const healthy = [crowded, ...Array.from({ length: 5 }, () => newId())];
    await Promise.all(healthy.map((each) => endpoint(each, receiver.url("/healthy"))));

    const publish = async (businessIds: string[], count: number) => {
      const events = businessIds.flatMap((businessId) =>
        Array.from({ length: count }, () => anEvent({ businessId })),
      );
      await system.call("webhooks.publish", { events });
      return events.map(({ id }) => id);
    };
    await publish([...dead, slowOne], 10);
    const expected = [...(await publish(healthy, 20)), ...(await publish(healthy, 20))];
    await until(() => new Set(receiver.accepted).size === expected.length);

    expect(receiver.accepted.toSorted()).toEqual(expected.toSorted());
    expect(blackHole.most()).toBeLessThanOrEqual(100 * START_LIMIT * 2);
    expect(blackHole.most()).toBeGreaterThan(50);
    expect(receiver.requests.filter(({ path }) => path === "/slow").length).toBeLessThanOrEqual(
      START_LIMIT * 2,
    );
    slow.resolve();
    await until(() => receiver.accepted.length >= expected.length + 10);
  });
});

/** Accepts connections and never answers. */
async function startBlackHole() {
  const sockets = new Set<Socket>();
  let most = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    most = Math.max(most, sockets.size);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
    socket.resume();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    most: () => most,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
