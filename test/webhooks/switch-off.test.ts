// Endpoints that the service disables itself, after an answer 410 or after five days with failures
// only, and the notices to the business's other endpoints.

import mongoose, { type mongo } from "mongoose";
import type { Endpoint } from "../../services/webhooks/endpoints/endpoint.model.ts";
import type { Delivery } from "../../services/webhooks/queue/delivery.model.ts";
import type { Event } from "../../services/webhooks/queue/event.model.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { newId } from "../../shared/ids.ts";
import { call } from "../../shared/rpc/actions.ts";
import { type Behaviour, type Receiver, startReceiver } from "../support/receiver.ts";
import { type System, startSystem, until } from "../support/system.ts";
import {
  anEvent,
  deliveriesNow,
  deliveriesOnce,
  type HandedOver,
} from "../support/webhook-events.ts";

let system: System;
let connection: mongoose.Connection;
let endpoints: mongo.Collection<Endpoint>;
let receiver: Receiver;
/** The receiver's behaviour by path; 200 by default. */
let behaviours: Map<string, Behaviour>;

beforeAll(async () => {
  system = await startSystem([webhooks], { WEBHOOK_RETRY_SCHEDULE: "50ms,1h,1h,1h" });
  connection = await mongoose.createConnection(system.config.mongoUrl as string).asPromise();
  endpoints = connection.getClient().db(connection.name).collection("webhook_endpoints");
});
afterAll(async () => {
  await connection.close();
  await system.stop();
});

beforeEach(async () => {
  receiver = await startReceiver();
  behaviours = new Map();
  receiver.behave(({ path }) => behaviours.get(path) ?? {});
});
afterEach(() => receiver.stop());

const create = (businessId: string, path: string) =>
  system.call("webhooks.createEndpoint", { businessId, url: receiver.url(path) });
const show = (businessId: string, id: string) =>
  system.call("webhooks.endpoint", { businessId, id });
const stored = async (id: string) => (await endpoints.findOne({ _id: id })) as Endpoint;

/** Publishes an event of the business. */
async function publish(businessId: string, overrides: Partial<HandedOver> = {}) {
  const event = anEvent({ businessId, ...overrides });
  await system.call("webhooks.publish", { events: [event] });
  return event;
}

/** Publishes an event and waits until each of its deliveries has been tried that often. */
async function tried(businessId: string, attempts = 1) {
  const event = await publish(businessId);
  return deliveriesOnce(system, event, (d) => d.attempts.length >= attempts);
}

const disabled = (businessId: string, id: string) =>
  until(async () => {
    const view = await show(businessId, id);
    return view.disabled && view;
  });

/**
 * Disables the endpoint. Retry-After is long, because a retry could come before the endpoint is
 * disabled.
 */
const GONE: Behaviour = { status: 410, headers: { "retry-after": "3600" } };

/** The ENDPOINT events that the receiver got at a path. */
const noticesAt = (at: string) =>
  receiver.requests.filter(({ path, event }) => path === at && event.eventType === "ENDPOINT");

const DAY_MS = 86_400_000;
const sixDaysAgo = () => new Date(Date.now() - 6 * DAY_MS);

/**
 * Changes the stored time, as if the endpoint had failed since then; the service sees the change
 * when it reads the endpoint again.
 */
async function failingFor(id: string, since: Date) {
  await endpoints.updateOne({ _id: id }, { $set: { failingSince: since } });
}

