// Replay of ended deliveries: one delivery, or all of an endpoint since a time. replay.deep.test.ts
// has two processes.

import { endpointSchema, type Replay } from "../../services/webhooks/endpoints/endpoint.model.ts";
import { replayDelivery } from "../../services/webhooks/events/replay.ts";
import { type Delivery, deliverySchema } from "../../services/webhooks/queue/delivery.model.ts";
import { systemClock } from "../../shared/clock.ts";
import { lowestIdAt, newId } from "../../shared/ids.ts";
import { Records } from "../../shared/storage/records.ts";
import type { Answer } from "../support/http.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { refusal } from "../support/refusal.ts";
import { until } from "../support/system.ts";
import { anEvent, type DeliveryView, deliveriesOnce } from "../support/webhook-events.ts";
import { type Past, pastOf } from "../support/webhook-past.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

const LONG_AGO = "2020-01-01T00:00:00.000Z";
const HOUR_MS = 3_600_000;
/** The third attempt is the last one, and no test waits for it. */
const SCHEDULE = "30ms,1h";

let world: World;
let past: Past;
let business: TestBusiness;
let receiver: Receiver;
/** Of the endpoint at the receiver. */
let id: string;

beforeAll(async () => {
  world = await startWorld({ environment: { WEBHOOK_RETRY_SCHEDULE: SCHEDULE } });
  past = await pastOf(world);
});
afterAll(async () => {
  await past?.close();
  await world?.stop();
});

beforeEach(async () => {
  receiver = await startReceiver();
  business = await world.business();
  id = await anEndpoint();
});
afterEach(() => receiver.stop());

const hooks = () => `/v1/business/${business.id}/webhooks`;
const own = () => ({ token: business.token });

async function anEndpoint(at = receiver.url()): Promise<string> {
  return dataOf(await world.http.post(hooks(), { url: at }, own()), 201).id;
}

const replayOne = (deliveryId: string, endpointId = id): Promise<Answer> =>
  world.http.post(`${hooks()}/${endpointId}/deliveries/${deliveryId}/replay`, undefined, own());

const replayMany = (body: unknown, endpointId = id): Promise<Answer> =>
  world.http.post(`${hooks()}/${endpointId}/replay`, body, own());

async function shown(deliveryId: string): Promise<DeliveryView> {
  return dataOf(await world.http.get(`${hooks()}/${id}/deliveries/${deliveryId}`, own()), 200);
}

const shownOnce = (deliveryId: string, condition: (delivery: DeliveryView) => boolean) =>
  until(async () => {
    const delivery = await shown(deliveryId);
    return condition(delivery) && delivery;
  });

const isDelivered = ({ status }: DeliveryView) => status === "DELIVERED";

/** Publishes an event, and waits for the given state of its delivery. */
async function published(condition = isDelivered): Promise<DeliveryView> {
  const event = anEvent({ businessId: business.id });
  await world.call("webhooks.publish", { events: [event] });
  const found = await deliveriesOnce(world, event, condition);
  return found[0] as DeliveryView;
}

const disable = () => world.http.patch(`${hooks()}/${id}`, { disabled: true }, own());

const stored = () => past.deliveries.find({ businessId: business.id }).sort({ _id: 1 }).toArray();

const received = () => receiver.requests.map((request) => request.id);

const eventIds = (list: { eventId: string }[]) => list.map(({ eventId }) => eventId);

