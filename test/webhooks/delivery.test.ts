// The requests that a merchant's receiver gets, and the result of a delivery for each answer.

import { Webhook } from "standardwebhooks";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { newId } from "../../shared/ids.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { type System, startSystem, until } from "../support/system.ts";
import {
  anEvent,
  deliveriesNow,
  deliveriesOnce,
  eventsOfPayout,
} from "../support/webhook-events.ts";

let system: System;
/** A system with a short time limit for exchanges, and two attempts. */
let hasty: System;
let receiver: Receiver;

beforeAll(async () => {
  const isUnknown = Object.assign(new Error("queryA ENOTFOUND"), { code: "ENOTFOUND" });
  const resolve = () => Promise.reject(isUnknown);
  const schedule = { WEBHOOK_RETRY_SCHEDULE: "30ms,60ms" };
  system = await startSystem([(config) => webhooks(config, { resolve })], schedule);
  const two = { WEBHOOK_RETRY_SCHEDULE: "30ms" };
  hasty = await startSystem([webhooks], { ...two, WEBHOOK_TIMEOUT: "1s" });
});
afterAll(async () => {
  await system.stop();
  await hasty.stop();
});

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());

/** A business with one endpoint at the receiver. */
async function aMerchant(at = system) {
  const businessId = newId();
  const url = receiver.url("/hooks");
  const endpoint = await at.call("webhooks.createEndpoint", { businessId, url });
  return { businessId, endpoint };
}

const verified = (secret: string, { body, headers }: Receiver["requests"][number]) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

test("an event arrives once and unchanged, with a signature valid for the official library", async () => {
  const { businessId, endpoint } = await aMerchant();
  const event = anEvent({ businessId });

  await system.call("webhooks.publish", { events: [event] });
  const [delivery] = await deliveriesOnce(system, event, (d) => d.status === "DELIVERED");

  expect(receiver.requests).toHaveLength(1);
  const request = receiver.requests[0] as Receiver["requests"][number];
  expect(verified(endpoint.secret, request)).toEqual(event.body);
  expect(request.body).toBe(JSON.stringify(event.body));
  expect(request.path).toBe("/hooks");
  expect(request.headers).toMatchObject({
    "content-type": "application/json",
    "webhook-id": event.id,
  });
  expect(() => verified(`whsec_${Buffer.alloc(32).toString("base64")}`, request)).toThrow();
  expect(delivery).toMatchObject({
    eventId: event.id,
    eventType: "WITHDRAWAL",
    transactionId: event.transactionId,
    status: "DELIVERED",
    deadLetterReason: null,
    nextAttemptAt: null,
    attempts: [{ statusCode: 200, error: null }],
  });
});

test("the last two secrets sign after a rotation, the newest first", async () => {
  const { businessId, endpoint } = await aMerchant();
  const deliver = async () => {
    const event = anEvent({ businessId });
    await system.call("webhooks.publish", { events: [event] });
    await deliveriesOnce(system, event, (d) => d.status === "DELIVERED");
    return receiver.requests.at(-1) as Receiver["requests"][number];
  };

  const second = await system.call("webhooks.rotateSecret", { businessId, id: endpoint.id });
  const request = await deliver();
  expect(verified(second.secret, request)).toBeTruthy();
  expect(verified(endpoint.secret, request)).toBeTruthy();
  const [first, ...others] = (request.headers["webhook-signature"] as string).split(" ");
  expect(others).toHaveLength(1);
  const alone = { ...request, headers: { ...request.headers, "webhook-signature": first } };
  expect(verified(second.secret, alone)).toBeTruthy();

  const third = await system.call("webhooks.rotateSecret", { businessId, id: endpoint.id });
  const later = await deliver();
  expect(verified(third.secret, later)).toBeTruthy();
  expect(verified(second.secret, later)).toBeTruthy();
  expect(() => verified(endpoint.secret, later)).toThrow();
});

