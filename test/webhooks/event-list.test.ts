// The list of a business's events: every event, with or without an endpoint, byte for byte as
// endpoints receive it.

import { newId } from "../../shared/ids.ts";
import { refusal } from "../support/refusal.ts";
import { until } from "../support/system.ts";
import { anEvent, eventsOfPayout, type HandedOver } from "../support/webhook-events.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  // Over NATS, because NATS bounds the size of a message.
  world = await startWorld({ overNats: true });
});
afterAll(() => world?.stop());

interface Page {
  data: { id: string; eventType: string; body: string }[];
  meta: { nextCursor: string | null };
}

async function listed({ id, token }: TestBusiness, query = ""): Promise<Page> {
  const { status, body } = await world.http.get(`/v1/business/${id}/events?${query}`, { token });
  expect(status).toBe(200);
  return body as Page;
}

const idsOf = ({ data }: Page) => data.map(({ id }) => id);
const publish = (events: HandedOver[]) => world.call("webhooks.publish", { events });

test("events of a business without an endpoint are listed, oldest first", async () => {
  const { business, user, wallet } = await world.payer(100);
  const answer = await world.withdraw(user, await world.bank(business, wallet));
  const { id: transactionId } = dataOf(answer, 200);
  const { data } = await until(async () => {
    const page = await listed(business);
    const ofPayout = page.data.filter((each) => each.eventType === "WITHDRAWAL");
    return ofPayout.length === 3 && { data: ofPayout };
  });
  expect(data.map(({ body }) => JSON.parse(body).status)).toEqual([
    "PENDING",
    "PROCESSING_PAY_OUT",
    "SUCCESS",
  ]);
  expect(data[0]).toMatchObject({ eventType: "WITHDRAWAL", transactionId, endpointIds: [] });
});

test("an event is what an endpoint receives, byte for byte and under the same id", async () => {
  const business = await world.business();
  const hook = await world.hook(business);
  await publish(eventsOfPayout(business.id));
  await until(() => hook.received.length === 3, { awaited: "three deliveries" });
  const { data } = await listed(business);
  expect(data.map(({ id, body }) => [id, body])).toEqual(
    hook.received.map(({ headers, text }) => [headers["webhook-id"], text]),
  );
  expect(data[0]).toMatchObject({ endpointIds: [hook.id] });
  const path = `/v1/business/${business.id}/events/${data[1]?.id}`;
  const one = await world.http.get(path, { token: business.token });
  expect(dataOf(one, 200)).toEqual(data[1]);
});

test("pages follow the cursor, and filters narrow them", async () => {
  const business = await world.business();
  const refund = { eventType: "REFUND", status: "SUCCEEDED", payload: {} } as const;
  const events = [1, 2, 3, 4, 5].map((n) =>
    anEvent({ businessId: business.id, ...(n % 2 === 0 && { body: refund }) }),
  );
  await publish(events);
  const ids = events.map(({ id }) => id);
  const first = await listed(business, "limit=2");
  expect(idsOf(first)).toEqual(ids.slice(0, 2));
  const second = await listed(business, `limit=3&cursor=${first.meta.nextCursor}`);
  expect(idsOf(second)).toEqual(ids.slice(2));
  expect(second.meta.nextCursor).toBeNull();
  expect(idsOf(await listed(business, "eventType=REFUND"))).toEqual([ids[1], ids[3]]);
  expect(idsOf(await listed(business, "since=2020-01-01"))).toEqual(ids);
  expect(idsOf(await listed(business, "since=2999-01-01"))).toEqual([]);
});

test("a page of long events is shorter, and the cursor goes on after it", async () => {
  const business = await world.business();
  const payload = { text: "x".repeat(150_000) };
  const body = { eventType: "COLLECTION", status: "SUCCEEDED", payload } as const;
  const events = Array.from({ length: 9 }, () => anEvent({ businessId: business.id, body }));
  for (const event of events) await publish([event]);
  const ids: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: Page = await listed(business, cursor && `cursor=${cursor}`);
    expect(page.data.length).toBeLessThan(9);
    ids.push(...idsOf(page));
    cursor = page.meta.nextCursor;
  }
  expect(ids).toEqual(events.map(({ id }) => id));
});

test("another business's event is one that does not exist", async () => {
  const [business, other] = [await world.business(), await world.business()];
  const event = anEvent({ businessId: other.id });
  await publish([event]);
  expect(idsOf(await listed(business))).toEqual([]);
  const path = (id: string) => `/v1/business/${business.id}/events/${id}`;
  for (const id of [event.id, newId(), "x"]) {
    const { status, body } = await world.http.get(path(id), { token: business.token });
    expect([status, body]).toEqual([404, refusal("Event not found")]);
  }
  const foreign = `/v1/business/${other.id}/events`;
  expect((await world.http.get(foreign, { token: business.token })).status).toBe(404);
  const user = await world.user(business);
  const own = `/v1/business/${business.id}/events`;
  expect((await world.http.get(own, { token: user.token })).status).toBe(401);
});

test.each([
  "cursor=x",
  "cursor=1&cursor=2",
  "since=yesterday",
  "since[$gt]=",
  "eventType=NONE",
  "limit=0",
  "limit=101",
])("%s is refused", async (query) => {
  const { id, token } = await world.business();
  const { status } = await world.http.get(`/v1/business/${id}/events?${query}`, { token });
  expect(status).toBe(400);
});

test("a late event of an old transaction is listed by its own time", async () => {
  const business = await world.business();
  const old = anEvent({ businessId: business.id });
  const [pending, processing, success] = eventsOfPayout(business.id) as [
    HandedOver,
    HandedOver,
    HandedOver,
  ];
  const times = [Date.UTC(2026, 0, 2), Date.UTC(2026, 0, 3), Date.UTC(2026, 0, 9)];
  const ofPayout = [pending, processing, success].map((event, i) => {
    return { ...event, at: times[i] as number };
  });
  await publish([...ofPayout, { ...old, at: Date.UTC(2026, 0, 5) }]);
  const ids = [pending.id, processing.id, old.id, success.id];
  expect(idsOf(await listed(business))).toEqual(ids);
  expect(idsOf(await listed(business, "since=2026-01-04"))).toEqual(ids.slice(2));
  const first = await listed(business, "limit=3");
  expect(idsOf(await listed(business, `cursor=${first.meta.nextCursor}`))).toEqual([success.id]);
  for (const cursor of ["x", success.id, `1.x`, `${"9".repeat(16)}.${success.id}`]) {
    const path = `/v1/business/${business.id}/events?cursor=${cursor}`;
    expect((await world.http.get(path, { token: business.token })).status).toBe(400);
  }
});