describe("one delivery", () => {
  test("that was delivered is sent again under the same id and keeps its attempts", async () => {
    const before = await published();
    const answer = await replayOne(before.id);
    expect(answer.status).toBe(202);
    // Only the timeline of a transaction names the endpoint.
    const kept = Object.entries(before).filter(([name]) => name !== "endpointUrl");
    expect(answer.body.data).toMatchObject({
      ...Object.fromEntries(kept),
      status: "PENDING",
      nextAttemptAt: expect.any(String),
    });

    const after = await shownOnce(before.id, (d) => isDelivered(d) && d.attempts.length === 2);
    expect(after).toMatchObject({ eventId: before.eventId, createdAt: before.createdAt });
    expect(after.attempts[0]).toEqual(before.attempts[0]);
    expect(received()).toEqual([before.eventId, before.eventId]);
    const [first, again] = receiver.requests;
    expect(again?.body).toBe(first?.body);
  });

  test("that waits for its next attempt is tried now; a dead one starts the schedule again", async () => {
    receiver.behave(() => ({ status: 500 }));
    const waiting = await published((d) => d.attempts.length === 2);
    expect(waiting.status).toBe("PENDING");

    expect((await replayOne(waiting.id)).status).toBe(202);
    const dead = await shownOnce(waiting.id, ({ status }) => status === "DEAD_LETTER");
    expect(dead).toMatchObject({ deadLetterReason: "exhausted", attempts: { length: 3 } });

    const answer = await replayOne(waiting.id);
    expect(answer).toMatchObject({
      status: 202,
      body: { data: { status: "PENDING", deadLetterReason: null, attempts: { length: 3 } } },
    });
    const anew = await shownOnce(waiting.id, ({ attempts }) => attempts.length === 5);
    expect(anew.status).toBe("PENDING");

    receiver.behave(() => ({}));
    await replayOne(waiting.id);
    const delivered = await shownOnce(waiting.id, isDelivered);
    expect(delivered.attempts.map(({ statusCode }) => statusCode)).toEqual([
      ...[500, 500, 500, 500, 500],
      200,
    ]);
    expect(new Set(received())).toEqual(new Set([waiting.eventId]));
  });

  test("that is being tried stays unchanged", async () => {
    const answered = Promise.withResolvers<void>();
    receiver.behave(() => ({ after: answered.promise }));
    const event = anEvent({ businessId: business.id });
    await world.call("webhooks.publish", { events: [event] });
    await until(() => receiver.requests.length === 1);
    const [before] = await stored();

    expect((await replayOne(before?._id as string)).status).toBe(202);
    expect(await stored()).toEqual([before]);
    answered.resolve();
    const delivered = await shownOnce(before?._id as string, isDelivered);
    expect(delivered.attempts).toHaveLength(1);
    expect(receiver.requests).toHaveLength(1);
  });

  test("that ten concurrent requests replay is sent again once", async () => {
    const { id: deliveryId } = await published();
    const answered = Promise.withResolvers<void>();
    receiver.behave(() => ({ after: answered.promise }));
    const answers = await Promise.all(Array.from({ length: 10 }, () => replayOne(deliveryId)));
    answered.resolve();

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    await shownOnce(deliveryId, (d) => isDelivered(d) && d.attempts.length === 2);
    expect(receiver.requests).toHaveLength(2);
  });

  test("that a concurrent request has replayed is not sent once more", async () => {
    const { id: deliveryId } = await published();
    const seen = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const { connection } = past;
    const deliveries = connection.model("Delivery", deliverySchema, "webhook_deliveries");
    const endpoints = new Records(
      connection.model("Endpoint", endpointSchema, "webhook_endpoints"),
    );
    const slow = new Proxy(deliveries, {
      get: (target, name) =>
        name === "findOneAndUpdate"
          ? (...args: Parameters<typeof target.findOneAndUpdate>) => ({
              lean: async () => {
                seen.resolve();
                await goOn.promise;
                return target.findOneAndUpdate(...args).lean();
              },
            })
          : (Reflect.get(target, name) as unknown),
    });
    const late = replayDelivery(
      {
        models: { webhook_endpoints: endpoints, webhook_deliveries: slow },
        clock: systemClock,
      },
      {
        businessId: business.id,
        id,
        deliveryId,
      },
      { id: newId(), isRepeat: false },
    );
    await seen.promise;
    await replayOne(deliveryId);
    await shownOnce(deliveryId, (d) => isDelivered(d) && d.attempts.length === 2);
    goOn.resolve();

    expect(await late).toMatchObject({ status: "DELIVERED", attempts: { length: 2 } });
    expect(receiver.requests).toHaveLength(2);
  });

  test("with an event removed by retention becomes a dead letter with that reason", async () => {
    const { id: deliveryId, eventId } = await published();
    await past.connection.collection<{ _id: string }>("webhook_events").deleteOne({ _id: eventId });
    expect((await replayOne(deliveryId)).status).toBe(202);
    const dead = await shownOnce(deliveryId, ({ status }) => status === "DEAD_LETTER");
    expect(dead).toMatchObject({ deadLetterReason: "expired", attempts: { length: 1 } });
    expect(receiver.requests).toHaveLength(1);
  });

  test("that is missing, another endpoint's or another business's is not found", async () => {
    const delivery = await published();
    const elsewhere = await anEndpoint();
    const before = await stored();
    const notFound = (message: string) => ({
      status: 404,
      body: refusal(message),
    });
    for (const wrong of [newId(), "x", "%00", delivery.eventId]) {
      expect(await replayOne(wrong)).toMatchObject(notFound("Delivery not found"));
    }
    expect(await replayOne(delivery.id, elsewhere)).toMatchObject(notFound("Delivery not found"));
    expect(await replayOne(delivery.id, newId())).toMatchObject(notFound("Webhook not found"));
    const other = await world.business();
    const path = `/v1/business/${other.id}/webhooks/${id}/deliveries/${delivery.id}/replay`;
    const others = await world.http.post(path, undefined, { token: other.token });
    expect(others).toMatchObject(notFound("Webhook not found"));
    expect(await stored()).toEqual(before);
  });

  test("of a disabled endpoint is not sent again: 409", async () => {
    const { id: deliveryId } = await published();
    await disable();
    const before = await stored();
    const answer = await replayOne(deliveryId);
    expect([answer.status, answer.body.message]).toEqual([409, "Webhook is disabled"]);
    expect(await stored()).toEqual(before);
  });
});

