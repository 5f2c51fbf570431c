// Webhooks in the operators' attention list: endpoints that payrail has disabled, and dead letters
// of enabled endpoints, until they are enabled or sent again.

import { randomUUID } from "node:crypto";
import type { Delivery } from "../../services/webhooks/queue/delivery.model.ts";
import { DEAD_LETTER_REASONS, type DeadLetterReason } from "../../shared/contracts/deliveries.ts";
import { until } from "../support/system.ts";
import { type Past, pastOf } from "../support/webhook-past.ts";
import {
  dataOf,
  startWorld,
  type TestBusiness,
  type TestHook,
  type World,
} from "../support/world.ts";

interface Item {
  kind: string;
  id: string;
  businessId: string;
}

let world: World;
let past: Past;
let token: string;
let business: TestBusiness;

beforeAll(async () => {
  // The second attempt is the last one.
  world = await startWorld({ environment: { WEBHOOK_RETRY_SCHEDULE: "30ms" } });
  past = await pastOf(world);
  token = world.tokens.admin(randomUUID());
});
afterAll(async () => {
  await past?.close();
  await world?.stop();
});
beforeEach(async () => {
  business = await world.business();
});

/** A page of the list. */
async function page(query: string) {
  const { status, body } = await world.http.get(`/v1/admin/attention?${query}`, { token });
  expect([query, status]).toEqual([query, 200]);
  return body as { data: Item[]; meta: { nextCursor: string | null } };
}

/** All items of the business, page by page. */
async function listed(kind = "", limit = 100): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const parts = [kind && `kind=${kind}`, `limit=${limit}`, cursor && `cursor=${cursor}`];
    const { data, meta } = await page(parts.filter((part) => part !== "").join("&"));
    expect(data.length).toBeLessThanOrEqual(limit);
    items.push(...data);
    cursor = meta.nextCursor;
  }
  return items.filter(({ businessId }) => businessId === business.id);
}

const own = ({ id }: Pick<TestHook, "id">, rest = "") =>
  `/v1/business/${business.id}/webhooks/${id}${rest}`;

/** What the operator does with the endpoint. */
const act = ({ id }: Pick<TestHook, "id">, rest: string) =>
  world.http.post(
    `/v1/admin/businesses/${business.id}/webhooks/${id}/${rest}`,
    { note: "The merchant has repaired it" },
    { token },
  );

const setDisabled = async (hook: TestHook, disabled: boolean) =>
  dataOf(await world.http.patch(own(hook), { disabled }, { token: business.token }), 200);

/** An endpoint of the business that answers so, after a test event to it. */
async function anEndpoint(answer: number): Promise<TestHook> {
  const hook = await world.hook(business);
  hook.answerWith(answer);
  dataOf(await world.http.post(own(hook, "/test"), {}, { token: business.token }), 201);
  return hook;
}

/** A dead letter whose attempts have failed. */
async function aDeadLetter() {
  const hook = await anEndpoint(500);
  const path = own(hook, "/deliveries?status=DEAD_LETTER");
  const ask = async () => (await world.http.get(path, { token: business.token })).body.data[0];
  const { id } = await until<{ id: string }>(ask);
  return { hook, id };
}

/** An endpoint that payrail has disabled. */
async function aDisabledEndpoint() {
  const hook = await anEndpoint(410);
  const ask = async () => (await world.http.get(own(hook), { token: business.token })).body.data;
  await until(async () => (await ask()).disabled === true);
  return hook;
}

test("an endpoint that payrail has disabled is listed until it is enabled again", async () => {
  const hook = await aDisabledEndpoint();
  expect(await listed()).toEqual([
    {
      kind: "webhook",
      id: hook.id,
      businessId: business.id,
      status: "disabled",
      amount: null,
      currency: null,
      unknownSince: null,
      reason: "Answered 410 Gone",
    },
  ]);
  expect(await listed("webhook")).toHaveLength(1);
  expect(await listed("delivery")).toEqual([]);
  dataOf(await act(hook, "enable"), 200);
  // Deliveries whose last attempt it has answered meanwhile may be listed now.
  expect(await listed("webhook")).toEqual([]);
});

test("an endpoint that its merchant has disabled is not listed", async () => {
  const hook = await world.hook(business);
  await setDisabled(hook, true);
  expect(await listed()).toEqual([]);
});

