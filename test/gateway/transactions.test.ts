// Transactions over HTTP: fundings and payouts in one list, each found by its id, and only by its
// own merchant.

import { randomUUID } from "node:crypto";
import type { Answer } from "../support/http.ts";
import { refusal, withoutId } from "../support/refusal.ts";
import {
  dataOf,
  startWorld,
  type TestBusiness,
  type TestUser,
  type World,
} from "../support/world.ts";

interface Transaction {
  id: string;
  flow: string;
  status: string;
  entityId: string;
  createdAt: string;
}

const NOT_FOUND = refusal("Transaction not found");

let world: World;
let business: TestBusiness;
let stranger: TestBusiness;
let users: [TestUser, TestUser];
/** Newest first, in order of creation: two fundings, then payouts and fundings in turn. */
let made: string[];
let firstFunding: string;
let lastPayout: string;

beforeAll(async () => {
  world = await startWorld();
  business = await world.business();
  stranger = await world.business();
  users = [await world.user(business), await world.user(business)];
  made = [];
  const parts = [];
  for (const user of users) {
    const wallet = await world.wallet(business, user);
    parts.push({ user, wallet, bank: await world.bank(business, wallet) });
  }
  const note = (answer: Answer, status: number): string => {
    const { id } = dataOf(answer, status);
    made.unshift(id);
    return id;
  };
  const { token } = business;
  for (const { wallet } of parts) {
    const path = `/v1/business/${business.id}/wallets/${wallet.id}/fund`;
    note(await world.http.post(path, { amount: 500, reference: "first" }, { token }), 201);
  }
  firstFunding = made.at(-1) as string;
  for (const i of [1, 2, 3]) {
    for (const { user, wallet, bank } of parts) {
      const body = i === 2 ? { transactionType: "Payout" } : {};
      note(await world.withdraw(user, bank, body), 200);
      const path = `/v1/business/${business.id}/wallets/${wallet.id}/fund`;
      note(await world.http.post(path, { amount: i, reference: `${i}` }, { token }), 201);
    }
  }
  lastPayout = made[1] as string;
  const payouts = (await list("flow=PAYOUT")).concat(await list("flow=PAYMENT"));
  for (const { id } of payouts) await world.status(business, id, "SUCCESS");
});
afterAll(async () => {
  await world?.verifyBooks();
  await world?.stop();
});

const at = (query: string) => `/v1/business/${business.id}/transactions?${query}`;

async function list(query: string): Promise<Transaction[]> {
  return dataOf(await world.http.get(at(query), { token: business.token }), 200);
}
const ids = (transactions: Transaction[]) => transactions.map(({ id }) => id);

describe("an operator", () => {
  const read = (path: string, token = world.tokens.admin(randomUUID())) =>
    world.http.get(`/v1/admin/businesses/${path}`, { token });

  test("reads a transaction of any business, and its timeline, as its merchant does", async () => {
    const { token } = business;
    for (const id of [firstFunding, lastPayout]) {
      for (const end of ["", "/timeline"]) {
        const own = dataOf(await world.http.get(`/v1/transactions/${id}${end}`, { token }), 200);
        const path = `${business.id}/transactions/${id}${end}`;
        // Of the screening a merchant is told nothing.
        const { screening: _, ...operators } = dataOf(await read(path), 200);
        expect(operators).toEqual(own);
      }
    }
  });

  test("finds none under another business, and a merchant may not ask", async () => {
    for (const end of ["", "/timeline"]) {
      for (const owner of [stranger.id, randomUUID(), "x"]) {
        const { status, body } = await read(`${owner}/transactions/${lastPayout}${end}`);
        expect([owner, status, body]).toEqual([owner, 404, NOT_FOUND]);
      }
      const path = `${business.id}/transactions/${lastPayout}${end}`;
      expect((await read(path, business.token)).status).toBe(401);
    }
  });
});

