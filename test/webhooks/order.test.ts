// A later event waits for the earlier events of the same transaction and endpoint; different
// transactions and endpoints do not wait for each other.

import webhooks from "../../services/webhooks/webhooks.service.ts";
import { newId } from "../../shared/ids.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { type System, startSystem, until } from "../support/system.ts";
import { anEvent, deliveriesOnce, eventsOfPayout } from "../support/webhook-events.ts";

const ORDER_HOLD_MS = 1_500;

let system: System;
/** A system in which a failing event gives way early. */
let impatient: System;
let receiver: Receiver;

beforeAll(async () => {
  const environment = { WEBHOOK_RETRY_SCHEDULE: Array(100).fill("50ms").join(",") };
  system = await startSystem([webhooks], environment);
  const hold = { WEBHOOK_ORDER_HOLD: `${ORDER_HOLD_MS}ms` };
  impatient = await startSystem([webhooks], { ...environment, ...hold });
});
afterAll(async () => {
  await system.stop();
  await impatient.stop();
});

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());

async function aMerchant(paths = ["/"], at = system): Promise<string> {
  const businessId = newId();
  for (const path of paths) {
    await at.call("webhooks.createEndpoint", { businessId, url: receiver.url(path) });
  }
  return businessId;
}

const statusesAt = (path: string) =>
  receiver.requests.filter((r) => r.path === path).map(({ event }) => event.status);

type Payout = ReturnType<typeof eventsOfPayout>;
const first = (payout: Payout) => payout[0] as Payout[number];

test("a payout's events arrive in order, whether published together or one by one", async () => {
  const businessId = await aMerchant();
  receiver.behave(() => ({ delayMs: 30 }));
  const together = eventsOfPayout(businessId);
  const apart = eventsOfPayout(businessId);

  await system.call("webhooks.publish", { events: together });
  for (const event of apart) await system.call("webhooks.publish", { events: [event] });
  for (const payout of [together, apart]) {
    await deliveriesOnce(system, first(payout), (d) => d.status === "DELIVERED");
    const { transactionId } = first(payout);
    const got = receiver.requests.filter((r) => r.event.payload.transactionId === transactionId);
    expect(got.map(({ id }) => id)).toEqual(payout.map(({ id }) => id));
  }
});

test("a later event is not tried while the earlier one is under way", async () => {
  const businessId = await aMerchant();
  const answered = Promise.withResolvers<void>();
  receiver.behave(({ event }) => (event.status === "PENDING" ? { after: answered.promise } : {}));
  const payout = eventsOfPayout(businessId, ["PENDING", "SUCCESS"]);
  const other = anEvent({ businessId });

  await system.call("webhooks.publish", { events: payout });
  await until(() => receiver.requests.length === 1);
  // An event of another transaction passes, so every deliverable event has had its turn.
  await system.call("webhooks.publish", { events: [{ ...other, seq: 2 }] });
  await until(() => receiver.requests.some(({ id }) => id === other.id));
  expect(statusesAt("/")).not.toContain("SUCCESS");

  answered.resolve();
  await deliveriesOnce(system, first(payout), (d) => d.status === "DELIVERED");
});

test("a later event waits for the retries of the earlier one", async () => {
  const businessId = await aMerchant();
  receiver.behave(() => ({ status: receiver.requests.length < 4 ? 500 : 200 }));
  const payout = eventsOfPayout(businessId, ["PENDING", "SUCCESS"]);

  await system.call("webhooks.publish", { events: payout });
  await deliveriesOnce(system, first(payout), (d) => d.status === "DELIVERED");

  expect(statusesAt("/")).toEqual(["PENDING", "PENDING", "PENDING", "PENDING", "SUCCESS"]);
});

test("a failing event gives way after the hold time, and the later ones arrive in order", async () => {
  const businessId = await aMerchant(["/"], impatient);
  receiver.behave(({ event }) => ({ status: event.status === "PENDING" ? 500 : 200 }));
  const payout = eventsOfPayout(businessId);

  await impatient.call("webhooks.publish", { events: payout });
  const deliveries = await deliveriesOnce(impatient, first(payout), (d) => d.status !== "PENDING");

  expect(deliveries.map(({ status, deadLetterReason }) => [status, deadLetterReason])).toEqual([
    ["DEAD_LETTER", "superseded"],
    ["DELIVERED", null],
    ["DELIVERED", null],
  ]);
  const attempts = deliveries[0]?.attempts ?? [];
  expect(attempts.length).toBeGreaterThan(0);
  const lastPending = receiver.requests.findLast(({ event }) => event.status === "PENDING");
  const delivered = receiver.requests.find(({ event }) => event.status === "PROCESSING_PAY_OUT");
  const failingSince = Date.parse(attempts[0]?.at as string);
  expect(delivered?.at).toBeGreaterThanOrEqual(failingSince + ORDER_HOLD_MS);
  expect(delivered?.at).toBeGreaterThanOrEqual(lastPending?.at as number);
  expect(statusesAt("/").slice(-2)).toEqual(["PROCESSING_PAY_OUT", "SUCCESS"]);
});

test("a failing event without later events goes through its whole schedule", async () => {
  const businessId = await aMerchant(["/"], impatient);
  receiver.behave(() => ({ status: 500 }));
  const event = anEvent({ businessId });

  await impatient.call("webhooks.publish", { events: [event] });
  const [delivery] = await deliveriesOnce(impatient, event, ({ attempts, createdAt }) => {
    return attempts.length > 1 && Date.now() > Date.parse(createdAt) + 2 * ORDER_HOLD_MS;
  });

  expect(delivery?.status).toBe("PENDING");
});

test("a failing endpoint does not delay the others", async () => {
  const businessId = await aMerchant(["/good", "/bad"]);
  receiver.behave(({ path }) => ({ status: path === "/bad" ? 500 : 200 }));
  const payout = eventsOfPayout(businessId);

  await system.call("webhooks.publish", { events: payout });
  await until(() => statusesAt("/good").length === 3 && statusesAt("/bad").length > 0);

  expect(statusesAt("/good")).toEqual(["PENDING", "PROCESSING_PAY_OUT", "SUCCESS"]);
  expect(new Set(statusesAt("/bad"))).toEqual(new Set(["PENDING"]));
});

test("every event reaches a receiver that fails at random, each payout's in order", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.info(`seed ${seed}`);
  let state = seed;
  const chance = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  const businessId = await aMerchant();
  receiver.behave(() =>
    chance() < 0.3 ? (chance() < 0.5 ? { drop: true } : { status: 503 }) : {},
  );
  const payouts = Array.from({ length: 60 }, () => eventsOfPayout(businessId));

  for (let i = 0; i < 3; i++) {
    const events = payouts.map((payout) => payout[i] as Payout[number]);
    await system.call("webhooks.publish", { events });
  }
  await until(() => new Set(receiver.accepted).size === 180);

  const place = new Map<string, number>();
  receiver.accepted.forEach((id, i) => {
    if (!place.has(id)) place.set(id, i);
  });
  for (const payout of payouts) {
    const places = payout.map(({ id }) => place.get(id) as number);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  }
});
