// The deliveries as a merchant sees them: filtered lists, each served by an index, in messages of
// bounded size, and one delivery with all of its attempts.

import type { Delivery, DeliveryAttempt } from "../../services/webhooks/queue/delivery.model.ts";
import type { EventType } from "../../shared/contracts/events.ts";
import { newId } from "../../shared/ids.ts";
import type { Answer } from "../support/http.ts";
import { refusal } from "../support/refusal.ts";
import { until } from "../support/system.ts";
import { anEvent, type DeliveryView, deliveriesOnce } from "../support/webhook-events.ts";
import { type Past, pastOf } from "../support/webhook-past.ts";
import {
  dataOf,
  startWorld,
  type TestBusiness,
  type TestHook,
  type World,
} from "../support/world.ts";

const HOUR_MS = 3_600_000;
const DEAD = { status: "DEAD_LETTER", deadLetterReason: "exhausted" } as const;

let world: World;
let past: Past;
let business: TestBusiness;
let hook: TestHook;

beforeAll(async () => {
  // Over NATS, because NATS bounds the size of a message.
  world = await startWorld({ overNats: true });
  past = await pastOf(world);
});
afterAll(async () => {
  await past?.close();
  await world?.stop();
});

beforeEach(async () => {
  business = await world.business();
  hook = await world.hook(business);
});

const pathOf = (endpointId = hook.id) =>
  `/v1/business/${business.id}/webhooks/${endpointId}/deliveries`;

const list = (query: Record<string, string | number> | string = "", endpointId = hook.id) => {
  return world.http.get(`${pathOf(endpointId)}?${searchOf(query)}`, { token: business.token });
};

function searchOf(query: Record<string, string | number> | string): string {
  if (typeof query === "string") return query;
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return pairs.join("&");
}

const idsIn = ({ body }: Answer): string[] => body.data.map(({ id }: DeliveryView) => id);

const add = (each: Partial<Delivery>[], endpointId = hook.id) =>
  past.add({ id: endpointId, businessId: business.id }, each);

/** Newest first, in the order of a list. */
const idsOf = (deliveries: Delivery[]) => deliveries.map(({ _id }) => _id).toReversed();

/** All pages of a list, followed by cursors. */
async function allPages(query: Record<string, string | number>): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null && pages < 100; pages++) {
    const page: Answer = await list({ ...query, ...(cursor && { cursor }) });
    ids.push(...idsIn(page));
    cursor = page.body.meta.nextCursor;
  }
  expect(cursor).toBeNull();
  return ids;
}

