// Order of deliveries while two processes work on one transaction at the same moment. The test
// arranges the moments on a real database.

import type { mongo } from "mongoose";
import { type Delivery, deliverySchema } from "../../services/webhooks/queue/delivery.model.ts";
import { createOrder } from "../../services/webhooks/queue/order.ts";
import { systemClock } from "../../shared/clock.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { newId } from "../../shared/ids.ts";
import { database } from "../../shared/storage/database.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { withCommands } from "../support/commands.ts";
import { testEnvironment } from "../support/system.ts";

const HOLD_MS = 60_000;
const LATER = new Date(Date.now() + 600_000);

const config = loadConfig(testEnvironment());
const schemas = { webhook_deliveries: deliverySchema };
const db = database(config, "test", schemas);
let deliveries: mongo.Collection<Delivery>;

beforeAll(async () => {
  await migrateConfigured(config, { schemas });
  await db.open();
  deliveries = db.collection("webhook_deliveries");
});
afterAll(async () => {
  await db.connection.dropDatabase();
  await db.close();
});

/** Two deliveries of one transaction to one endpoint, both claimed. */
async function twoClaimed(earlierOverrides: Partial<Delivery> = {}) {
  const [transactionId, endpointId, businessId] = [newId(), newId(), newId()];
  const delivery = (
    seq: number,
    overrides: Partial<Delivery> = {},
  ): Delivery & { claim: string } => ({
    _id: newId(),
    eventId: newId(),
    ...{ transactionId, endpointId, businessId, seq },
    eventType: "WITHDRAWAL",
    status: "PENDING",
    deadLetterReason: null,
    createdAt: new Date(),
    nextAttemptAt: LATER,
    held: false,
    failures: 0,
    failingSince: null,
    attempts: [],
    ...overrides,
    claim: newId(),
  });
  const earlier = delivery(1, earlierOverrides);
  const later = delivery(2);
  await deliveries.insertMany([earlier, later]);
  return { earlier, later };
}

const stored = async (delivery: Delivery) =>
  (await deliveries.findOne({ _id: delivery._id })) as Delivery;

test("a later delivery is held until the earlier one ends, and is due then", async () => {
  const { earlier, later } = await twoClaimed();
  const released = jest.fn();
  const order = createOrder(deliveries, systemClock, HOLD_MS, released);

  expect(await order.mayGo(later)).toBe(false);
  expect(await stored(later)).toMatchObject({ held: true, claim: null, nextAttemptAt: LATER });
  await deliveries.updateOne({ _id: earlier._id }, { $set: { status: "DELIVERED", claim: null } });
  await order.release(earlier);

  expect(released).toHaveBeenCalledTimes(1);
  const { held, nextAttemptAt } = await stored(later);
  expect(held).toBe(false);
  expect(nextAttemptAt?.getTime()).toBeLessThanOrEqual(Date.now());
});

test("an end of the earlier delivery is not missed while the later one is being held", async () => {
  const { earlier, later } = await twoClaimed();
  const elsewhere = createOrder(deliveries, systemClock, HOLD_MS, () => {});
  // The earlier delivery ends and releases held deliveries, between the read and the hold.
  const crossed = withCommands(deliveries, async (send) => {
    const end = { $set: { status: "DELIVERED" as const, claim: null } };
    await deliveries.updateOne({ _id: earlier._id }, end);
    await elsewhere.release(earlier);
    return send();
  });
  const released = jest.fn();
  const order = createOrder(crossed, systemClock, HOLD_MS, released);

  expect(await order.mayGo(later)).toBe(false);

  expect(released).toHaveBeenCalled();
  const { held, nextAttemptAt } = await stored(later);
  expect(held).toBe(false);
  expect(nextAttemptAt?.getTime()).toBeLessThanOrEqual(Date.now());
});

test("a delivery that has failed for too long is not ended while an attempt is under way", async () => {
  const { earlier, later } = await twoClaimed({ failingSince: new Date(Date.now() - 2 * HOLD_MS) });
  const order = createOrder(deliveries, systemClock, HOLD_MS, () => {});

  expect(await order.mayGo(later)).toBe(false);
  expect(await stored(earlier)).toMatchObject({ status: "PENDING", claim: earlier.claim });

  await deliveries.updateOne({ _id: earlier._id }, { $set: { claim: null } });
  await deliveries.updateOne({ _id: later._id }, { $set: { claim: later.claim, held: false } });
  expect(await order.mayGo(later)).toBe(true);
  expect(await stored(earlier)).toMatchObject({
    status: "DEAD_LETTER",
    deadLetterReason: "superseded",
    nextAttemptAt: null,
  });
});

test("a hold changes nothing if another process has the claim", async () => {
  const { later } = await twoClaimed();
  const order = createOrder(deliveries, systemClock, HOLD_MS, () => {});
  expect(await order.mayGo({ ...later, claim: newId() })).toBe(false);
  expect(await stored(later)).toMatchObject({ claim: later.claim, held: false });
});

describe("a held delivery is not due again", () => {
  const MINUTE_MS = 60_000;
  const inMs = (ms: number) => new Date(Date.now() + ms);

  /** The milliseconds until a held delivery is due, unless it is released before. */
  async function heldFor(earlierState: Partial<Delivery>): Promise<number> {
    const { earlier, later } = await twoClaimed();
    await deliveries.updateOne({ _id: earlier._id }, { $set: { claim: null, ...earlierState } });
    const order = createOrder(deliveries, systemClock, 60 * MINUTE_MS, () => {});
    expect(await order.mayGo(later)).toBe(false);
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
