// The withdrawals of a caller (docs/integrate/rest-api.md, Status of withdrawals): the caller reads
// and lists its own, its merchant reads one by id, and no other caller learns that it exists.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import type { Payout } from "../../services/payouts/payout.model.ts";
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

const show = (id: string, { token }: { token: string }) =>
  world.http.get(`/v1/ext/withdrawals/${id}`, { token });
const list = (query = "", { token }: { token: string } = user) =>
  world.http.get(`/v1/ext/withdrawals?${query}`, { token });

async function idsOf(query = "", by: { token: string } = user): Promise<string[]> {
  const items: { id: string }[] = dataOf(await list(query, by), 200);
  return items.map(({ id }) => id);
}

async function withdraw(account = bank, body = {}, by = user, headers = {}): Promise<string> {
  return dataOf(await world.withdraw(by, account, body, headers), 200).id;
}

test("the user that withdrew and its merchant see the withdrawal, with its end", async () => {
  const failing = await world.bank(business, wallet, "0001");
  const id = await withdraw(failing, { amount: 25, routingType: "RTP", reason: "Rent" });
  const { updatedAt } = await world.status(business, id, "FAILED");
  for (const caller of [user, business]) {
    expect(dataOf(await show(id, caller), 200)).toEqual({
      id,
      status: "FAILED",
      amount: "25.50",
      fees: "0.50",
      currency: "USD",
      method: "BANK_TRANSFER_RTP",
      linkedAccountId: failing.id,
      walletId: wallet.id,
      reason: "Rent",
      failureReason: "Recipient account not found.",
      createdAt: expect.any(String),
      updatedAt,
    });
  }
});

test("the withdrawal of another caller answers like one that does not exist", async () => {
  const id = await withdraw();
  const declined = await world.withdraw(user, bank, { amount: 1_000_000 });
  expect(declined.status).toBe(400);
  const sibling = await world.user(business);
  const elsewhere = await world.business();
  const stranger = await world.user(elsewhere);
  const unknown = await show(randomUUID(), user);
  expect([unknown.status, unknown.body.message]).toEqual([404, "Transaction not found"]);
  for (const [asked, caller] of [
    [id, sibling],
    [id, stranger],
    [id, elsewhere],
    ["nonsense", user],
    ["%24ne", user],
    [user.id, user],
  ] as const) {
    const { status, body } = await show(asked, caller);
    expect([status, body.message]).toEqual([404, "Transaction not found"]);
  }
  expect(await idsOf("", sibling)).toEqual([]);
  expect(await idsOf("", stranger)).toEqual([]);
  const { token } = { token: world.tokens.user(user.id, { scope: "internal" }) };
  expect([(await show(id, { token })).status, (await list("", { token })).status]).toEqual([
    401, 401,
  ]);
});

test("the list has the caller's own, newest first, by cursor and by each filter", async () => {
  const merchants = await world.wallet(business, business, 100);
  const merchantsBank = await world.bank(business, merchants);
  const own = await withdraw(merchantsBank, {}, { ...user, token: business.token });
  expect(await idsOf("", business)).toEqual([own]);

  const { user: ada, wallet: purse, business: acme } = await world.payer(1_000);
  const good = await world.bank(acme, purse);
  const bad = await world.bank(acme, purse, "0004");
  const keyed = await withdraw(good, {}, ada, { "idempotency-key": "order-1" });
  const failed = await withdraw(bad, {}, ada);
  const last = await withdraw(good, {}, ada);
  await world.status(acme, failed, "FAILED");
  await world.status(acme, keyed, "SUCCESS");
  await world.status(acme, last, "SUCCESS");
  expect(await idsOf("", ada)).toEqual([last, failed, keyed]);
  const first = await list("limit=2", ada);
  expect(first.body.data).toHaveLength(2);
  expect(await idsOf(`limit=2&cursor=${first.body.meta.nextCursor}`, ada)).toEqual([keyed]);
  expect(await idsOf("status=FAILED", ada)).toEqual([failed]);
  expect(await idsOf(`linkedAccountId=${good.id}`, ada)).toEqual([last, keyed]);
  expect(await idsOf(`linkedAccountId=${good.id}&status=FAILED`, ada)).toEqual([]);
  expect(await idsOf("idempotencyKey=order-1", ada)).toEqual([keyed]);
  expect(await idsOf("idempotencyKey=order-1&status=FAILED", ada)).toEqual([]);
  expect(await idsOf("idempotencyKey=order-1")).toEqual([]);
});

test.each([
  "status=DONE",
  "status[$ne]=FAILED",
  "status=FAILED&status=SUCCESS",
  "linkedAccountId=nonsense",
  "linkedAccountId[$gt]=",
  "idempotencyKey=a%20b",
  `idempotencyKey=${"k".repeat(256)}`,
  "idempotencyKey[$exists]=true",
  "cursor=nonsense",
  "limit=101",
])("%s is a 400", async (query) => {
  expect((await list(query)).status).toBe(400);
});

test("MongoDB reads only the documents of the page, in the order of an index", async () => {
  const connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  const payouts = connection.getClient().db(connection.name).collection<Payout>("payouts");
  const { documents, entityId, linkedAccountId } = await copyMany(payouts);
  const token = world.tokens.user(entityId);
  const db = connection.getClient().db(connection.name);
  for (const [query, count] of [
    ["limit=10", 10],
    ["limit=10&status=FAILED", 10],
    [`limit=10&linkedAccountId=${linkedAccountId}`, 10],
    ["limit=10&idempotencyKey=k7", 1],
  ] as const) {
    await db.command({ profile: 2 });
    expect(await idsOf(query, { token })).toHaveLength(count);
    await db.command({ profile: 0 });
    const reads = { op: "query", "command.filter.$and.0.entityId": entityId };
    const [read] = await db.collection("system.profile").find(reads).sort({ ts: -1 }).toArray();
    // The page reads one further document, to know whether there is a next page.
    expect([query, (read?.docsExamined ?? Number.NaN) <= count + 1]).toEqual([query, true]);
  }
  await payouts.deleteMany({ _id: { $in: documents } });
  await connection.close();
});

/** Stores many payouts of an entity, of all statuses and of two accounts. */
async function copyMany(payouts: mongoose.mongo.Collection<Payout>) {
  const [entityId, linkedAccountId] = [randomUUID(), randomUUID()];
  const statuses = ["PENDING", "PROCESSING_PAY_OUT", "SUCCESS", "FAILED"] as const;
  const {
    _id: _taken,
    nextAttemptAt: _due,
    stepAt: _step,
    ...one
  } = (await payouts.findOne({
    visible: true,
  })) as Payout;
  const copies = Array.from(
    { length: 400 },
    (_, i): Payout => ({
      ...one,
      _id: `0198c0de-7a51-7000-8000-${String(i).padStart(12, "0")}`,
      entityId,
      linkedAccountId: i % 2 === 0 ? linkedAccountId : randomUUID(),
      status: statuses[Math.floor(i / 2) % 4] as Payout["status"],
      ...(i % 7 === 0 && { idempotencyKey: `k${i}` }),
    }),
  );
  await payouts.insertMany(copies);
  return { documents: copies.map(({ _id }) => _id), entityId, linkedAccountId };
}