describe("a replay of all deliveries since a time", () => {
  const dead = { status: "DEAD_LETTER", deadLetterReason: "exhausted" } as const;
  const ofEndpoint = () => ({ id, businessId: business.id });
  /** A stored replay that another process is working on. */
  const taken = (changes: Partial<Replay> = {}): Replay => ({
    id: newId(),
    statuses: ["DELIVERED", "DEAD_LETTER"],
    after: lowestIdAt(0),
    until: newId(),
    due: new Date(Date.now() + HOUR_MS),
    ...changes,
  });

  const allDelivered = () =>
    until(
      async () => {
        const open = { businessId: business.id, status: { $ne: "DELIVERED" as const } };
        return (await past.deliveries.countDocuments(open)) === 0;
      },
      { awaited: "the end of all deliveries" },
    );
  const ended = () => until(async () => !(await past.replayOf(id)));

  test("sends delivered and dead deliveries, or only one kind", async () => {
    const delivered = await past.add(ofEndpoint(), [{}, {}, {}]);
    const failed = await past.add(ofEndpoint(), [dead, dead]);

    const onlyDead = await replayMany({ since: LONG_AGO, status: "DEAD_LETTER" });
    expect([onlyDead.status, onlyDead.body]).toEqual([
      202,
      { success: true, data: { id, count: 2 } },
    ]);
    await allDelivered();
    expect(received().toSorted()).toEqual(eventIds(failed).toSorted());
    await ended();

    const all = await replayMany({ since: LONG_AGO });
    expect([all.status, all.body.data]).toEqual([202, { id, count: 5 }]);
    await ended();
    await allDelivered();
    expect(received().toSorted()).toEqual(
      eventIds([...delivered, ...failed, ...failed]).toSorted(),
    );
    const none = await replayMany({ since: LONG_AGO, status: "DEAD_LETTER" });
    expect([none.status, none.body.data]).toEqual([202, { id, count: 0 }]);
  });

  test("sends the endpoint's deliveries created at the time or later, except pending ones", async () => {
    const days = [5, 4, 3, 2].map((ago) => new Date(Date.now() - ago * 24 * HOUR_MS));
    const list = await past.add(
      ofEndpoint(),
      days.map((at) => ({ _id: idAt(at), createdAt: at })),
    );
    const nextAttemptAt = new Date(Date.now() + HOUR_MS);
    const [pending] = await past.add(ofEndpoint(), [{ status: "PENDING", nextAttemptAt }]);
    const elsewhere = await anEndpoint();
    await past.add({ id: elsewhere, businessId: business.id }, [{}]);

    const since = (days[2] as Date).toISOString();
    const answer = await replayMany({ since });
    expect([answer.status, answer.body.data]).toEqual([202, { id, count: 2 }]);
    await ended();
    await until(() => receiver.accepted.length >= 2);
    expect(received().toSorted()).toEqual(eventIds(list.slice(2)).toSorted());
    expect(await past.deliveries.findOne({ eventId: pending?.eventId })).toEqual(pending);
  });

  /** A delivery id that is created at that time. */
  const idAt = (at: Date) => lowestIdAt(at.getTime()).slice(0, 14) + newId().slice(14);

  test("refuses an invalid or future time, and an unknown status", async () => {
    await past.add(ofEndpoint(), [{}, dead]);
    const before = await stored();
    const soon = new Date(Date.now() + HOUR_MS).toISOString();
    for (const [body, message] of [
      [{}, "since must be an ISO 8601 date or time, but is missing"],
      [{ since: null }, "since must be an ISO 8601 date or time, but is null"],
      [{ since: 0 }, "since must be an ISO 8601 date or time, but is a number"],
      [{ since: "" }, "since must be an ISO 8601 date or time, but is empty"],
      [
        { since: "yesterday" },
        "since must be an ISO 8601 date or time, but is not written like 2026-12-01 or 2026-12-01T10:00:00Z",
      ],
      [
        { since: "2026-13-01" },
        "since must be an ISO 8601 date or time, but is no moment of the calendar",
      ],
      [
        { since: "-271821-04-20T00:00:00Z" },
        "since must be an ISO 8601 date or time, but is not written like 2026-12-01 or 2026-12-01T10:00:00Z",
      ],
      [
        { since: "+275760-09-13T00:00:00Z" },
        "since must be an ISO 8601 date or time, but is not written like 2026-12-01 or 2026-12-01T10:00:00Z",
      ],
      [
        { since: "1000000000-01-01T00:00:00Z" },
        "since must be an ISO 8601 date or time, but is not written like 2026-12-01 or 2026-12-01T10:00:00Z",
      ],
      [{ since: "9999-12-31T23:59:59.999Z" }, "since must lie in the past"],
      [{ since: soon }, "since must lie in the past"],
      [{ since: LONG_AGO, status: "PENDING" }, "status must be one of DELIVERED, DEAD_LETTER"],
      [
        { since: LONG_AGO, status: null },
        "status must be one of DELIVERED, DEAD_LETTER, but is null",
      ],
    ] as const) {
      const answer = await replayMany(body);
      expect([body, answer.status, answer.body.message]).toEqual([body, 400, message]);
    }
    expect(await stored()).toEqual(before);
    expect(await past.replayOf(id)).toBeUndefined();
  });

  test("accepts a time before the first delivery", async () => {
    await past.add(ofEndpoint(), [{}]);
    for (const since of ["0000-01-01", "1969-12-31T23:59:59Z"]) {
      const { status, body } = await replayMany({ since });
      expect([status, body]).toEqual([202, { success: true, data: { id, count: 1 } }]);
      await ended();
      await allDelivered();
    }
    expect(receiver.requests).toHaveLength(2);
  });

  test("is refused for another business's or a disabled endpoint, and during another replay", async () => {
    await past.add(ofEndpoint(), [{}]);
    const before = await stored();
    const unknown = await replayMany({ since: LONG_AGO }, newId());
    expect([unknown.status, unknown.body.message]).toEqual([404, "Webhook not found"]);

    await past.setReplay(id, taken());
    const second = await replayMany({ since: LONG_AGO });
    expect([second.status, second.body.message]).toEqual([
      409,
      "A replay of the webhook is under way",
    ]);
    await disable();
    const disabled = await replayMany({ since: LONG_AGO });
    expect([disabled.status, disabled.body.message]).toEqual([409, "Webhook is disabled"]);
    expect(await stored()).toEqual(before);
  });

  test("starts once for ten concurrent requests", async () => {
    await past.add(
      ofEndpoint(),
      Array.from({ length: 1_200 }, () => ({})),
    );
    const held = Promise.withResolvers<void>();
    receiver.behave(() => ({ after: held.promise }));
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => replayMany({ since: LONG_AGO, status: "DELIVERED" })),
    );
    // A request after the replay has ended finds no ended delivery, so its count is 0.
    const begun = answers.filter(({ status, body }) => status === 202 && body.data.count > 0);
    for (const { status } of answers) expect([202, 409]).toContain(status);
    await ended();
    held.resolve();
    await allDelivered();
    expect(begun.length).toBeGreaterThanOrEqual(1);
    expect(receiver.requests).toHaveLength(1_200);
  });

  test("ends if the endpoint is disabled, and can start again later", async () => {
    await past.add(ofEndpoint(), [{}, {}]);
    await past.setReplay(id, taken());
    await disable();
    const before = await stored();
    await past.setReplay(id, taken({ due: new Date() }));
    await ended();
    expect(await stored()).toEqual(before);

    await world.http.patch(`${hooks()}/${id}`, { disabled: false }, own());
    expect((await replayMany({ since: LONG_AGO })).body.data).toEqual({ id, count: 2 });
    await until(() => receiver.accepted.length === 2);
  });

  test("continues after its process has died, and sends no delivery again twice", async () => {
    const list = await past.add(
      ofEndpoint(),
      Array.from({ length: 1_500 }, () => ({})),
    );
    const ids = list.map(({ _id }) => _id);
    const replay = taken({ after: ids[499] as string, due: new Date() });
    // The process died after a part of the work, before it stored its progress.
    const done = { _id: { $in: ids.slice(0, 800) } };
    await past.deliveries.updateMany(done, { $set: { replayId: replay.id } });
    await past.setReplay(id, replay);

    await ended();
    await until(() => receiver.accepted.length >= 700);
    await allDelivered();
    expect(received().toSorted()).toEqual(eventIds(list.slice(800)).toSorted());
  });

  test("sends each transaction's events in their order, independent of the order of ids", async () => {
    const TRANSACTIONS = 150;
    // As if processes with different clocks had written them: the last events have the lowest ids.
    const transactions = Array.from({ length: TRANSACTIONS }, () => newId());
    const list = [4, 3, 2, 1].flatMap((seq): Partial<Delivery>[] =>
      transactions.map((transactionId) => ({ transactionId, seq })),
    );
    await past.add(
      ofEndpoint(),
      list.map((each) => ({ ...each, _id: newId() })),
    );
    receiver.behave(({ event }) => ({ status: failsFirst(event.payload) ? 503 : 200 }));
    const tried = new Set<string>();
    const failsFirst = ({ transactionId, seq }: Record<string, unknown>) => {
      const key = `${transactionId as string} ${seq as number}`;
      return Number(seq) < 3 && !tried.has(key) && Boolean(tried.add(key));
    };

    expect((await replayMany({ since: LONG_AGO })).body.data.count).toBe(4 * TRANSACTIONS);
    await ended();
    await allDelivered();
    const accepted = receiver.requests.slice();
    const bySeq = Map.groupBy(accepted, ({ event }) => event.payload.transactionId);
    expect(bySeq.size).toBe(TRANSACTIONS);
    for (const requests of bySeq.values()) {
      const seqs = requests.map(({ event }) => event.payload.seq as number);
      expect(seqs).toEqual([1, 1, 2, 2, 3, 4]);
    }
  });
});
