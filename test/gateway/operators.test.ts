// What operators do for a merchant: each change has the effect of the merchant's own, and the audit
// log has its note.

import { randomUUID } from "node:crypto";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
/** A new operator for each test, so that the audit log has the changes of that test. */
let admin: { sub: string; token: string };
let business: TestBusiness;
let other: TestBusiness;

beforeAll(async () => {
  world = await startWorld({ environment: { SANDBOX_SETTLE_MS: "60000" } });
});
afterAll(() => world?.stop());

beforeEach(async () => {
  const sub = randomUUID();
  admin = { sub, token: world.tokens.admin(sub) };
  [business, other] = [await world.business(), await world.business()];
});
afterEach(() => world.verifyBooks());

const NOTE = "The merchant asked us, case 4711";
const pathOf = ({ id }: Pick<TestBusiness, "id">, rest: string) =>
  `/v1/admin/businesses/${id}/${rest}`;
const read = (path: string) => world.http.get(path, { token: admin.token });
const post = (path: string, body: object = { note: NOTE }, headers = {}) =>
  world.http.post(path, body, { token: admin.token, headers });

/** The entries of the audit log about the operator's changes: action, thing, body and status. */
async function audited() {
  const entries = dataOf(await read(`/v1/admin/audit-log?by=${admin.sub}`), 200);
  return entries.map((entry: Record<string, unknown>) => {
    expect(entry.businessId).toBe(business.id);
    return [entry.action, entry.subjectId, entry.request, entry.status];
  });
}

/** A payout of the business by wire, which its rail has not settled. */
async function aPayout() {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const bank = await world.bank(business, wallet);
  const { id } = dataOf(await world.withdraw(user, bank, { routingType: "WIRE" }), 200);
  return { id: id as string, user, wallet };
}

/** A delivery to a new endpoint of the business. */
async function aDelivery() {
  const hook = await world.hook(business);
  const { token } = business;
  const webhook = `/v1/business/${business.id}/webhooks/${hook.id}`;
  dataOf(await world.http.post(`${webhook}/test`, {}, { token }), 201);
  const path = `${webhook}/deliveries?status=DELIVERED`;
  const ask = async () => (await world.http.get(path, { token })).body.data[0];
  const { id } = await until<{ id: string }>(ask);
  return { ...hook, deliveryId: id, webhook: pathOf(business, `webhooks/${hook.id}`) };
}

describe("transactions", () => {
  test("are listed by the merchant's filters, and not those of another business", async () => {
    const { id, user } = await aPayout();
    const list = async (of: TestBusiness, query = "") =>
      dataOf(await read(pathOf(of, `transactions?${query}`)), 200).map(
        (each: { id: string }) => each.id,
      );
    expect(await list(business, `flow=WITHDRAWAL&status=PENDING&entityId=${user.id}`)).toEqual([
      id,
    ]);
    expect(await list(business, "status=FAILED")).toEqual([]);
    expect(await list(business)).toHaveLength(2);
    expect(await list(other)).toEqual([]);
    const { body } = await read(pathOf(business, "transactions?limit=1"));
    expect([body.data[0].id, body.meta]).toEqual([id, { nextCursor: id }]);
    expect((await read(pathOf(business, "transactions?status=DONE"))).status).toBe(400);
  });

  test("are cancelled once, with the merchant's answers", async () => {
    const { id, wallet } = await aPayout();
    const path = pathOf(business, `transactions/${id}/cancel`);
    const first = await post(path);
    expect(dataOf(first, 200)).toMatchObject({ status: "FAILED", needsAttention: false });
    expect((await post(path)).body).toEqual(first.body);
    expect(await world.balance(business, wallet)).toBe("100.00");
    const change = ["cancelTransactionAsAdmin", id, { note: NOTE }, 200];
    expect(await audited()).toEqual([change, change]);
  });

  test("are not cancelled any more once they were sent, nor if they are no payouts", async () => {
    const { id, user, wallet } = await aPayout();
    const bank = await world.bank(business, wallet);
    const sent = dataOf(await world.withdraw(user, bank), 200).id;
    await world.status(business, sent, "PROCESSING_PAY_OUT");
    const list = dataOf(await read(pathOf(business, "transactions?flow=FUNDING")), 200);
    for (const each of [sent, list[0].id]) {
      const { status, body } = await post(pathOf(business, `transactions/${each}/cancel`));
      expect([status, body.code]).toEqual([409, "payout_not_cancellable"]);
    }
    await world.status(business, id, "PENDING");
  });

  test("are cancelled once under one Idempotency-Key", async () => {
    const { id } = await aPayout();
    const key = { "idempotency-key": "cancel" };
    const path = pathOf(business, `transactions/${id}/cancel`);
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(path, undefined, key)));
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect((await post(path, undefined, key)).status).toBe(200);
    expect((await post(path, { note: "Another" }, key)).status).toBe(422);
  });
});