describe("the list", () => {
  test("shows the result of each delivery, newest first", async () => {
    const events = [1, 2].map(() => anEvent({ businessId: business.id }));
    for (const event of events) {
      await world.call("webhooks.publish", { events: [event] });
      await deliveriesOnce(world, event, ({ status }) => status === "DELIVERED");
    }
    const { body } = await list();
    const attempt = {
      at: expect.any(String),
      statusCode: 200,
      durationMs: expect.any(Number),
      error: null,
      errorClass: null,
      response: null,
    };
    expect(body).toEqual({
      success: true,
      data: events.toReversed().map(({ id, transactionId }) => ({
        id: expect.any(String),
        endpointId: expect.any(String),
        eventId: id,
        eventType: "WITHDRAWAL",
        transactionId,
        status: "DELIVERED",
        deadLetterReason: null,
        createdAt: expect.any(String),
        nextAttemptAt: null,
        attempts: [attempt],
      })),
      meta: { nextCursor: null },
    });
  });

  test("has the deliveries that match all filters, page by page", async () => {
    const types = ["WITHDRAWAL", "COLLECTION", "REFUND"] as const;
    const nextAttemptAt = new Date(Date.now() + HOUR_MS);
    const states = [{}, DEAD, { status: "PENDING" as const, nextAttemptAt }];
    const all = await add(
      Array.from({ length: 4 }, () =>
        types.flatMap((eventType) => states.map((state) => ({ eventType, ...state }))),
      ).flat(),
    );
    for (const eventType of [undefined, ...types]) {
      for (const status of [undefined, "DELIVERED", "DEAD_LETTER", "PENDING"] as const) {
        const expected = all.filter(
          (each) =>
            (eventType ?? each.eventType) === each.eventType &&
            (status ?? each.status) === each.status,
        );
        const query = { limit: 5, ...(eventType && { eventType }), ...(status && { status }) };
        expect([query, await allPages(query)]).toEqual([query, idsOf(expected)]);
      }
    }
    expect(await allPages({ eventType: "INVOICE" })).toEqual([]);
  });

  test("has the deliveries created at a time or later", async () => {
    const events = [1, 2, 3].map(() => anEvent({ businessId: business.id }));
    for (const event of events) {
      await world.call("webhooks.publish", { events: [event] });
      await deliveriesOnce(world, event, ({ status }) => status === "DELIVERED");
    }
    const { body } = await list();
    const [third, second] = body.data as DeliveryView[];
    const since = second?.createdAt as string;
    expect(idsIn(await list({ since }))).toEqual([third?.id, second?.id]);
    expect(await allPages({ since, limit: 1, status: "DELIVERED" })).toEqual([
      third?.id,
      second?.id,
    ]);
    expect(idsIn(await list({ since: "2999-01-01" }))).toEqual([]);
    expect(idsIn(await list({ since: "0000-01-01" }))).toHaveLength(3);
  });

  test("has a transaction's deliveries to this endpoint", async () => {
    const transactionId = newId();
    const [first, second, third] = await add([
      { transactionId, seq: 1 },
      { transactionId, seq: 2, ...DEAD },
      { transactionId, seq: 3 },
      {},
    ]);
    const elsewhere = await world.hook(business);
    await add([{ transactionId, seq: 1 }], elsewhere.id);
    const expected = [third?._id, second?._id, first?._id];
    expect(await allPages({ transactionId, limit: 1 })).toEqual(expected);
    expect(idsIn(await list({ transactionId, status: "DEAD_LETTER" }))).toEqual([second?._id]);
    expect(idsIn(await list({ transactionId, eventType: "REFUND" }))).toEqual([]);
    expect(idsIn(await list({ transactionId: newId() }))).toEqual([]);
  });

  test("shows no transaction for an event without one, and does not find it by the event's id", async () => {
    const answer = await world.http.post(pathOf().replace("deliveries", "test"), undefined, {
      token: business.token,
    });
    const { id: eventId } = dataOf(answer, 201);
    const { body } = await list();
    expect(body.data).toMatchObject([{ eventId, eventType: "TEST", transactionId: null }]);
    expect(idsIn(await list({ transactionId: eventId }))).toEqual([]);
  });

  test("refuses filters that are invalid, repeated or in brackets, and lists the allowed values", async () => {
    const OTHER_FORM =
      "since must be an ISO 8601 date or time, but is not written like 2026-12-01 or 2026-12-01T10:00:00Z";
    const ONE_OF_TYPES = /^eventType must be one of WITHDRAWAL, COLLECTION, /;
    for (const [query, message] of [
      ["status=delivered", "status must be one of PENDING, DELIVERED, DEAD_LETTER"],
      ["eventType=PAYOUT", expect.stringMatching(ONE_OF_TYPES)],
      ["transactionId=1", "transactionId must be a UUID"],
      ["since=yesterday", OTHER_FORM],
      ["since=0", OTHER_FORM],
      ["since=1000000000-01-01", OTHER_FORM],
      ["status=DELIVERED&status=PENDING", "status must be given once"],
      ["eventType[]=TEST", "eventType must be given once"],
      ["since[$gt]=2020-01-01", "since must be given once"],
      ["cursor=x", "cursor must be a nextCursor of this list"],
    ] as const) {
      const { status, body } = await list(query);
      expect([query, status, body]).toEqual([query, 400, refusal(message)]);
    }
  });

  test("of another business's endpoint, or of a missing endpoint, is not found", async () => {
    const other = await world.business();
    const path = pathOf().replace(business.id, other.id);
    for (const answer of [
      await world.http.get(path, { token: other.token }),
      await list("", newId()),
    ]) {
      expect([answer.status, answer.body.message]).toEqual([404, "Webhook not found"]);
    }
  });
});

describe("one delivery", () => {
  const show = (id: string, endpointId?: string) =>
    world.http.get(`${pathOf(endpointId)}/${id}`, { token: business.token });

  test("that is missing, or of another endpoint, is not found", async () => {
    const [mine] = await add([{}]);
    const elsewhere = await world.hook(business);
    expect((await show(mine?._id as string)).status).toBe(200);
    for (const answer of [
      await show(newId()),
      await show("x"),
      await show(mine?._id as string, elsewhere.id),
    ]) {
      expect([answer.status, answer.body.message]).toEqual([404, "Delivery not found"]);
    }
    const unknown = await show(mine?._id as string, newId());
    expect([unknown.status, unknown.body.message]).toEqual([404, "Webhook not found"]);
  });
});