test("a failed delivery is tried again with the same id and body until it is delivered", async () => {
  const { businessId, endpoint } = await aMerchant();
  receiver.behave(() => ({ status: receiver.requests.length < 3 ? 503 : 204 }));
  const event = anEvent({ businessId });

  await system.call("webhooks.publish", { events: [event] });
  const [delivery] = await deliveriesOnce(system, event, (d) => d.status === "DELIVERED");

  expect(delivery?.attempts.map(({ statusCode }) => statusCode)).toEqual([503, 503, 204]);
  expect(receiver.requests.map(({ id }) => id)).toEqual([event.id, event.id, event.id]);
  expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
  for (const request of receiver.requests) expect(verified(endpoint.secret, request)).toBeTruthy();
});

test("a delivery whose last scheduled attempt fails becomes a dead letter", async () => {
  const { businessId } = await aMerchant();
  receiver.behave(() => ({ status: 500 }));
  const event = anEvent({ businessId });

  await system.call("webhooks.publish", { events: [event] });
  const [delivery] = await deliveriesOnce(system, event, (d) => d.status === "DEAD_LETTER");

  expect(delivery).toMatchObject({ deadLetterReason: "exhausted", nextAttemptAt: null });
  expect(delivery?.attempts).toHaveLength(3);
  expect(receiver.requests).toHaveLength(3);
});

test("Retry-After lengthens the wait before a retry", async () => {
  const { businessId } = await aMerchant();
  receiver.behave(() => ({ status: 429, headers: { "retry-after": "3600" } }));
  const event = anEvent({ businessId });

  const before = Date.now();
  await system.call("webhooks.publish", { events: [event] });
  const [delivery] = await deliveriesOnce(system, event, (d) => d.attempts.length === 1);

  expect(delivery?.status).toBe("PENDING");
  expect(Date.parse(delivery?.nextAttemptAt as string)).toBeGreaterThanOrEqual(before + 3_600_000);
});

test.each([
  ["closes the connection", { drop: true }, null, "connection", "The connection was closed"],
  ["never answers", { stall: "headers" }, null, "timeout", "No complete answer in time"],
  ["never ends its answer", { stall: "body" }, 200, "timeout", "No complete answer in time"],
  ["sends a byte now and then", { stall: "trickle" }, 200, "timeout", "No complete answer in time"],
  ["redirects", { status: 302, headers: { location: "/other" } }, 302, "status", null],
  ["refuses", { status: 404 }, 404, "status", null],
] as const)(
  "a delivery to a receiver that %s fails",
  async (_case, behaviour, statusCode, errorClass, error) => {
    const at = "stall" in behaviour ? hasty : system;
    const { businessId } = await aMerchant(at);
    receiver.behave(() => behaviour);
    const event = anEvent({ businessId });

    await at.call("webhooks.publish", { events: [event] });
    const [delivery] = await deliveriesOnce(at, event, (d) => d.status === "DEAD_LETTER");

    // With a short limit an exchange may end before any byte of the answer arrives.
    expect(delivery?.attempts).toContainEqual(
      expect.objectContaining({ statusCode, errorClass, error }),
    );
    expect(receiver.requests.every(({ path }) => path === "/hooks")).toBe(true);
  },
);

test("an attempt keeps the beginning of the answer, for failures and successes", async () => {
  const { businessId } = await aMerchant();
  const status = () => (receiver.requests.length < 2 ? 503 : 200);
  receiver.behave(() => ({ status: status(), body: status() === 503 ? "Not now\0" : "" }));
  const event = anEvent({ businessId });

  await system.call("webhooks.publish", { events: [event] });
  const [delivery] = await deliveriesOnce(system, event, (d) => d.status === "DELIVERED");

  expect(delivery?.attempts).toMatchObject([
    { statusCode: 503, errorClass: "status", error: null, response: "Not now\ufffd" },
    { statusCode: 200, errorClass: null, error: null, response: null },
  ]);
});

