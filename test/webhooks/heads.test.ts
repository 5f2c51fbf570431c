// Heads of the ledger as events: one an hour, however many processes publish, to the endpoints that
// name the type and to no other.

import mongoose, { type mongo } from "mongoose";
import { verifyLedgerHead } from "../../clients/typescript/src/index.ts";
import { createHeads } from "../../services/webhooks/events/heads.ts";
import type { Delivery } from "../../services/webhooks/queue/delivery.model.ts";
import type { Event } from "../../services/webhooks/queue/event.model.ts";
import { DEFAULT_EVENT_TYPES, EVENT_TYPES } from "../../shared/contracts/events.ts";
import { fail } from "../../shared/errors.ts";
import { idMaker, idOfName } from "../../shared/ids.ts";
import { settableClock } from "../support/settable-clock.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

const HOUR_MS = 3_600_000;

const clock = settableClock();
/** Begins at the middle of an hour, so that no hour of its own passes during a test. */
clock.aheadMs = HOUR_MS * 1.5 - (Date.now() % HOUR_MS);

let world: World;
let client: mongo.MongoClient;
let events: mongo.Collection<Event>;
let deliveries: mongo.Collection<Delivery>;
beforeAll(async () => {
  world = await startWorld({ overNats: true, webhooksInstead: [{ clock }, { clock }, { clock }] });
  client = new mongoose.mongo.MongoClient(world.config.mongoUrl as string);
  events = client.db().collection<Event>("webhook_events");
  deliveries = client.db().collection<Delivery>("webhook_deliveries");
});
afterAll(async () => {
  await client?.close();
  await world?.stop();
});

type Hook = Awaited<ReturnType<World["hook"]>>;

const headsOf = ({ id }: TestBusiness) =>
  events.countDocuments({ businessId: id, eventType: "LEDGER" });

const idsAt = (hook: Hook) => hook.received.map(({ headers }) => headers["webhook-id"]);

/**
 * Passes an hour, and waits until the endpoints have their heads of the new one. They may have the
 * head of the hour before too, because a round of it may still be under way when they are made.
 * @param hooks by business; each names the type LEDGER
 * @returns the id of the new head, by business
 */
async function passHour(hooks: Map<TestBusiness, Hook>): Promise<Map<TestBusiness, string>> {
  clock.aheadMs += HOUR_MS;
  const hour = Math.floor(clock.now() / HOUR_MS);
  const ids = new Map([...hooks.keys()].map((of) => [of, idOfName("ledger-head", of.id, hour)]));
  await until(() => [...hooks].every(([of, hook]) => idsAt(hook).includes(ids.get(of))), {
    awaited: "the heads of the hour",
  });
  // The next hour would end the claim of a delivery whose outcome is not recorded.
  const pending = { status: "PENDING" as const };
  await until(async () => (await deliveries.countDocuments(pending)) === 0, {
    awaited: "the outcomes of the deliveries",
  });
  return ids;
}

test("processes publish one head an hour, to the endpoints that name LEDGER", async () => {
  const { business } = await world.payer(50);
  const other = await world.business();
  const naming = await world.hook(business, { eventTypes: ["LEDGER"] });
  const usual = await world.hook(business);
  const others = await world.hook(other, { eventTypes: ["LEDGER", "WITHDRAWAL"] });
  const without = await world.business();
  const hooks = new Map([
    [business, naming],
    [other, others],
  ]);
  const hours = [await passHour(hooks), await passHour(hooks), await passHour(hooks)];
  for (const [of, hook] of hooks) {
    const ids = hours.map((hour) => hour.get(of));
    expect(idsAt(hook).filter((id) => ids.includes(String(id)))).toEqual(ids);
  }
  expect(await headsOf(without)).toBe(0);
  expect(usual.received).toEqual([]);

  const keys = (await world.http.get("/.well-known/ledger-keys.json")).body;
  const heads = naming.received.map(({ body }) => body.payload.head as string);
  for (const { body } of naming.received) {
    expect(body).toMatchObject({ eventType: "LEDGER", status: "HEAD" });
    const claims = verifyLedgerHead(body.payload.head as string, keys);
    expect(claims).toMatchObject({ sub: business.id, sums: { SPEND: { USD: "50.00" } } });
  }
  await world.verifyBooks(heads);
});

