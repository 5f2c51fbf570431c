// The events of a thousand payouts go to a receiver that fails 30 % of the requests at random:
// every event of every payout arrives in order, under one id, with a valid signature, and is
// acknowledged once. Once in one process, and once with a process for each service over NATS and
// two of webhooks.

import mongoose from "mongoose";
import { Webhook } from "standardwebhooks";
import type { Payout } from "../../services/payouts/payout.model.ts";
import type { Delivery } from "../../services/webhooks/queue/delivery.model.ts";
import type { Event } from "../../services/webhooks/queue/event.model.ts";
import { idAfter } from "../../shared/ids.ts";
import { type Cluster, startCluster } from "../support/cluster.ts";
import {
  outOfOrder,
  type StormyReceiver,
  startStormyReceiver,
} from "../support/stormy-receiver.ts";
import type { System } from "../support/system.ts";
import { atRest, type Random, seeded } from "../support/traffic.ts";
import {
  type Builders,
  dataOf,
  startWorld,
  type TestBusiness,
  type World,
} from "../support/world.ts";

const PAYOUTS = 1_000;
const AT_ONCE = 32;
const FAILING_PERCENT = 30;
const ENVIRONMENT = {
  WITHDRAWAL_LIMIT: "off",
  SANDBOX_SETTLE_MS: "50",
  // So many retries that no delivery fails in all of them.
  WEBHOOK_RETRY_SCHEDULE: `50ms,100ms,200ms,${Array(17).fill("400ms").join(",")}`,
};

type Place = Pick<System, "config" | "call"> & Builders;

const random = seeded();
let receiver: StormyReceiver;
beforeEach(async () => {
  receiver = await startStormyReceiver(random, FAILING_PERCENT);
});
afterEach(() => receiver.stop());

describe("in one process", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ environment: ENVIRONMENT });
  });
  afterAll(() => world?.stop());

  test("all events of a thousand payouts arrive in order", () => storm(world, () => ""));
});

describe("with a process for each service, and two of webhooks", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster(ENVIRONMENT);
    await cluster.start("webhooks");
  });
  afterAll(() => cluster?.stop());

  test("all events of a thousand payouts arrive in order", () => storm(cluster, cluster.logs));
});

async function storm(place: Place, logs: () => string): Promise<void> {
  const business = await place.business();
  const path = `/v1/business/${business.id}/webhooks`;
  const { token } = business;
  const answer = await place.http.post(path, { url: receiver.url }, { token });
  const { id: endpointId, secret } = dataOf(answer, 201);
  await payOut(place, business, random);

  const connection = await mongoose.createConnection(place.config.mongoUrl as string).asPromise();
  const db = connection.getClient().db(connection.name);
  try {
    await atRest({ db, call: place.call, logs });
    const payouts = await db.collection<Payout>("payouts").find().toArray();
    const events = await db.collection<Event>("webhook_events").find().toArray();
    const deliveries = await db.collection<Delivery>("webhook_deliveries").find().toArray();
    expect(payouts).toHaveLength(PAYOUTS);
    expectStored(payouts, events, deliveries, endpointId);
    expectReceived(events, deliveries, secret);
    await expectBodies(place, business, payouts);
    await place.verifyBooks();
  } finally {
    await connection.close();
  }
  printCounts(receiver);
}

/** Withdraws from wallets of a few users to accounts that cover every result of a payout. */
async function payOut(place: Place, business: TestBusiness, { oneOf }: Random): Promise<void> {
  const customer = async (lastFour: string, isCard = false) => {
    const user = await place.user(business);
    const wallet = await place.wallet(business, user, 1_000_000);
    const account = await place[isCard ? "card" : "bank"](business, wallet, lastFour);
    return { user, account };
  };
  const banks = ["6789", "6790", "6791", "0001", "0003", "0007", "0008"];
  const customers = await Promise.all([
    ...banks.map((lastFour) => customer(lastFour)),
    customer("4242", true),
    customer("0005", true),
  ]);
  let left = PAYOUTS;
  const withdraw = async () => {
    while (left-- > 0) {
      const { user, account } = oneOf(customers);
      const routingType = oneOf(["ACH", "RTP", "WIRE"]);
      dataOf(await place.withdraw(user, account, { amount: 25, routingType }), 200);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, withdraw));
}