test("fundings, and payouts without texts of their own, have no metadata", async () => {
  const metadata = (await list("")).map((each) => (each as { metadata?: unknown }).metadata);
  expect(new Set(metadata)).toEqual(new Set([null]));
});

describe("the list", () => {
  test("has fundings and payouts, newest first", async () => {
    expect(ids(await list(""))).toEqual(made);
  });

  test.each([1, 2, 3, 5, 13, 14, 15])("is the same in pages of %i", async (limit) => {
    const seen: string[] = [];
    let cursor: string | null = "";
    for (let pages = 0; cursor !== null && pages <= made.length; pages += 1) {
      const query = `limit=${limit}${cursor && `&cursor=${cursor}`}`;
      const answer = await world.http.get(at(query), { token: business.token });
      const page = dataOf(answer, 200) as Transaction[];
      expect(page.length).toBeLessThanOrEqual(limit);
      seen.push(...ids(page));
      cursor = answer.body.meta.nextCursor;
    }
    expect(cursor).toBeNull();
    expect(seen).toEqual(made);
  });

  test.each<[string, (transaction: Transaction) => boolean, number]>([
    ["flow=FUNDING", ({ flow }) => flow === "FUNDING", 8],
    ["flow=PAYOUT", ({ flow }) => flow === "PAYOUT", 4],
    ["flow=PAYMENT", ({ flow }) => flow === "PAYMENT", 2],
    ["flow=WITHDRAWAL", ({ flow }) => flow === "PAYOUT" || flow === "PAYMENT", 6],
    ["status=SUCCESS", () => true, 14],
    ["status=FAILED", () => false, 0],
    ["status=SUCCESS&flow=FUNDING", ({ flow }) => flow === "FUNDING", 8],
    ["needsAttention=true", () => false, 0],
    ["needsAttention=false", () => true, 14],
    ["unknown=1&unknown=2", () => true, 14],
  ])("with %s has the matching transactions", async (query, matches, count) => {
    const found = await list(query);
    expect(ids(found)).toEqual(ids((await list("")).filter(matches)));
    expect(found).toHaveLength(count);
  });

  test("of one end user has only that user's transactions", async () => {
    const found = await list(`entityId=${users[0].id}`);
    expect(found).toHaveLength(7);
    expect(new Set(found.map(({ entityId }) => entityId))).toEqual(new Set([users[0].id]));
    expect(await list(`entityId=${randomUUID()}`)).toEqual([]);
  });

  test("includes the moment of `from` and excludes the moment of `to`", async () => {
    const all = await list("");
    const moment = all[5]?.createdAt as string;
    const since = await list(`from=${moment}`);
    const before = await list(`to=${moment}`);
    expect(ids(since)).toEqual(ids(all.filter(({ createdAt }) => createdAt >= moment)));
    expect(ids(since)).toContain(all[5]?.id);
    expect(ids([...since, ...before])).toEqual(made);
    expect(await list(`from=${moment}&to=${moment}`)).toEqual([]);
  });

  test.each([
    ["status=DONE", "status"],
    ["status=success", "status"],
    ["flow=REFUNDS", "flow"],
    ["search=a", "search"],
    ["search=%20a%20", "search"],
    [`search=${"a".repeat(65)}`, "search"],
    [`email=${"a".repeat(65)}`, "email"],
    ["last4=12345", "last4"],
    ["last4=1a", "last4"],
    ["linkedAccountId=1", "linkedAccountId"],
    ["amountFrom=1.001", "amountFrom"],
    ["amountFrom=-1", "amountFrom"],
    ["amountTo=1e3", "amountTo"],
    ["amountTo=12345678901", "amountTo"],
    [`reference=${"a".repeat(257)}`, "reference"],
    ["reference=a&reference=b", "reference"],
    ["entityId=1", "entityId"],
    ["needsAttention=yes", "needsAttention"],
    ["from=yesterday", "from"],
    ["to=2026-13-01", "to"],
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=1e1", "limit"],
    ["cursor=abc", "cursor"],
    ["status=SUCCESS&status=FAILED", "status"],
    ["status[$ne]=FAILED", "status"],
  ])("with %s is a 400 that names the field", async (query, field) => {
    const { status, body } = await world.http.get(at(query), { token: business.token });
    expect(status).toBe(400);
    expect(body.message).toContain(`${field} must be`);
  });

  test("of another business is answered like an unknown one", async () => {
    const { token } = stranger;
    const others = await world.http.get(at(""), { token });
    const unknown = await world.http.get(`/v1/business/${randomUUID()}/transactions`, { token });
    expect(others.status).toBe(404);
    expect(others.body).toEqual(refusal("Business not found"));
    expect(withoutId(unknown.body)).toEqual(withoutId(others.body));
    const own = await world.http.get(`/v1/business/${stranger.id}/transactions`, { token });
    expect(own.body).toEqual({ success: true, data: [], meta: { nextCursor: null } });
  });
});