test("an event without its delivery gets it, as after the death of the process that stored it", async () => {
  const { business } = await world.payer(5);
  const hook = await world.hook(business, { eventTypes: ["LEDGER"] });
  const first = (await passHour(new Map([[business, hook]]))).get(business);
  expect((await deliveries.deleteOne({ eventId: String(first) })).deletedCount).toBe(1);
  // A process that starts in the hour of that head.
  const alone = publisher(0, () => Promise.reject(new Error("The head is there")));
  const copies = () => hook.received.filter(({ headers }) => headers["webhook-id"] === first);
  await until(() => copies().length === 2, { awaited: "the head again" });
  await alone.stop();
  const [once, again] = copies().map(({ body }) => body);
  expect(again).toEqual(once);
  expect(alone.errors).toEqual([]);
  await world.verifyBooks();
});

/**
 * One more process, as far as heads go, in an hour of its own.
 * @param aheadMs of the world's clock
 */
function publisher(aheadMs: number, makeHead: (businessId: string) => Promise<string>) {
  const errors: unknown[] = [];
  const db = client.db();
  const own = { ...clock, now: () => clock.now() + aheadMs };
  const heads = createHeads({
    publishing: {
      endpoints: db.collection("webhook_endpoints"),
      events,
      deliveries: db.collection("webhook_deliveries"),
      // It has no room, so the processes of the world deliver.
      deliverer: { reserve: () => false, free() {}, leaseEnd: () => new Date(), take() {} },
      sweeper: { wake() {} },
      clock: own,
      newId: idMaker(own),
    },
    makeHead,
    onError: (error) => errors.push(error),
  });
  return { stop: heads.stop, errors };
}

test("a ledger without a key is asked in vain, and that is no error", async () => {
  const business = await world.business();
  await world.hook(business, { eventTypes: ["LEDGER"] });
  const asked: string[] = [];
  const alone = publisher(100 * HOUR_MS, async (businessId) => {
    asked.push(businessId);
    return fail("NOT_CONFIGURED");
  });
  await until(() => asked.includes(business.id), { awaited: "the question" });
  await alone.stop();
  expect(asked).toHaveLength(new Set(asked).size);
  expect(alone.errors).toEqual([]);
});

test("a failed head is tried again in the same hour, and keeps no other one waiting", async () => {
  const businesses = [await world.business(), await world.business(), await world.business()];
  for (const business of businesses) await world.hook(business, { eventTypes: ["LEDGER"] });
  const before = await Promise.all(businesses.map(headsOf));
  const failed = new Set<string>();
  const alone = publisher(200 * HOUR_MS, async (businessId) => {
    const { head } = await world.call("wallet-ledger.head", { businessId });
    if (failed.has(businessId)) return head;
    failed.add(businessId);
    return fail("UNAVAILABLE");
  });
  await until(() => alone.errors.length === 1, { awaited: "the end of the first round" });
  clock.aheadMs += 60_000;
  await until(
    async () => (await Promise.all(businesses.map(headsOf))).every((n, i) => n > (before[i] ?? 0)),
    { awaited: "the heads of all businesses" },
  );
  await alone.stop();
  expect([...failed]).toEqual(expect.arrayContaining(businesses.map(({ id }) => id)));
  // One error for the first round, which tried each business.
  expect(alone.errors).toEqual([expect.objectContaining({ type: "UNAVAILABLE" })]);
});

test("an endpoint has the type LEDGER only if it names it", async () => {
  const business = await world.business();
  const path = `/v1/business/${business.id}/webhooks`;
  const create = async (fields: object) =>
    dataOf(await world.http.post(path, { url: "http://127.0.0.1:9/", ...fields }, business), 201)
      .eventTypes;
  expect(await create({})).toEqual(DEFAULT_EVENT_TYPES);
  expect(DEFAULT_EVENT_TYPES).not.toContain("LEDGER");
  expect(await create({ eventTypes: EVENT_TYPES })).toEqual(EVENT_TYPES);
});