test("a dead letter is listed with its endpoint until it is sent again", async () => {
  const { hook, id } = await aDeadLetter();
  expect(await listed()).toEqual([
    {
      kind: "delivery",
      id,
      businessId: business.id,
      endpointId: hook.id,
      status: "DEAD_LETTER",
      amount: null,
      currency: null,
      unknownSince: null,
      reason: "All its attempts have failed",
    },
  ]);
  dataOf(await act(hook, `deliveries/${id}/replay`), 202);
  await until(async () => (await listed()).length === 1 && hook.received.length === 4);
  hook.answerWith(200);
  dataOf(await act(hook, `deliveries/${id}/replay`), 202);
  expect(await listed()).toEqual([]);
  await until(() => hook.received.length === 5);
  expect(await listed()).toEqual([]);
});

test("a dead letter is not listed while its endpoint is disabled, nor once it is deleted", async () => {
  const { hook, id } = await aDeadLetter();
  await setDisabled(hook, true);
  expect(await listed()).toEqual([]);
  await setDisabled(hook, false);
  expect(await listed()).toEqual([expect.objectContaining({ kind: "delivery", id })]);
  dataOf(await world.http.delete(own(hook), { token: business.token }), 200);
  expect(await listed()).toEqual([]);
});

test("dead letters need attention if neither the merchant nor the order gave them up", async () => {
  const { id } = await world.hook(business);
  const endpoint = { id, businessId: business.id };
  const reasons = new Map<string, DeadLetterReason>();
  for (const deadLetterReason of DEAD_LETTER_REASONS) {
    const [added] = await past.add(endpoint, [{ status: "DEAD_LETTER", deadLetterReason }]);
    reasons.set((added as Delivery)._id, deadLetterReason);
  }
  const found = (await listed("delivery")).map((item) => reasons.get(item.id));
  expect(found).toEqual(["expired", "refused", "exhausted"]);
});

test("pages add up to the list: newest first within each kind, and nothing twice", async () => {
  const hooks = [await aDisabledEndpoint(), await aDisabledEndpoint()];
  const { id } = await world.hook(business);
  const gone = await world.hook(business);
  const lost = { status: "DEAD_LETTER" as const, deadLetterReason: "exhausted" as const };
  const endpoint = { id, businessId: business.id };
  const added = await past.add(endpoint, [lost, lost]);
  // More than a page of dead letters that are left out.
  await past.add(
    { ...endpoint, id: gone.id },
    Array.from({ length: 25 }, () => lost),
  );
  dataOf(await world.http.delete(own(gone), { token: business.token }), 200);
  added.push(...(await past.add(endpoint, [lost])));
  const newestFirst = (ids: string[]) => ids.toSorted().toReversed();
  const expected = [
    ...newestFirst(hooks.map((hook) => hook.id)),
    ...newestFirst(added.map(({ _id }) => _id)),
  ];
  for (const limit of [1, 2, 100]) {
    expect((await listed("", limit)).map((item) => item.id)).toEqual(expected);
  }
  expect((await listed("delivery", 1)).map((item) => item.id)).toEqual(expected.slice(2));
  expect((await listed("webhook", 1)).map((item) => item.id)).toEqual(expected.slice(0, 2));
});

test.each(["webhooks:1", "webhooks:delivery:1", "webhooks:payment:", "payouts:"])(
  "the cursor %s of another list is a 400",
  async (cursor) => {
    const path = `/v1/admin/attention?kind=delivery&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await world.http.get(path, { token });
    expect([status, body.message]).toEqual([400, "cursor must be a nextCursor of this list"]);
  },
);

test("indexes of dead letters and of disabled endpoints serve the lists", async () => {
  const { id } = await world.hook(business);
  const others = Array.from({ length: 500 }, (_, i) =>
    i % 2 === 0 ? {} : { status: "DEAD_LETTER" as const, deadLetterReason: "superseded" as const },
  );
  await past.add({ id, businessId: business.id }, others);
  await aDisabledEndpoint();
  await aDeadLetter();
  const db = past.connection.getClient().db(past.connection.name);
  await db.command({ profile: 2 });
  const { data } = await page("kind=delivery");
  await page("kind=webhook");
  await db.command({ profile: 0 });
  const sorted = { op: "query", "command.sort._id": -1 };
  const reads = await db.collection("system.profile").find(sorted).sort({ ts: 1 }).toArray();
  const read = reads.map(({ ns }) => String(ns).replace(/.*\./, ""));
  expect(read).toEqual(["webhook_deliveries", "webhook_endpoints"]);
  for (const { keysExamined, docsExamined, nreturned, hasSortStage } of reads) {
    expect(docsExamined).toBe(nreturned);
    // One key more for each reason.
    expect(keysExamined).toBeLessThanOrEqual(nreturned + 4);
    expect(hasSortStage).toBeUndefined();
  }
  expect(data.length).toBeGreaterThan(0);
});