describe("with many attempts and deliveries", () => {
  /** The longest stored response; as JSON it is even longer. */
  const LONG = "\u0001".repeat(1_024);
  const attempts = (count: number, response: string): DeliveryAttempt[] =>
    Array.from({ length: count }, (_, i) => ({
      at: new Date(1_700_000_000_000 + i),
      statusCode: 503,
      durationMs: i,
      error: null,
      errorClass: "status",
      response,
    }));
  const shownAttempts = ({ body }: Answer): DeliveryView["attempts"][] =>
    body.data.map((each: DeliveryView) => each.attempts);

  test("a list shows the last ten attempts, one delivery shows all stored attempts", async () => {
    const [delivery] = await add([{ ...DEAD, attempts: attempts(100, LONG) }]);
    const [listed] = shownAttempts(await list());
    expect(listed?.map(({ durationMs }) => durationMs)).toEqual(
      Array.from({ length: 10 }, (_, i) => 90 + i),
    );
    expect(listed?.every(({ response }) => response === LONG)).toBe(true);

    const path = `${pathOf()}/${delivery?._id}`;
    const whole = dataOf(await world.http.get(path, { token: business.token }), 200);
    expect(whole.attempts).toHaveLength(100);
    expect(whole.attempts.every(({ response }: DeliveryAttempt) => response === LONG)).toBe(true);
  });

  test("a list that is too long leaves out the attempts' responses", async () => {
    await add(Array.from({ length: 100 }, () => ({ ...DEAD, attempts: attempts(100, LONG) })));
    const longest = await list({ limit: 100 });
    expect(longest.status).toBe(200);
    expect(shownAttempts(longest)).toHaveLength(100);
    for (const each of shownAttempts(longest)) {
      expect(each).toHaveLength(10);
      expect(each.every(({ response }) => response === null)).toBe(true);
    }
    const shorter = shownAttempts(await list({ limit: 5 }));
    expect(shorter.flat().every(({ response }) => response === LONG)).toBe(true);
  });

  test("a timeline has every delivery of its transaction, with as many attempts as fit", async () => {
    const user = await world.user(business);
    const wallet = await world.wallet(business, user, 100);
    const bank = await world.bank(business, wallet);
    const paid = await world.withdraw(user, bank);
    const transactionId = dataOf(paid, 200).id as string;
    await world.status(business, transactionId, "SUCCESS");
    const timeline = () =>
      world.http.get(`/v1/transactions/${transactionId}/timeline`, { token: business.token });
    // The last delivery is stored after the payout has its status.
    const threeDeliveries = async () => {
      const all = dataOf(await timeline(), 200).deliveries;
      return all.length === 3 && all.every(isDelivered) && all;
    };
    const isDelivered = ({ status }: DeliveryView) => status === "DELIVERED";
    const before = await until(threeDeliveries, { awaited: "three deliveries" });
    expect(before[0].attempts).toMatchObject([{ statusCode: 200, errorClass: null }]);

    const many = { ...DEAD, transactionId, seq: 9, attempts: attempts(10, LONG.slice(0, 100)) };
    await add(Array.from({ length: 990 }, () => many));
    const { deliveries } = dataOf(await timeline(), 200);
    expect(deliveries).toHaveLength(before.length + 990);
    const last = deliveries.at(-1);
    expect(last.attempts).toMatchObject([{ durationMs: 9, response: null }]);
  });

  test("each list reads about one page of the index without a sort", async () => {
    const TYPES: EventType[] = ["WITHDRAWAL", "COLLECTION", "SUBSCRIPTION", "INVOICE"];
    const now = Date.now();
    const transactionId = newId();
    await add(
      Array.from({ length: 20_000 }, (_, i) => ({
        eventType: TYPES[i % 4] as EventType,
        ...(i % 3 === 0 && DEAD),
        ...(i < 3 && { transactionId, seq: i + 1 }),
      })),
    );
    const since = new Date(now).toISOString();
    const [page] = (await list({ limit: 1 })).body.data as DeliveryView[];
    const cursor = page?.id as string;
    const database = past.connection.db as NonNullable<typeof past.connection.db>;
    // Large, because the profile also records the database's other operations.
    const large = { capped: true, size: 64 * 1_024 * 1_024 };
    await database.createCollection("system.profile", large);
    await database.command({ profile: 2 });
    const names = ["status", "eventType", "since", "cursor"];
    const values = { status: "DEAD_LETTER", eventType: "INVOICE", since, cursor };
    for (let chosen = 0; chosen < 2 ** names.length; chosen++) {
      const query = Object.fromEntries(Object.entries(values).filter((_, i) => chosen & (1 << i)));
      expect(idsIn(await list({ limit: 50, ...query }))).toHaveLength(50);
    }
    expect(idsIn(await list({ transactionId }))).toHaveLength(3);
    await database.command({ profile: 0 });
    const asked = await database
      .collection("system.profile")
      .find({ op: "query", ns: /webhook_deliveries$/, "command.filter.$and.0.endpointId": hook.id })
      .sort({ ts: 1 })
      .toArray();

    expect(asked).toHaveLength(2 ** names.length + 1);
    const { length: last } = asked;
    for (const [i, { keysExamined, docsExamined, hasSortStage, planSummary }] of asked.entries()) {
      const ofTransaction = i === last - 1;
      // One more key for each of the merged ranges of statuses and types.
      expect([planSummary, keysExamined < 51 + 30]).toEqual([planSummary, true]);
      expect(docsExamined).toBeLessThanOrEqual(51);
      // A transaction has few deliveries to one endpoint, so these are sorted.
      expect(hasSortStage ?? false).toBe(ofTransaction);
    }
  });
});
