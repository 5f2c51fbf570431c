// Endpoints: their own business alone registers, reads, changes and deletes them.

import type { ServiceBroker } from "moleculer";
import mongoose, { type mongo } from "mongoose";
import { Webhook } from "standardwebhooks";
import type { Endpoint } from "../../services/webhooks/endpoints/endpoint.model.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import type { ActionName, Params } from "../../shared/contracts/contracts.ts";
import { DEFAULT_EVENT_TYPES, EVENT_TYPES } from "../../shared/contracts/events.ts";
import { newId } from "../../shared/ids.ts";
import { call } from "../../shared/rpc/actions.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { type System, startSystem, until } from "../support/system.ts";

let development: System;
let production: System;

beforeAll(async () => {
  development = await startSystem([webhooks]);
  production = await startSystem([webhooks], { WEBHOOK_ALLOW_PRIVATE: "false" });
});
afterAll(async () => {
  await development.stop();
  await production.stop();
});

const url = "https://example.com/hooks?key=1";

/** The error of a call that must fail. */
async function describeFailure<A extends ActionName>(system: System, name: A, params: unknown) {
  const called: Promise<unknown> = system.call(name, params as Params<A>);
  const { type, message } = (await called.then(
    () => ({ type: null, message: "It succeeded" }),
    (error: unknown) => error,
  )) as { type: string | null; message: string };
  return { type, message };
}

test("an endpoint is shown as registered, and its secret is shown only once", async () => {
  const businessId = newId();
  const { secret, ...created } = await production.call("webhooks.createEndpoint", {
    businessId,
    url,
    description: "Orders",
    eventTypes: ["WITHDRAWAL", "REFUND", "WITHDRAWAL"],
  });

  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(created).toEqual({
    id: expect.any(String),
    url,
    description: "Orders",
    eventTypes: ["WITHDRAWAL", "REFUND"],
    disabled: false,
    disabledReason: null,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    health: { failingSince: null, lastSuccessAt: null, waiting: 0 },
  });
  const { id } = created;
  expect(await production.call("webhooks.endpoint", { businessId, id })).toEqual(created);
  const list = await production.call("webhooks.endpoints", { businessId });
  expect(list).toEqual({
    items: [created],
    meta: { page: 1, pageSize: 50, pageCount: 1, total: 1 },
  });
});

test("an endpoint subscribes to all types and has no description by default", async () => {
  const created = await production.call("webhooks.createEndpoint", { businessId: newId(), url });
  expect(created).toMatchObject({ eventTypes: DEFAULT_EVENT_TYPES, description: null });
});

test("a secret is stored encrypted", async () => {
  const { secret, id } = await production.call("webhooks.createEndpoint", {
    businessId: newId(),
    url,
  });
  const connection = await mongoose
    .createConnection(production.config.mongoUrl as string)
    .asPromise();
  const stored = await connection
    .collection<{ _id: string }>("webhook_endpoints")
    .findOne({ _id: id });
  await connection.close();
  expect(stored).not.toBeNull();
  expect(JSON.stringify(stored)).not.toContain(secret.slice("whsec_".length, -1));
});

test("endpoints are listed oldest first, page by page", async () => {
  const businessId = newId();
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) {
    ids.push((await production.call("webhooks.createEndpoint", { businessId, url })).id);
  }
  const page = (number: number) =>
    production.call("webhooks.endpoints", { businessId, page: number, limit: 2 });
  expect((await page(1)).items.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  expect(await page(2)).toMatchObject({
    items: [{ id: ids[2] }],
    meta: { page: 2, pageSize: 2, pageCount: 2, total: 3 },
  });
});

test("a change affects the given fields only", async () => {
  const businessId = newId();
  const created = await production.call("webhooks.createEndpoint", { businessId, url });
  const { secret: _, ...endpoint } = created;
  const { id } = endpoint;
  const change = (params: object) =>
    production.call("webhooks.updateEndpoint", { businessId, id, ...params });

  expect(await change({ description: "New" })).toEqual({ ...endpoint, description: "New" });
  expect(await change({ url: "https://example.org/", eventTypes: ["TEST"] })).toEqual({
    ...endpoint,
    description: "New",
    url: "https://example.org/",
    eventTypes: ["TEST"],
  });
  expect(await change({ disabled: true })).toMatchObject({ disabled: true });
  expect(await change({ disabled: false })).toMatchObject({
    disabled: false,
    disabledReason: null,
    description: "New",
  });
});