describe("one transaction", () => {
  const get = (path: string, token = business.token) => world.http.get(path, { token });

  test("of either kind is found by its id", async () => {
    const all = await list("");
    for (const transaction of [all[0], all[1]]) {
      const answer = await get(`/v1/transactions/${transaction?.id}`);
      expect(answer.body).toEqual({ success: true, data: transaction });
    }
  });

  test("of either kind has a timeline", async () => {
    const payout = dataOf(await get(`/v1/transactions/${lastPayout}/timeline`), 200);
    expect(payout.states.map(({ status }: Transaction) => status)).toEqual([
      "PENDING",
      "PROCESSING_PAY_OUT",
      "SUCCESS",
    ]);
    expect(payout.entries).toMatchObject([{ transactionId: lastPayout, entry: "DEBIT" }]);
    const funding = dataOf(await get(`/v1/transactions/${firstFunding}/timeline`), 200);
    expect(funding).toEqual({
      states: ["PENDING", "SUCCESS"].map((status) => ({ status, at: expect.any(String) })),
      entries: [expect.objectContaining({ transactionId: firstFunding, entry: "CREDIT" })],
      deliveries: [],
    });
  });

  test("that is a funding has no webhook payload: 422", async () => {
    const { status, body } = await get(`/v1/transactions/${firstFunding}/webhook-payload`);
    expect([status, body]).toEqual([
      422,
      refusal("Webhook payload not available for this transaction type"),
    ]);
  });

  test("that is a funding, or done, cannot be cancelled: 409", async () => {
    for (const id of [firstFunding, lastPayout]) {
      const path = `/v1/transactions/${id}/cancel`;
      const answer = await world.http.post(path, undefined, { token: business.token });
      expect([answer.status, answer.body.message]).toEqual([
        409,
        "Payout can no longer be cancelled",
      ]);
    }
  });

  test("of another merchant, unknown, or with a malformed id is not found, with the same answer", async () => {
    const own = [lastPayout, firstFunding];
    const unknown = [randomUUID(), "1", "%00", "a".repeat(300), "%7B%22%24gt%22%3A%22%22%7D"];
    for (const [path, token] of [
      ...own.map((id) => [id, stranger.token]),
      ...unknown.map((id) => [id, business.token]),
    ]) {
      for (const suffix of ["", "/timeline", "/webhook-payload"]) {
        const { status, body } = await get(`/v1/transactions/${path}${suffix}`, token);
        expect([status, body]).toEqual([404, NOT_FOUND]);
      }
      const cancel = `/v1/transactions/${path}/cancel`;
      const { status, body } = await world.http.post(cancel, undefined, { token });
      expect([status, body]).toEqual([404, NOT_FOUND]);
    }
  });

  test("is only for merchants: a user's and an admin's token are a 401", async () => {
    for (const token of [users[0].token, world.tokens.admin(randomUUID())]) {
      const { status, body } = await get(`/v1/transactions/${lastPayout}/webhook-payload`, token);
      expect([status, body.message]).toEqual([401, "Unauthorized"]);
    }
  });
});
