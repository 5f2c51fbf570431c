// Endpoints of payment links: each gets only the events of its link, in addition to the business's
// own endpoints, and is otherwise an ordinary endpoint. Also events of every kind that the
// business's links and payouts produce.

import { randomBytes } from "node:crypto";
import mongoose, { type mongo } from "mongoose";
import { Webhook } from "standardwebhooks";
import type { Endpoint } from "../../services/webhooks/endpoints/endpoint.model.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import type { Params } from "../../shared/contracts/contracts.ts";
import { newId } from "../../shared/ids.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { type System, startSystem, until } from "../support/system.ts";
import {
  anEvent,
  deliveriesNow,
  deliveriesOnce,
  type HandedOver,
} from "../support/webhook-events.ts";

let system: System;
let production: System;
let receiver: Receiver;
let connection: mongoose.Connection;
let endpoints: mongo.Collection<Endpoint>;

beforeAll(async () => {
  system = await startSystem([webhooks]);
  production = await startSystem([webhooks], { WEBHOOK_ALLOW_PRIVATE: "false" });
  connection = await mongoose.createConnection(system.config.mongoUrl as string).asPromise();
  endpoints = connection.getClient().db(connection.name).collection("webhook_endpoints");
});
afterAll(async () => {
  await connection.close();
  await system.stop();
  await production.stop();
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());

type Wanted = Params<"webhooks.createLinkEndpoint">;

const aSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString("base64")}`;
const wanted = (overrides: Partial<Wanted> = {}): Wanted => ({
  businessId: newId(),
  paymentLinkId: newId(),
  url: receiver.url("/link"),
  ...overrides,
});
const create = (params: Wanted) => system.call("webhooks.createLinkEndpoint", params);

function aCollection(businessId: string, paymentLinkId?: string): HandedOver {
  const transactionId = newId();
  const payload = { paymentId: transactionId, amount: 10, currency: "USD" };
  return anEvent({
    businessId,
    transactionId,
    ...(paymentLinkId && { paymentLinkId }),
    body: { eventType: "COLLECTION", status: "SUCCEEDED", payload },
  });
}

/** Publishes events, and waits until all their deliveries have arrived. */
async function delivered(...events: HandedOver[]) {
  await system.call("webhooks.publish", { events });
  for (const event of events) await deliveriesOnce(system, event, (d) => d.status === "DELIVERED");
}

const idsAt = (at: string) =>
  receiver.requests
    .filter(({ path }) => path === at)
    .map(({ id }) => id)
    .toSorted();

const describeFailure = async (called: Promise<unknown>) =>
  called.then(
    () => ({ type: null, message: "It succeeded" }),
    ({ type, message }: { type: string; message: string }) => ({ type, message }),
  );

test("a link's endpoint gets its link's events of every type, and the business's own get all events", async () => {
  const businessId = newId();
  const own = { businessId, url: receiver.url("/own") };
  await system.call("webhooks.createEndpoint", own);
  const [a, b] = [newId(), newId()];
  for (const [paymentLinkId, path] of [
    [a, "/a"],
    [b, "/b"],
  ] as const) {
    await create({ businessId, paymentLinkId, url: receiver.url(path) });
  }
  const refund = anEvent({
    businessId,
    paymentLinkId: a,
    body: { eventType: "REFUND", status: "SUCCEEDED", payload: {} },
  });
  const ofA = [aCollection(businessId, a), refund];
  const ofB = aCollection(businessId, b);
  const ofAnother = aCollection(businessId, newId());
  const ofNone = [anEvent({ businessId }), aCollection(businessId)];
  const all = [...ofA, ofB, ofAnother, ...ofNone];

  await delivered(...all);

  const ids = (events: HandedOver[]) => events.map(({ id }) => id).toSorted();
  expect(idsAt("/a")).toEqual(ids(ofA));
  expect(idsAt("/b")).toEqual(ids([ofB]));
  expect(idsAt("/own")).toEqual(ids(all));
});

test("an event with another business's link id does not go to that link's endpoint", async () => {
  const { businessId, paymentLinkId, url } = wanted();
  await create({ businessId, paymentLinkId, url });
  const stranger = newId();
  await system.call("webhooks.createEndpoint", {
    businessId: stranger,
    url: receiver.url("/stranger"),
  });
  await delivered(aCollection(stranger, paymentLinkId));
  expect(receiver.requests.map(({ path }) => path)).toEqual(["/stranger"]);
});

test("an event signed with the merchant's own secret is accepted by the official library", async () => {
  const secret = aSecret();
  const params = wanted({ secret });
  expect((await create(params)).secret).toBe(secret);

  const event = aCollection(params.businessId, params.paymentLinkId);
  await delivered(event);

  const { body, headers } = receiver.requests[0] as Receiver["requests"][number];
  const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
  expect(verified).toEqual(event.body);
});

test("an endpoint without a given secret gets a generated one", async () => {
  const { secret } = await create(wanted());
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});

test("a repeated creation, also a concurrent one, returns the same endpoint and secret", async () => {
  for (const secret of [undefined, aSecret()]) {
    const params = wanted({ ...(secret && { secret }) });
    const made = await Promise.all(Array.from({ length: 5 }, () => create(params)));
    const again = await create(params);
    for (const each of made) expect(each).toEqual(again);
    const { businessId } = params;
    const { items } = await system.call("webhooks.endpoints", { businessId });
    expect(items).toHaveLength(1);
  }
});

test("a creation repeated after a rotation returns the signing secret and accepts the old one while it signs", async () => {
  const params = wanted({ secret: aSecret() });
  const { businessId } = params;
  const { id } = await create(params);
  const { secret } = await system.call("webhooks.rotateSecret", { businessId, id });
  expect(await create(params)).toMatchObject({ id, secret });
  await system.call("webhooks.rotateSecret", { businessId, id });
  expect(await describeFailure(create(params))).toMatchObject({ type: "CONFLICT" });
});

test.each([
  ["another URL", { url: "http://127.0.0.1:9/other" }],
  ["another secret", { secret: aSecret() }],
  ["another business", { businessId: newId() }],
])("a creation repeated with %s is a conflict and changes nothing", async (_case, change) => {
  const params = wanted({ secret: aSecret() });
  const { secret: _, ...endpoint } = await create(params);
  const { businessId } = params;
  const { id } = endpoint;
  expect(await describeFailure(create({ ...params, ...change }))).toMatchObject({
    type: "CONFLICT",
  });
  expect(await system.call("webhooks.endpoint", { businessId, id })).toEqual(endpoint);
});

const base64 = (bytes: number) => Buffer.alloc(bytes, 0xfb).toString("base64");

test.each([
  ["is not a text", 7],
  ["is null", null],
  ["is empty", ""],
  ["has no prefix", base64(32)],
  ["has another prefix", `sk_${base64(32)}`],
  ["has the prefix in capitals", `WHSEC_${base64(32)}`],
  ["has only a prefix", "whsec_"],
  ["has 23 bytes", `whsec_${base64(23)}`],
  ["has 65 bytes", `whsec_${base64(65)}`],
  ["is a megabyte", `whsec_${base64(1_000_000)}`],
  ["is not base64", `whsec_${"!".repeat(44)}`],
  ["is base64 for URLs", `whsec_${Buffer.alloc(33, 0xfb).toString("base64url")}`],
  ["lacks its padding", `whsec_${base64(32).replace("=", "")}`],
  ["has bits left over", `whsec_${"A".repeat(42)}B=`],
  ["ends in a line break", `whsec_${base64(32)}\n`],
  ["begins with a space", ` whsec_${base64(32)}`],
])("a secret that %s is refused, and no endpoint is stored", async (_case, secret) => {
  const params = wanted({ secret: secret as string });
  const { businessId } = params;
  expect(await describeFailure(create(params))).toEqual({
    type: "VALIDATION",
    message: expect.stringContaining("secret must be whsec_ and the base64 of 24 to 64 bytes"),
  });
  expect((await system.call("webhooks.endpoints", { businessId })).items).toEqual([]);
});

test.each([24, 25, 26, 32, 63, 64])("a secret of %d bytes is accepted", async (bytes) => {
  const secret = aSecret(bytes);
  expect((await create(wanted({ secret }))).secret).toBe(secret);
});

test.each([
  "http://example.com/hooks",
  "https://127.0.0.1/",
  "https://user:password@example.com/",
  "https://payouts.internal/",
  "no url",
])("%j is not a destination of a link, and no endpoint is stored", async (url) => {
  const params = wanted({ url });
  const { businessId } = params;
  expect(await describeFailure(production.call("webhooks.createLinkEndpoint", params))).toEqual({
    type: "VALIDATION",
    message: expect.stringMatching(/^websiteUrl and webhookPath must make an https URL/),
  });
  expect((await production.call("webhooks.endpoints", { businessId })).items).toEqual([]);
});

test("a link's endpoint has all actions of an ordinary endpoint", async () => {
  const params = wanted();
  const { businessId, url, paymentLinkId } = params;
  const { secret, ...endpoint } = await create(params);
  const { id } = endpoint;
  expect(endpoint).toEqual({
    id: expect.any(String),
    url,
    description: null,
    eventTypes: expect.arrayContaining(["COLLECTION", "INVOICE"]),
    disabled: false,
    disabledReason: null,
    createdAt: expect.any(String),
    health: { failingSince: null, lastSuccessAt: null, waiting: 0 },
  });
  expect((await system.call("webhooks.endpoints", { businessId })).items).toEqual([endpoint]);
  expect(await system.call("webhooks.endpoint", { businessId, id })).toEqual(endpoint);

  await system.call("webhooks.testEndpoint", { businessId, id });
  await until(() => receiver.requests.length === 1);
  expect(receiver.requests[0]?.event.eventType).toBe("TEST");

  const change = { description: "Shop", eventTypes: ["REFUND" as const] };
  expect(await system.call("webhooks.updateEndpoint", { businessId, id, ...change })).toMatchObject(
    change,
  );
  const collection = aCollection(businessId, paymentLinkId);
  await system.call("webhooks.publish", { events: [collection] });
  expect(await deliveriesNow(system, collection)).toEqual([]);

  const rotated = await system.call("webhooks.rotateSecret", { businessId, id });
  expect(rotated.secret).not.toBe(secret);
  const off = await system.call("webhooks.updateEndpoint", { businessId, id, disabled: true });
  expect(off).toMatchObject({ disabled: true, disabledReason: "Disabled by request" });
  expect(await system.call("webhooks.deleteEndpoint", { businessId, id })).toEqual({ id });
  expect((await system.call("webhooks.endpoints", { businessId })).items).toEqual([]);
});

test("endpoints of links do not count towards a business's maximum", async () => {
  const businessId = newId();
  const url = receiver.url();
  for (let i = 0; i < 4; i++) {
    const links = Array.from({ length: 50 }, () => create(wanted({ businessId })));
    await Promise.all(links);
  }
  expect((await system.call("webhooks.createEndpoint", { businessId, url })).url).toBe(url);
});

test("a batch of events loads only the endpoints of its own links", async () => {
  const businessId = newId();
  const paymentLinkId = newId();
  await create(wanted({ businessId, paymentLinkId }));
  await Promise.all(Array.from({ length: 50 }, () => create(wanted({ businessId }))));
  // The same query as in services/webhooks/events/events.ts.
  const plan = await endpoints
    .find({ businessId: { $in: [businessId] }, paymentLinkId: { $in: [null, paymentLinkId] } })
    .explain("executionStats");
  expect(plan).toMatchObject({ executionStats: { nReturned: 1, totalDocsExamined: 1 } });
});

test("events of every kind are stored and delivered unchanged", async () => {
  const businessId = newId();
  const url = receiver.url("/all");
  await system.call("webhooks.createEndpoint", { businessId, url });
  const kinds = [
    ["COLLECTION", "SUCCEEDED"],
    ["COLLECTION", "FAILED"],
    ["REFUND", "FAILED"],
    ["SUBSCRIPTION", "past_due"],
    ["INVOICE", "paid"],
  ] as const;
  const events = kinds.map(([eventType, status]) => {
    const payload = { id: newId(), amount: 10.5, currency: "EUR", timestamp: 1, reason: "" };
    return anEvent({ businessId, body: { eventType, status, payload } });
  });

  await delivered(...events);

  expect(receiver.requests.map(({ body }) => body).toSorted()).toEqual(
    events.map(({ body }) => JSON.stringify(body)).toSorted(),
  );
  for (const { body } of receiver.requests) {
    expect(Object.keys(JSON.parse(body) as object)).toEqual(["eventType", "status", "payload"]);
  }
});