test("a rotation shows a new secret and changes no other field", async () => {
  const businessId = newId();
  const { secret, ...endpoint } = await production.call("webhooks.createEndpoint", {
    businessId,
    url,
  });
  const rotated = await production.call("webhooks.rotateSecret", { businessId, id: endpoint.id });
  expect(rotated).toEqual({ ...endpoint, secret: expect.stringMatching(/^whsec_/) });
  expect(rotated.secret).not.toBe(secret);
});

/** The actions on an endpoint, each with valid parameters. */
const ACTIONS: [ActionName, object][] = [
  ["webhooks.endpoint", {}],
  ["webhooks.updateEndpoint", { disabled: true }],
  ["webhooks.deleteEndpoint", {}],
  ["webhooks.rotateSecret", {}],
  ["webhooks.testEndpoint", {}],
  ["webhooks.deliveries", {}],
];

test("a deleted endpoint is gone for every action, and others are unchanged", async () => {
  const businessId = newId();
  const { secret: _, ...other } = await production.call("webhooks.createEndpoint", {
    businessId,
    url,
  });
  const { id } = await production.call("webhooks.createEndpoint", { businessId, url });
  expect(await production.call("webhooks.deleteEndpoint", { businessId, id })).toEqual({ id });
  for (const [name, params] of ACTIONS) {
    const { type } = await describeFailure(production, name, { businessId, id, ...params });
    expect([name, type]).toEqual([name, "WEBHOOK_NOT_FOUND"]);
  }
  expect((await production.call("webhooks.endpoints", { businessId })).items).toEqual([other]);
});

test("concurrent changes all take effect, each as a whole", async () => {
  const businessId = newId();
  const { id } = await production.call("webhooks.createEndpoint", { businessId, url });
  const change = (params: object) =>
    production.call("webhooks.updateEndpoint", { businessId, id, ...params });
  const changed = await Promise.all([
    change({ description: "Orders" }),
    change({ eventTypes: ["REFUND"] }),
    change({ disabled: true }),
    change({ url: "https://example.org/new" }),
  ]);
  expect(changed.map((view) => view.id)).toEqual(Array.from({ length: 4 }, () => id));
  expect(await production.call("webhooks.endpoint", { businessId, id })).toMatchObject({
    description: "Orders",
    eventTypes: ["REFUND"],
    disabled: true,
    disabledReason: "Disabled by request",
    url: "https://example.org/new",
  });
});

describe("the signing secrets", () => {
  let receiver: Receiver;
  let businessId: string;
  let id: string;
  let first: string;

  beforeEach(async () => {
    receiver = await startReceiver();
    businessId = newId();
    const made = await development.call("webhooks.createEndpoint", {
      businessId,
      url: receiver.url(),
    });
    id = made.id;
    first = made.secret;
  });
  afterEach(() => receiver.stop());

  const rotate = async () =>
    (await development.call("webhooks.rotateSecret", { businessId, id })).secret;

  /** The secrets that have signed a delivery that is made now, and the number of its signatures. */
  async function signing(secrets: string[]) {
    await development.call("webhooks.testEndpoint", { businessId, id });
    const { body, headers } = await until(() => receiver.requests.at(-1));
    const given = headers as Record<string, string>;
    const hasSigned = (secret: string) => {
      try {
        return Boolean(new Webhook(secret).verify(body, given));
      } catch {
        return false;
      }
    };
    const count = given["webhook-signature"]?.split(" ").length;
    return { signed: secrets.map(hasSigned), count };
  }

  /** Changes the stored time, as if the last rotation had been that long ago. */
  async function rotatedBefore(ageMs: number) {
    const connection = await mongoose
      .createConnection(development.config.mongoUrl as string)
      .asPromise();
    const rotatedAt = new Date(Date.now() - ageMs);
    await connection
      .collection<{ _id: string }>("webhook_endpoints")
      .updateOne({ _id: id }, { $set: { "secrets.0.createdAt": rotatedAt } });
    await connection.close();
  }

  const HOUR_MS = 3_600_000;

  test("are both secrets for a day after a rotation", async () => {
    const second = await rotate();
    await rotatedBefore(24 * HOUR_MS - 60_000);
    expect(await signing([first, second])).toEqual({ signed: [true, true], count: 2 });
  });

  test("are only the new secret after a day", async () => {
    const second = await rotate();
    await rotatedBefore(24 * HOUR_MS);
    expect(await signing([first, second])).toEqual({ signed: [false, true], count: 1 });
  });

  test("are the last two after any number of rotations, also concurrent ones", async () => {
    const second = await rotate();
    const [a, b] = await Promise.all([rotate(), rotate()]);
    expect(new Set([first, second, a, b]).size).toBe(4);
    expect(await signing([first, second, a, b])).toEqual({
      signed: [false, false, true, true],
      count: 2,
    });
  });

  test("appear only in the answers of creation and rotation", async () => {
    const secret = await rotate();
    const answers = [
      await development.call("webhooks.endpoint", { businessId, id }),
      await development.call("webhooks.endpoints", { businessId }),
      await development.call("webhooks.updateEndpoint", { businessId, id, description: "New" }),
    ];
    expect(JSON.stringify(answers)).not.toContain("secret");
    expect(JSON.stringify(answers)).not.toContain(secret);
  });
});