describe("an answer 410", () => {
  test("disables the endpoint, and its pending deliveries become dead letters", async () => {
    const businessId = newId();
    const { id } = await create(businessId, "/hooks");
    behaviours.set("/hooks", { status: 500, headers: { "retry-after": "3600" } });
    const [waiting] = await tried(businessId);
    expect(waiting?.status).toBe("PENDING");

    behaviours.set("/hooks", GONE);
    const gone = await publish(businessId);

    expect(await disabled(businessId, id)).toMatchObject({
      disabled: true,
      disabledReason: "Answered 410 Gone",
    });
    const [delivery] = await deliveriesOnce(system, gone, (d) => d.status === "DEAD_LETTER");
    expect(delivery).toMatchObject({
      deadLetterReason: "disabled",
      nextAttemptAt: null,
      attempts: [{ statusCode: 410 }],
    });
    const transaction = { businessId, transactionId: waiting?.transactionId as string };
    const [before] = await deliveriesOnce(system, transaction, (d) => d.status === "DEAD_LETTER");
    expect(before).toMatchObject({ deadLetterReason: "disabled", nextAttemptAt: null });
  });

  test("to many concurrent attempts leaves no delivery pending", async () => {
    const businessId = newId();
    const { id } = await create(businessId, "/hooks");
    const answered = Promise.withResolvers<void>();
    behaviours.set("/hooks", { ...GONE, after: answered.promise });
    const events = [];
    for (let i = 0; i < 40; i++) events.push(await publish(businessId));
    await until(() => receiver.requests.length > 1);
    answered.resolve();

    for (const event of events) {
      const [delivery] = await deliveriesOnce(system, event, (d) => d.status === "DEAD_LETTER");
      expect(delivery).toMatchObject({ deadLetterReason: "disabled", nextAttemptAt: null });
    }
    expect(await show(businessId, id)).toMatchObject({ disabledReason: "Answered 410 Gone" });
  });

  test("ends deliveries that are stored for the endpoint later, without an attempt", async () => {
    const businessId = newId();
    const { id } = await create(businessId, "/hooks");
    const earlier = Date.now();
    behaviours.set("/hooks", GONE);
    const gone = await publish(businessId);
    await deliveriesOnce(system, gone, (d) => d.status === "DEAD_LETTER");
    expect(await show(businessId, id)).toMatchObject({ disabled: true });
    const count = receiver.requests.length;

    const late = await publish(businessId, { at: earlier });
    const after = await publish(businessId, { at: Date.now() + 1 });

    const [delivery] = await deliveriesOnce(system, late, (d) => d.status === "DEAD_LETTER");
    expect(delivery).toMatchObject({ deadLetterReason: "disabled", attempts: [] });
    expect(await deliveriesNow(system, after)).toEqual([]);
    expect(receiver.requests).toHaveLength(count);
  });

  test("from a URL that has since been changed is ignored", async () => {
    const businessId = newId();
    const { id } = await create(businessId, "/old");
    const answered = Promise.withResolvers<void>();
    behaviours.set("/old", { status: 410, after: answered.promise });
    const event = await publish(businessId);
    await until(() => receiver.requests.length === 1);
    await system.call("webhooks.updateEndpoint", { businessId, id, url: receiver.url("/new") });
    answered.resolve();

    await deliveriesOnce(system, event, (d) => d.status === "DELIVERED");
    expect(receiver.requests.map(({ path }) => path)).toEqual(["/old", "/new"]);
    expect(await show(businessId, id)).toMatchObject({ disabled: false });
  });

  test("from before the endpoint was enabled again is ignored", async () => {
    const businessId = newId();
    const { id } = await create(businessId, "/hooks");
    const answered = Promise.withResolvers<void>();
    behaviours.set("/hooks", { status: 410, after: answered.promise });
    const event = await publish(businessId);
    await until(() => receiver.requests.length === 1);
    for (const off of [true, false]) {
      await system.call("webhooks.updateEndpoint", { businessId, id, disabled: off });
    }
    behaviours.set("/hooks", {});
    answered.resolve();

    await deliveriesOnce(system, event, (d) => d.status === "DELIVERED");
    expect(await show(businessId, id)).toMatchObject({ disabled: false });
  });
});