test("an endless answer is read up to a bound, and its status decides the result", async () => {
  const { businessId } = await aMerchant();
  receiver.behave(() => ({ body: "x".repeat(8_000_000) }));
  const event = anEvent({ businessId });

  await system.call("webhooks.publish", { events: [event] });
  const [delivery] = await deliveriesOnce(system, event, (d) => d.attempts.length > 0);

  expect(delivery).toMatchObject({ status: "DELIVERED", attempts: [{ statusCode: 200 }] });
});

test("endless headers are a failure", async () => {
  const { businessId } = await aMerchant();
  receiver.behave(() => ({ headers: { "x-much": "x".repeat(100_000) } }));
  const event = anEvent({ businessId });

  await system.call("webhooks.publish", { events: [event] });
  const [delivery] = await deliveriesOnce(system, event, (d) => d.attempts.length > 0);

  expect(delivery?.attempts[0]?.error).toBe("The answer's headers are too large");
});

test("an unreachable receiver and an unresolvable name are failures", async () => {
  const businessId = newId();
  const closed = await startReceiver();
  await closed.stop();
  for (const url of [closed.url(), "http://nowhere.invalid/"]) {
    await system.call("webhooks.createEndpoint", { businessId, url });
  }
  const event = anEvent({ businessId });

  await system.call("webhooks.publish", { events: [event] });
  const deliveries = await deliveriesOnce(system, event, (d) => d.status === "DEAD_LETTER");

  expect(deliveries.map((d) => d.deadLetterReason)).toEqual(["exhausted", "exhausted"]);
  expect(new Set(deliveries.map((d) => d.attempts[0]?.error))).toContain(
    "The connection was refused",
  );
});