test("another business's endpoint answers like a missing one and stays unchanged", async () => {
  const owner = newId();
  const { secret: _, ...endpoint } = await production.call("webhooks.createEndpoint", {
    businessId: owner,
    url,
  });
  for (const [name, params] of ACTIONS) {
    const stranger = { businessId: newId(), id: endpoint.id, ...params };
    const answers = await Promise.all([
      describeFailure(production, name, stranger),
      describeFailure(production, name, { ...stranger, id: newId() }),
      describeFailure(production, name, { ...stranger, id: "no id" }),
    ]);
    expect(new Set(answers.map(({ type }) => type))).toEqual(new Set(["WEBHOOK_NOT_FOUND"]));
    expect(new Set(answers.map(({ message }) => message)).size).toBe(1);
  }
  const { id } = endpoint;
  expect(await production.call("webhooks.endpoint", { businessId: owner, id })).toEqual(endpoint);
  expect((await production.call("webhooks.endpoints", { businessId: newId() })).items).toEqual([]);
});

test.each([
  ["nothing at all", {}],
  ["only unknown fields", { color: "red" }],
  ["null", { description: null }],
  ["an unknown type", { eventTypes: ["WITHDRAWAL", "PAYOUT"] }],
  ["no type", { eventTypes: [] }],
  ["types that are not a list", { eventTypes: "WITHDRAWAL" }],
  ["an operator", { url: { $ne: "" } }],
  ["a description of control characters", { description: "a\u0000b" }],
  ["an empty description", { description: "  " }],
  ["an invalid flag", { disabled: "yes" }],
])("a change to %s is refused and changes nothing", async (_case, change) => {
  const businessId = newId();
  const { secret: _, ...endpoint } = await production.call("webhooks.createEndpoint", {
    businessId,
    url,
  });
  const { id } = endpoint;
  const failure = await describeFailure(production, "webhooks.updateEndpoint", {
    businessId,
    id,
    ...change,
  });
  expect(failure.type).toBe("VALIDATION");
  expect(await production.call("webhooks.endpoint", { businessId, id })).toEqual(endpoint);
});

test.each([
  ["no URL", { url: undefined }],
  ["a URL that is null", { url: null }],
  ["a URL that is a number", { url: 7 }],
  ["a URL that is a list", { url: [url] }],
  ["a URL of more than 2048 characters", { url: `https://example.com/${"a".repeat(2_048)}` }],
  ["a URL with a line break in it", { url: "https://example.com/\nhooks" }],
  ["a URL that turns the direction of writing", { url: "https://example.com/\u202Ehooks" }],
  ["a description of control characters", { description: "a\u0007b" }],
  ["a description with half a surrogate", { description: "a\uD800" }],
  ["a description of more than 256 characters", { description: "a".repeat(257) }],
  ["a description of a megabyte", { description: "a".repeat(1_000_000) }],
  ["a description that is null", { description: null }],
  ["an unknown type", { eventTypes: ["WITHDRAWAL", "withdrawal"] }],
  ["a type that is null", { eventTypes: [null] }],
  ["types that are null", { eventTypes: null }],
  ["more types than there are", { eventTypes: [...EVENT_TYPES, "TEST"] }],
  ["no type", { eventTypes: [] }],
])("an endpoint with %s is refused, and none is stored", async (_case, wrong) => {
  const businessId = newId();
  const params = { businessId, url, ...wrong };
  const { type, message } = await describeFailure(production, "webhooks.createEndpoint", params);
  expect([type, message]).toEqual(["VALIDATION", expect.stringContaining("must")]);
  expect((await production.call("webhooks.endpoints", { businessId })).items).toEqual([]);
});

const NEVER = [
  "example.com",
  "/hooks",
  "ftp://example.com/",
  "file:///etc/passwd",
  "gopher://example.com/",
  "javascript:alert(1)",
  "data:text/plain,x",
  "ws://example.com/",
  "https://",
  "https://exa mple.com/",
  "https://user@example.com/",
  "https://user:password@example.com/",
  "https://:password@example.com/",
  "https://example.com:99999/",
  "https://[::1/",
  "",
];