/** Expects one event for each state of a payout, and one delivered delivery of it. */
function expectStored(
  payouts: Payout[],
  events: Event[],
  deliveries: Delivery[],
  endpointId: string,
): void {
  const expected = payouts.flatMap(({ _id, states }) =>
    states.map(({ status }, i) => `${idAfter(_id, i + 1)} ${_id} ${i + 1} ${status}`),
  );
  const stored = events.flatMap(({ _id, transactionId, seq, body }) => {
    const { eventType, status } = JSON.parse(body) as { eventType: string; status: string };
    return eventType === "WITHDRAWAL" ? `${_id} ${transactionId} ${seq} ${status}` : [];
  });
  expectSame(stored, expected);
  const ends = deliveries.map((each) => `${each.eventId} ${each.endpointId} ${each.status}`);
  const delivered = events.map(({ _id }) => `${_id} ${endpointId} DELIVERED`);
  expectSame(ends, delivered);
}

/** Expects equal lists in any order; a failure shows only the differences. */
function expectSame(found: string[], expected: string[]): void {
  const left = Map.groupBy(found, (each) => each);
  const missing = expected.filter((each) => left.get(each)?.pop() === undefined);
  expect({ missing, more: [...left.values()].flat() }).toEqual({ missing: [], more: [] });
}

/**
 * Expects that each event was acknowledged after its predecessors, and has the stored body and a
 * valid signature. Further acknowledgements need an attempt without an answer, because that
 * acknowledgement was lost.
 */
function expectReceived(events: Event[], deliveries: Delivery[], secret: string): void {
  const byId = new Map(events.map((event) => [event._id, event]));
  expect(outOfOrder(receiver.log, byId)).toEqual([]);
  const acknowledged = receiver.log.filter(({ kind }) => kind === "acknowledged");
  const times = Map.groupBy(acknowledged, ({ id }) => id);
  const miscounted = deliveries.filter(({ eventId, attempts }) => {
    const lost = attempts.filter(({ statusCode }) => statusCode === null).length;
    const count = times.get(eventId)?.length ?? 0;
    return count < 1 || count > 1 + lost;
  });
  expect(miscounted).toEqual([]);
  const verifier = new Webhook(secret);
  for (const { id, text, headers } of receiver.arrivals) {
    expect(text).toBe(byId.get(id)?.body);
    verifier.verify(text, headers as Record<string, string>);
  }
}

/**
 * Expects the bodies of 4.5: the last one with equal values except its time, the others with the
 * same structure.
 */
async function expectBodies(
  { http }: Place,
  { token }: TestBusiness,
  payouts: Payout[],
): Promise<void> {
  const byPayout = Map.groupBy(
    receiver.arrivals.map(({ text }) => JSON.parse(text) as { payload: Payload; status: string }),
    ({ payload }) => payload.transactionId,
  );
  let left = payouts;
  const compare = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const answer = await http.get(`/v1/transactions/${next._id}/webhook-payload`, { token });
      const shown = dataOf(answer, 200);
      const bodies = byPayout.get(next._id) ?? [];
      for (const body of bodies) expect(structureOf(body)).toEqual(structureOf(shown));
      const last = bodies.findLast(({ status }) => status === shown.status);
      const timestamp = last?.payload.timestamp;
      expect(last).toEqual({ ...shown, payload: { ...shown.payload, timestamp } });
    }
  };
  left = [...payouts];
  await Promise.all(Array.from({ length: 8 }, compare));
}

type Payload = Record<string, unknown> & { transactionId: string };

/** The keys of an object in order, with the types of their values. */
function structureOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.entries(value).map(([key, each]) => [key, structureOf(each)]);
}

function printCounts({ counts, duplicates, log }: StormyReceiver): void {
  const events = new Set(log.map(({ id }) => id)).size;
  const line = { payouts: PAYOUTS, events, ...counts, duplicates: duplicates() };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