describe("five days of failures", () => {
  test("start with the first failure and end with a success", async () => {
    const businessId = newId();
    const { id } = await create(businessId, "/hooks");
    await tried(businessId);
    expect((await stored(id)).failingSince).toBeNull();

    behaviours.set("/hooks", { status: 503 });
    const [delivery] = await tried(businessId, 2);
    const { failingSince } = await until(async () => {
      const endpoint = await stored(id);
      return endpoint.failingSince && endpoint;
    });
    expect(failingSince?.toISOString()).toBe(delivery?.attempts[0]?.at);

    behaviours.delete("/hooks");
    await tried(businessId);
    await until(async () => (await stored(id)).failingSince === null);
    expect(await show(businessId, id)).toMatchObject({ disabled: false });
  });

  test("disable the endpoint at the next failure", async () => {
    const businessId = newId();
    const { id } = await create(businessId, "/hooks");
    behaviours.set("/hooks", { drop: true });
    await failingFor(id, sixDaysAgo());

    const event = await publish(businessId);

    expect(await disabled(businessId, id)).toMatchObject({
      disabledReason: "Nothing but failures for five days",
    });
    const [delivery] = await deliveriesOnce(system, event, (d) => d.status === "DEAD_LETTER");
    expect(delivery).toMatchObject({ deadLetterReason: "disabled" });
  });

  test("do not disable the endpoint before they are over", async () => {
    const businessId = newId();
    const { id } = await create(businessId, "/hooks");
    behaviours.set("/hooks", { status: 500 });
    const since = new Date(Date.now() - 5 * DAY_MS + 60_000);
    await failingFor(id, since);

    await tried(businessId, 2);

    expect(await stored(id)).toMatchObject({ disabled: false, failingSince: since });
  });

  test("do not disable an endpoint that succeeds at their end, and then start again", async () => {
    const businessId = newId();
    const { id } = await create(businessId, "/hooks");
    await failingFor(id, sixDaysAgo());
    await tried(businessId);
    await until(async () => (await stored(id)).failingSince === null);

    behaviours.set("/hooks", { status: 500 });
    const [delivery] = await tried(businessId, 2);

    const { failingSince } = await until(async () => {
      const endpoint = await stored(id);
      return endpoint.failingSince && endpoint;
    });
    expect(failingSince?.toISOString()).toBe(delivery?.attempts[0]?.at);
    expect(await show(businessId, id)).toMatchObject({ disabled: false });
  });

  test("are ended by a success that another process saw", async () => {
    const businessId = newId();
    const { id } = await create(businessId, "/hooks");
    const answered = Promise.withResolvers<void>();
    const failure = { status: 500, after: answered.promise };
    receiver.behave(() => (receiver.requests.length === 1 ? failure : {}));
    await failingFor(id, sixDaysAgo());
    const event = await publish(businessId);
    await until(() => receiver.requests.length === 1);
    await endpoints.updateOne({ _id: id }, { $set: { failingSince: null } });
    answered.resolve();

    await deliveriesOnce(system, event, (d) => d.status === "DELIVERED");
    expect(await show(businessId, id)).toMatchObject({ disabled: false });
  });

  test.each([
    ["after it was enabled again", [{ disabled: true }, { disabled: false }]],
    ["at another URL", [{ url: "http://127.0.0.1:9/" }]],
  ])("are not counted %s", async (_case, changes) => {
    const businessId = newId();
    const { id } = await create(businessId, "/hooks");
    await failingFor(id, sixDaysAgo());
    for (const change of changes) {
      await system.call("webhooks.updateEndpoint", { businessId, id, ...change });
    }

    expect((await stored(id)).failingSince).toBeNull();
    behaviours.set("/hooks", { status: 500 });
    await tried(businessId, 2);
    expect(await show(businessId, id)).toMatchObject({ disabled: false });
  });

  test("continue if the description changes, or the same URL is set again", async () => {
    const businessId = newId();
    const { id, url } = await create(businessId, "/hooks");
    const since = sixDaysAgo();
    await failingFor(id, since);
    const change = { url, description: "Orders", disabled: false };
    await system.call("webhooks.updateEndpoint", { businessId, id, ...change });
    expect((await stored(id)).failingSince).toEqual(since);
  });
});

test("an endpoint's document is not written while deliveries succeed", async () => {
  const businessId = newId();
  const { id } = await create(businessId, "/hooks");
  const before = await stored(id);
  for (let i = 0; i < 5; i++) await tried(businessId);
  expect(await stored(id)).toEqual(before);
});

test("an endpoint whose secret cannot be decrypted is not disabled", async () => {
  const businessId = newId();
  const { id } = await create(businessId, "/hooks");
  await failingFor(id, sixDaysAgo());
  await endpoints.updateOne({ _id: id }, { $set: { "secrets.0.sealed.keyId": "lost" } });
  await tried(businessId, 2);
  expect(await show(businessId, id)).toMatchObject({ disabled: false });
});