const OUTSIDE_DEVELOPMENT_NEVER = [
  "http://example.com/",
  "https://localhost/",
  "https://localhost.localdomain/",
  "https://mongo:27017/",
  "https://payouts.internal/",
  "https://printer.local/",
  "https://hook.test/",
  "https://hook.invalid/",
  "https://com/",
  "https://co.uk/",
  "https://127.0.0.1/",
  "https://127.1/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0177.0.0.1/",
  "https://127.0.0.1./",
  "https://１２７.０.０.１/",
  "https://%31%32%37.0.0.1/",
  "https://8.8.8.8/",
  "https://169.254.169.254/latest/meta-data/",
  "https://[::1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[2606:4700::1111]/",
  "https:127.0.0.1",
  "https:\\\\127.0.0.1\\",
];

test.each(NEVER)("%j is refused in every environment", async (wrong) => {
  for (const system of [development, production]) {
    const params = { businessId: newId(), url: wrong };
    expect((await describeFailure(system, "webhooks.createEndpoint", params)).type).toBe(
      "VALIDATION",
    );
  }
});

test.each(OUTSIDE_DEVELOPMENT_NEVER)("%j is refused outside development", async (wrong) => {
  const businessId = newId();
  const refused = {
    type: "VALIDATION",
    message: expect.stringContaining("url must be an https"),
  };
  expect(
    await describeFailure(production, "webhooks.createEndpoint", { businessId, url: wrong }),
  ).toMatchObject(refused);
  const { id } = await production.call("webhooks.createEndpoint", { businessId, url });
  expect(
    await describeFailure(production, "webhooks.updateEndpoint", { businessId, id, url: wrong }),
  ).toMatchObject(refused);
  expect((await production.call("webhooks.endpoint", { businessId, id })).url).toBe(url);
});

test.each([
  "https://example.com",
  "https://example.com:8443/a/b?c=d",
  "https://hooks.example.co.uk/",
  "https://bücher.de/",
  "https://xn--bcher-kva.de/",
  "https://merchant.github.io/",
])("%j is a destination", async (right) => {
  const params = { businessId: newId(), url: right };
  expect((await production.call("webhooks.createEndpoint", params)).url).toBe(right);
});

test("the number of a business's endpoints is bounded", async () => {
  const businessId = newId();
  const create = () => development.call("webhooks.createEndpoint", { businessId, url });
  for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 20 }, create));
  await expect(create()).rejects.toMatchObject({ type: "VALIDATION" });
});

test("each endpoint has ten test events a minute over all replicas; more answer 429", async () => {
  const businessId = newId();
  const receiver = await startReceiver();
  const replica = createBroker(development.config, "replica", development.broker.namespace);
  replica.createService(webhooks(development.config));
  await replica.start();
  try {
    const register = async () =>
      (await development.call("webhooks.createEndpoint", { businessId, url: receiver.url() })).id;
    const [id, other] = [await register(), await register()];
    const send = (by: ServiceBroker, endpoint: string) =>
      call(by, "webhooks.testEndpoint", { businessId, id: endpoint });
    const sent = await Promise.allSettled(
      Array.from({ length: 14 }, (_, i) => send(i % 2 ? replica : development.broker, id)),
    );
    const refused = sent.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(refused.map(({ type }) => type)).toEqual(Array(4).fill("RATE_LIMITED"));
    for (const { data } of refused) {
      expect(data.retryAfterS).toBeGreaterThan(0);
      expect(data.retryAfterS).toBeLessThanOrEqual(60);
    }
    await expect(send(replica, other)).resolves.toEqual({ id: expect.any(String) });
    // The count starts again when the minute is over.
    await withEndpoints(development, (endpoints) =>
      endpoints.updateOne({ _id: id }, { $set: { "tests.until": new Date() } }),
    );
    await expect(send(replica, id)).resolves.toEqual({ id: expect.any(String) });
    // A missing endpoint and another business's are not counted, and get the same answer.
    for (const params of [
      { businessId, id: newId() },
      { businessId: newId(), id },
    ]) {
      const { type } = await describeFailure(development, "webhooks.testEndpoint", params);
      expect(type).toBe("WEBHOOK_NOT_FOUND");
    }
  } finally {
    await replica.stop();
    await receiver.stop();
  }
});

async function withEndpoints(
  { config }: System,
  work: (endpoints: mongo.Collection<Endpoint>) => Promise<unknown>,
): Promise<void> {
  const connection = await mongoose.createConnection(config.mongoUrl as string).asPromise();
  await work(connection.getClient().db(connection.name).collection("webhook_endpoints"));
  await connection.close();
}