test("events that are published again, alone or with new ones, are stored and delivered once", async () => {
  const { businessId } = await aMerchant();
  const events = eventsOfPayout(businessId);
  const [first, second] = events;

  await system.call("webhooks.publish", { events: [first, second] as typeof events });
  await Promise.all([
    system.call("webhooks.publish", { events }),
    system.call("webhooks.publish", { events }),
    system.call("webhooks.publish", { events: [...events, ...events] }),
  ]);
  const deliveries = await deliveriesOnce(
    system,
    events[0] as (typeof events)[0],
    (d) => d.status === "DELIVERED",
  );

  expect(deliveries.map(({ eventId }) => eventId)).toEqual(events.map(({ id }) => id));
  await until(() => receiver.requests.length === 3);
  expect(receiver.requests.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
});

test("an event goes to the endpoints that were enabled for its type at its time", async () => {
  const businessId = newId();
  const create = (path: string, eventTypes?: ("WITHDRAWAL" | "REFUND")[]) =>
    system.call("webhooks.createEndpoint", { businessId, url: receiver.url(path), eventTypes });
  await create("/all");
  await create("/withdrawals", ["WITHDRAWAL"]);
  await create("/refunds", ["REFUND"]);
  const off = await create("/off");
  await system.call("webhooks.updateEndpoint", { businessId, id: off.id, disabled: true });
  const event = anEvent({ businessId, at: Date.now() });

  await system.call("webhooks.publish", { events: [event] });
  await deliveriesOnce(system, event, (d) => d.status === "DELIVERED");
  expect(receiver.requests.map(({ path }) => path).toSorted()).toEqual(["/all", "/withdrawals"]);

  // When the event is published again, the first choice of endpoints stands.
  await system.call("webhooks.updateEndpoint", { businessId, id: off.id, disabled: false });
  await create("/later");
  await system.call("webhooks.publish", { events: [event] });
  expect(await deliveriesOnce(system, event, (d) => d.status === "DELIVERED")).toHaveLength(2);
});

test("a pending delivery becomes a dead letter when its endpoint is disabled", async () => {
  const { businessId, endpoint } = await aMerchant();
  receiver.behave(() => ({ status: 500, headers: { "retry-after": "3600" } }));
  const event = anEvent({ businessId });
  await system.call("webhooks.publish", { events: [event] });
  await deliveriesOnce(system, event, (d) => d.attempts.length === 1);

  const { id } = endpoint;
  const view = await system.call("webhooks.updateEndpoint", { businessId, id, disabled: true });
  expect(view).toMatchObject({ disabled: true, disabledReason: "Disabled by request" });
  const [delivery] = await deliveriesOnce(system, event, (d) => d.status === "DEAD_LETTER");
  expect(delivery).toMatchObject({ deadLetterReason: "disabled", nextAttemptAt: null });

  const later = anEvent({ businessId });
  await system.call("webhooks.publish", { events: [later] });
  expect(await deliveriesNow(system, later)).toEqual([]);
});

test("an attempt that is under way when its endpoint is deleted is the last one", async () => {
  const { businessId, endpoint } = await aMerchant();
  const answered = Promise.withResolvers<void>();
  receiver.behave(() => ({ status: 500, after: answered.promise }));
  const event = anEvent({ businessId });
  await system.call("webhooks.publish", { events: [event] });
  await until(() => receiver.requests.length === 1);

  await system.call("webhooks.deleteEndpoint", { businessId, id: endpoint.id });
  answered.resolve();
  const [delivery] = await deliveriesOnce(system, event, (d) => d.status === "DEAD_LETTER");

  expect(delivery).toMatchObject({ deadLetterReason: "deleted", attempts: [{ statusCode: 500 }] });
  expect(receiver.requests).toHaveLength(1);
});

test("a test event goes only to its endpoint, independent of the subscribed types", async () => {
  const { businessId, endpoint } = await aMerchant();
  const other = receiver.url("/other");
  await system.call("webhooks.createEndpoint", { businessId, url: other, eventTypes: ["TEST"] });
  const { id } = endpoint;
  await system.call("webhooks.updateEndpoint", { businessId, id, eventTypes: ["WITHDRAWAL"] });

  const { id: eventId } = await system.call("webhooks.testEndpoint", { businessId, id });
  const delivery = await until(async () => {
    const { items } = await system.call("webhooks.deliveries", { businessId, id });
    return items.find(({ status }) => status === "DELIVERED");
  });

  expect(delivery).toMatchObject({ eventId, eventType: "TEST", transactionId: null });
  expect(receiver.requests.map(({ path, body }) => ({ path, body }))).toEqual([
    { path: "/hooks", body: '{"eventType":"TEST","status":"TEST","payload":{}}' },
  ]);
  await system.call("webhooks.updateEndpoint", { businessId, id, disabled: true });
  await expect(system.call("webhooks.testEndpoint", { businessId, id })).rejects.toMatchObject({
    type: "WEBHOOK_DISABLED",
  });
});

test("deliveries are listed newest first, page by page, each once", async () => {
  const { businessId, endpoint } = await aMerchant();
  const events = Array.from({ length: 7 }, () => anEvent({ businessId }));
  for (const event of events) await system.call("webhooks.publish", { events: [event] });

  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await system.call("webhooks.deliveries", {
      businessId,
      id: endpoint.id,
      limit: 3,
      cursor,
    });
    seen.push(...page.items.map(({ eventId }) => eventId));
    cursor = page.meta.nextCursor ?? undefined;
  } while (cursor);

  expect(seen).toEqual(events.map(({ id }) => id).toReversed());
  const wrong = { businessId, id: endpoint.id, cursor: "x" };
  await expect(system.call("webhooks.deliveries", wrong)).rejects.toMatchObject({
    type: "VALIDATION",
  });
});

test("a thousand events in one call are stored at once and all arrive", async () => {
  const { businessId } = await aMerchant();
  const events = Array.from({ length: 1_000 }, () => anEvent({ businessId }));

  await system.call("webhooks.publish", { events });
  await until(() => receiver.requests.length >= 1_000);

  expect(new Set(receiver.requests.map(({ id }) => id))).toEqual(new Set(events.map((e) => e.id)));
  expect(receiver.requests).toHaveLength(1_000);
});
