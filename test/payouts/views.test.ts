// Reading payouts: the list with its filters and cursor, the details, the timeline, and the webhook
// payload with its 401, 404 and 422. A caller sees only its own accepted payouts.

import { randomUUID } from "node:crypto";
import { refusal } from "../support/refusal.ts";
import { until } from "../support/system.ts";
import {
  dataOf,
  startWorld,
  type TestAccount,
  type TestBusiness,
  type TestUser,
  type TestWallet,
  type World,
} from "../support/world.ts";

let world: World;
let business: TestBusiness;
let user: TestUser;
let wallet: TestWallet;
let bank: TestAccount;

beforeAll(async () => {
  world = await startWorld();
  ({ business, user, wallet } = await world.payer(1_000));
  bank = await world.bank(business, wallet);
});

afterAll(async () => {
  await world.verifyBooks();
  await world.stop();
});

async function pay(account = bank, body: Record<string, unknown> = {}, by = user): Promise<string> {
  return dataOf(await world.withdraw(by, account, body), 200).id;
}

function list(query: string, { id, token } = business) {
  return world.http.get(`/v1/business/${id}/transactions?${query}`, { token });
}

async function idsOf(query: string): Promise<string[]> {
  const items: { id: string }[] = dataOf(await list(query), 200);
  return items.map(({ id }) => id);
}

test("the list has the accepted payouts, newest first, and pages by cursor", async () => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push(await pay());
  await world.withdraw(user, bank, { amount: 1_000_000 });
  const newestFirst = ids.toReversed();
  expect((await idsOf("flow=PAYOUT")).slice(0, 5)).toEqual(newestFirst);
  const first = await list("flow=PAYOUT&limit=3");
  expect(first.body.data).toHaveLength(3);
  const { nextCursor } = first.body.meta;
  expect(await idsOf(`flow=PAYOUT&limit=2&cursor=${nextCursor}`)).toEqual(newestFirst.slice(3, 5));
});

test("the list filters by status, entity, flow and time", async () => {
  const other = await world.user(business);
  const otherBank = await world.bank(business, await world.wallet(business, other, 100), "0004");
  const failing = await pay(otherBank, {}, other);
  const payment = await pay(bank, { transactionType: "payout" });
  await world.status(business, failing, "FAILED");
  await world.status(business, payment, "SUCCESS");
  expect(await idsOf("status=FAILED")).toEqual([failing]);
  expect(await idsOf(`entityId=${other.id}&flow=PAYOUT`)).toEqual([failing]);
  expect(await idsOf("flow=PAYMENT")).toEqual([payment]);
  // Every payout is a withdrawal, and nothing else is.
  const flowsOf = async (query: string) => [
    ...new Set((dataOf(await list(query), 200) as { flow: string }[]).map(({ flow }) => flow)),
  ];
  expect((await flowsOf("")).toSorted()).toEqual(["FUNDING", "PAYMENT", "PAYOUT"]);
  expect((await flowsOf("flow=WITHDRAWAL")).toSorted()).toEqual(["PAYMENT", "PAYOUT"]);
  expect(await idsOf("flow=WITHDRAWAL&status=FAILED")).toEqual([failing]);
  expect(await idsOf(`entityId=${other.id}&status=SUCCESS&flow=PAYOUT`)).toEqual([]);
  const { createdAt } = dataOf(
    await world.http.get(`/v1/transactions/${payment}`, { token: business.token }),
    200,
  );
  expect(await idsOf(`from=${createdAt}`)).toEqual([payment]);
  expect(await idsOf(`to=${createdAt}`)).not.toContain(payment);
  expect(await idsOf(`to=${createdAt}&status=FAILED`)).toEqual([failing]);
});

test.each(["status=DONE", "flow=X", "entityId=x", "from=yesterday", "limit=0", "cursor=x"])(
  "%s is a 400",
  async (query) => {
    expect((await list(query)).status).toBe(400);
  },
);

test("another business sees none of the payouts", async () => {
  const id = await pay();
  const stranger = await world.business();
  const { token } = stranger;
  expect(dataOf(await list("", stranger), 200)).toEqual([]);
  for (const path of [
    `/v1/transactions/${id}`,
    `/v1/transactions/${id}/timeline`,
    `/v1/transactions/${id}/webhook-payload`,
  ]) {
    const { status, body } = await world.http.get(path, { token });
    expect([status, body]).toEqual([404, refusal("Transaction not found")]);
  }
});

test("the timeline has states, statement entries and deliveries", async () => {
  await world.hook(business);
  const id = await pay();
  await world.status(business, id, "SUCCESS");
  const path = `/v1/transactions/${id}/timeline`;
  const timeline = await until(async () => {
    const data = dataOf(await world.http.get(path, { token: business.token }), 200);
    const states = data.deliveries.map(({ status }: { status: string }) => status);
    return states.length === 3 && states.every((state: string) => state === "DELIVERED") && data;
  });
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(timeline.states).toEqual([
    { status: "PENDING", at },
    { status: "PROCESSING_PAY_OUT", at },
    { status: "SUCCESS", at },
  ]);
  expect(timeline.entries).toEqual([
    expect.objectContaining({ transactionId: id, entry: "DEBIT", amount: "25.25" }),
  ]);
});

describe("the webhook payload", () => {
  const payload = (id: string, token: string) =>
    world.http.get(`/v1/transactions/${id}/webhook-payload`, { token });

  test("shows the payout's current state", async () => {
    const id = await pay(bank, { amount: 12.34 });
    const asked = Date.now();
    const { payload: now } = dataOf(await payload(id, business.token), 200);
    expect(now).toMatchObject({ transactionId: id, amount: 12.34, feeCharged: "0.25", reason: "" });
    expect(now.timestamp).toBeGreaterThanOrEqual(asked);
  });

  test("answers 401, then 404, then 422", async () => {
    const funding = { amount: 1, reference: randomUUID() };
    const path = `/v1/business/${business.id}/wallets/${wallet.id}/fund`;
    const { id } = dataOf(await world.http.post(path, funding, { token: business.token }), 201);
    const users = await payload(id, user.token);
    expect([users.status, users.body.message]).toEqual([401, "Unauthorized"]);
    const unknown = await payload(randomUUID(), business.token);
    expect([unknown.status, unknown.body.message]).toEqual([404, "Transaction not found"]);
    const funded = await payload(id, business.token);
    expect([funded.status, funded.body]).toEqual([
      422,
      refusal("Webhook payload not available for this transaction type"),
    ]);
  });
});