describe("webhooks", () => {
  test("and their deliveries are read as the merchant reads them", async () => {
    const { id, deliveryId, webhook } = await aDelivery();
    const parts = [
      "",
      `/${id}`,
      `/${id}/deliveries?status=DELIVERED`,
      `/${id}/deliveries/${deliveryId}`,
    ];
    for (const part of parts) {
      const theirs = await world.http.get(`/v1/business/${business.id}/webhooks${part}`, {
        token: business.token,
      });
      const { status, body } = await read(pathOf(business, `webhooks${part}`));
      expect([part, status, body]).toEqual([part, 200, theirs.body]);
    }
    expect(dataOf(await read(`${webhook}/deliveries?status=DEAD_LETTER`), 200)).toEqual([]);
    expect((await read(`${webhook}/deliveries?status=LOST`)).status).toBe(400);
    expect(dataOf(await read(pathOf(other, "webhooks")), 200)).toEqual([]);
  });

  test("that were disabled are enabled, and get events again", async () => {
    const { id, webhook, received } = await aDelivery();
    const { token } = business;
    const own = `/v1/business/${business.id}/webhooks/${id}`;
    dataOf(await world.http.patch(own, { disabled: true }, { token }), 200);
    for (const again of [1, 2]) {
      expect([again, dataOf(await post(`${webhook}/enable`), 200)]).toEqual([
        again,
        expect.objectContaining({ id, disabled: false, disabledReason: null }),
      ]);
    }
    const before = received.length;
    dataOf(await world.http.post(`${own}/test`, {}, { token }), 201);
    await until(() => received.length > before);
    expect((await audited())[0]).toEqual(["enableWebhookAsAdmin", id, { note: NOTE }, 200]);
  });

  test("get a delivery again, or all since a time", async () => {
    const { id, deliveryId, webhook, received } = await aDelivery();
    const [first] = received;
    const one = dataOf(await post(`${webhook}/deliveries/${deliveryId}/replay`), 202);
    expect(one.id).toBe(deliveryId);
    await until(() => received.length === 2);
    const replayed = async () =>
      dataOf(await read(`${webhook}/deliveries/${deliveryId}`), 200).status === "DELIVERED";
    await until(replayed);
    const all = { since: "2020-01-01T00:00:00.000Z", status: "DELIVERED", note: NOTE };
    expect(dataOf(await post(`${webhook}/replay`, all), 202)).toEqual({ id, count: 1 });
    await until(() => received.length === 3);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"]))).toEqual(
      new Set([first?.headers["webhook-id"]]),
    );
    expect(await audited()).toEqual([
      ["replayDeliveriesAsAdmin", id, all, 202],
      ["replayDeliveryAsAdmin", deliveryId, { note: NOTE }, 202],
    ]);
  });

  test("that are disabled get nothing again", async () => {
    const { id, deliveryId, webhook } = await aDelivery();
    const { token } = business;
    const own = `/v1/business/${business.id}/webhooks/${id}`;
    dataOf(await world.http.patch(own, { disabled: true }, { token }), 200);
    const all = { since: "2020-01-01", note: NOTE };
    for (const [path, body] of [
      [`deliveries/${deliveryId}/replay`, { note: NOTE }],
      ["replay", all],
    ] as const) {
      const { status, body: refused } = await post(`${webhook}/${path}`, body);
      expect([status, refused.code]).toEqual([409, "webhook_disabled"]);
    }
  });
});

describe("refusals", () => {
  /** All changes, each of an existing thing of the business. */
  async function changes() {
    const { id } = await aPayout();
    const { id: webhookId, deliveryId } = await aDelivery();
    const replay = { since: "2020-01-01T00:00:00.000Z", note: NOTE };
    return [
      { rest: `transactions/${id}/cancel`, body: { note: NOTE } },
      { rest: `webhooks/${webhookId}/enable`, body: { note: NOTE } },
      { rest: `webhooks/${webhookId}/replay`, body: replay },
      { rest: `webhooks/${webhookId}/deliveries/${deliveryId}/replay`, body: { note: NOTE } },
    ];
  }

  test.each([
    ["without a note", undefined],
    ["with an empty note", " "],
    ["with a note of 513 characters", "x".repeat(513)],
    ["with a note that is no text", 7],
  ])("a change %s is a 400 that names it", async (_, note) => {
    for (const { rest, body } of await changes()) {
      const { status, body: refused } = await post(pathOf(business, rest), { ...body, note });
      expect([rest, status, refused.errors]).toEqual([
        rest,
        400,
        [expect.objectContaining({ field: "note" })],
      ]);
    }
  });

  test("every wrong field of a change is named at once", async () => {
    const path = pathOf(business, `webhooks/${randomUUID()}/replay`);
    const { status, body } = await post(path, { since: "yesterday", status: "PENDING" });
    expect(status).toBe(400);
    const fields = body.errors.map(({ field }: { field: string }) => field);
    expect(fields.toSorted()).toEqual(["note", "since", "status"]);
  });

  test("a thing of another business is answered like an unknown one", async () => {
    for (const { rest, body } of await changes()) {
      const unknown = rest.replaceAll(/[\da-f-]{36}/g, () => randomUUID());
      const reads = [rest, unknown].map((each) => each.replace(/\/(cancel|enable|replay)$/, ""));
      for (const each of [rest, unknown]) {
        expect([each, (await post(pathOf(other, each), body)).status]).toEqual([each, 404]);
      }
      for (const each of reads) {
        expect([each, (await read(pathOf(other, each))).status]).toEqual([each, 404]);
      }
    }
  });

  test("an unknown business has no lists", async () => {
    for (const list of ["transactions", "webhooks"]) {
      for (const id of [randomUUID(), "x"]) {
        const { status, body } = await read(pathOf({ id }, list));
        expect([list, id, status, body.code]).toEqual([list, id, 404, "business_not_found"]);
      }
    }
  });

  test("only an admin's token opens the routes", async () => {
    const { user } = await aPayout();
    for (const { rest, body } of await changes()) {
      for (const token of [business.token, user.token]) {
        const path = pathOf(business, rest);
        expect((await world.http.post(path, body, { token })).status).toBe(401);
      }
    }
    for (const list of ["transactions", "webhooks"]) {
      const { token } = business;
      expect((await world.http.get(pathOf(business, list), { token })).status).toBe(401);
    }
  });
});