describe("the business's other endpoints", () => {
  /** Disables the endpoint by an answer 410. */
  async function switchOff(businessId: string, id: string, path: string) {
    behaviours.set(path, GONE);
    await publish(businessId);
    return disabled(businessId, id);
  }

  test("get one notice if they are enabled and subscribe to it", async () => {
    const businessId = newId();
    const notified = ["/all", "/endpoint"];
    const { id, url } = await create(businessId, "/gone");
    await create(businessId, "/all");
    const types = { eventTypes: ["ENDPOINT" as const] };
    await system.call("webhooks.createEndpoint", {
      businessId,
      url: receiver.url("/endpoint"),
      ...types,
    });
    await system.call("webhooks.createEndpoint", {
      businessId,
      url: receiver.url("/withdrawal"),
      eventTypes: ["WITHDRAWAL"],
    });
    const off = await create(businessId, "/off");
    await system.call("webhooks.updateEndpoint", { businessId, id: off.id, disabled: true });
    await system.call("webhooks.createLinkEndpoint", {
      businessId,
      paymentLinkId: newId(),
      url: receiver.url("/link"),
    });
    await create(newId(), "/stranger");

    await switchOff(businessId, id, "/gone");

    await until(() => notified.every((path) => noticesAt(path).length > 0));
    await until(async () => (await stored(id)).notices.length === 0);
    const { disabledAt } = await stored(id);
    const [first] = noticesAt("/all");
    expect(first?.event).toEqual({
      eventType: "ENDPOINT",
      status: "disabled",
      payload: {
        endpointId: id,
        url,
        reason: "Answered 410 Gone",
        timestamp: disabledAt?.getTime(),
      },
    });
    expect(noticesAt("/endpoint")[0]?.id).toBe(first?.id);
    const paths = receiver.requests.filter(({ event }) => event.eventType === "ENDPOINT");
    expect(paths.map(({ path }) => path).toSorted()).toEqual(notified);
  });

  test("get no notice of a manual change", async () => {
    const businessId = newId();
    const { id } = await create(businessId, "/mine");
    await create(businessId, "/other");
    await system.call("webhooks.updateEndpoint", { businessId, id, disabled: true });
    await system.call("webhooks.updateEndpoint", { businessId, id, disabled: false });
    expect((await stored(id)).notices).toEqual([]);
    await tried(businessId);
    const types = receiver.requests.map(({ event }) => event.eventType);
    expect(types).toEqual(["WITHDRAWAL", "WITHDRAWAL"]);
  });

  test("get a notice about a link's endpoint too, each time it is disabled", async () => {
    const businessId = newId();
    const paymentLinkId = newId();
    const { id } = await system.call("webhooks.createLinkEndpoint", {
      businessId,
      paymentLinkId,
      url: receiver.url("/link"),
    });
    await create(businessId, "/other");
    for (const times of [1, 2]) {
      behaviours.set("/link", GONE);
      await publish(businessId, { paymentLinkId });
      await disabled(businessId, id);
      await until(() => noticesAt("/other").length === times);
      await system.call("webhooks.updateEndpoint", { businessId, id, disabled: false });
    }
    expect(new Set(noticesAt("/other").map(({ id: eventId }) => eventId)).size).toBe(2);
  });
});

test("the other endpoints get one notice when two processes disable an endpoint at once", async () => {
  const long = { WEBHOOK_RETRY_SCHEDULE: "1h" };
  const pair = await startSystem([webhooks, webhooks], long, { overNats: true });
  try {
    const businessId = newId();
    const register = (path: string) =>
      pair.call("webhooks.createEndpoint", { businessId, url: receiver.url(path) });
    const { id } = await register("/gone");
    await register("/other");
    // All exchanges are under way before the first answer.
    const answered = Promise.withResolvers<void>();
    behaviours.set("/gone", { status: 410, after: answered.promise });
    const events = pair.brokers.map((broker) => {
      const event = anEvent({ businessId });
      return call(broker, "webhooks.publish", { events: [event] }).then(() => event);
    });
    await Promise.all(events);
    await until(() => receiver.requests.filter(({ path }) => path === "/gone").length === 2);
    answered.resolve();

    await until(() => noticesAt("/other").length > 0);
    for (const event of await Promise.all(events)) {
      await deliveriesOnce(pair, event, (d) => d.status !== "PENDING");
    }
    const { items } = await pair.call("webhooks.endpoints", { businessId });
    expect(items.find((endpoint) => endpoint.id === id)).toMatchObject({ disabled: true });
    expect(noticesAt("/other")).toHaveLength(1);
  } finally {
    await pair.stop();
  }
});

describe("a notice left over by a process that died", () => {
  let successor: System | null = null;
  afterEach(async () => {
    await successor?.broker.stop();
    successor = null;
  });

  const deliveriesTo = (endpointId: string) =>
    connection
      .getClient()
      .db(connection.name)
      .collection<Delivery>("webhook_deliveries")
      .countDocuments({ endpointId });

  /** A disabled endpoint with an unsent notice. */
  async function leaveNotice(businessId: string) {
    const { id, url } = await create(businessId, "/gone");
    await create(businessId, "/other");
    const at = new Date();
    await until(() => Date.now() > at.getTime());
    const notice = { id: newId(), at, url, reason: "Answered 410 Gone" };
    await endpoints.updateOne(
      { _id: id },
      { $set: { disabled: true, disabledAt: at, notices: [notice] } },
    );
    return { id, notice };
  }

  /** Another process on the same database; it is stopped, and the database stays. */
  async function startSuccessor() {
    const { mongoUrl, encryptionKeys } = system.config;
    const keys = encryptionKeys.map(({ id, key }) => `${id}:${key.toString("base64")}`).join(",");
    successor = await startSystem([webhooks], {
      MONGO_URL: mongoUrl as string,
      ENCRYPTION_KEYS: keys,
    });
  }

  test("is sent once by the next process that starts, and not to the endpoint itself", async () => {
    const businessId = newId();
    const { id, notice } = await leaveNotice(businessId);
    // The endpoint was enabled and disabled again, so it seems enabled at the time of the first
    // notice.
    const second = { ...notice, id: newId(), at: new Date(), reason: "Again" };
    const disabledAt = second.at;
    await endpoints.updateOne({ _id: id }, { $push: { notices: second }, $set: { disabledAt } });

    await startSuccessor();

    await until(() => noticesAt("/other").length > 1);
    await until(async () => (await stored(id)).notices.length === 0);
    expect(
      noticesAt("/other")
        .map((request) => request.id)
        .toSorted(),
    ).toEqual([notice.id, second.id].toSorted());
    expect(await deliveriesTo(id)).toBe(0);
  });

  test("is sent although another endpoint's notice fails", async () => {
    const { id: badId, notice: bad } = await leaveNotice(newId());
    const notices = [{ ...bad, at: null as unknown as Date }];
    await endpoints.updateOne({ _id: badId }, { $set: { notices } });
    const { id, notice } = await leaveNotice(newId());

    await startSuccessor();

    await until(async () => (await stored(id)).notices.length === 0);
    await until(() => noticesAt("/other").length > 0);
    expect(noticesAt("/other").map((request) => request.id)).toEqual([notice.id]);
    expect((await stored(badId)).notices).toEqual(notices);
    await endpoints.updateOne({ _id: badId }, { $set: { notices: [] } });
  });

  test("is not sent again if only its removal was missing", async () => {
    const businessId = newId();
    const { id, notice } = await leaveNotice(businessId);
    await startSuccessor();
    await until(() => noticesAt("/other").length > 0);
    await until(async () => (await stored(id)).notices.length === 0);
    await successor?.broker.stop();
    await endpoints.updateOne({ _id: id }, { $set: { notices: [notice] } });

    await startSuccessor();

    await until(async () => (await stored(id)).notices.length === 0);
    const db = connection.getClient().db(connection.name);
    const events = db.collection<Event>("webhook_events");
    const deliveries = db.collection<Delivery>("webhook_deliveries");
    expect(await events.countDocuments({ businessId, eventType: "ENDPOINT" })).toBe(1);
    expect(await deliveries.countDocuments({ eventId: notice.id })).toBe(1);
  });

  test("is sent before its endpoint is deleted", async () => {
    const businessId = newId();
    const { id, notice } = await leaveNotice(businessId);
    await system.call("webhooks.deleteEndpoint", { businessId, id });
    await until(() => noticesAt("/other").length > 0);
    expect(noticesAt("/other").map((request) => request.id)).toEqual([notice.id]);
  });

  test("is found by an index that holds only endpoints with notices", async () => {
    await create(newId(), "/quiet");
    const withNotices = endpoints.find({ "notices.id": { $exists: true } });
    const plan = JSON.stringify(await withNotices.explain("queryPlanner"));
    expect(plan).toContain('"indexName":"notices.id_1"');
    const quiet = await endpoints
      .find({}, { projection: { _id: 1 } })
      .hint("notices.id_1")
      .toArray();
    const { length } = await withNotices.toArray();
    expect(quiet).toHaveLength(length);
  });
});
