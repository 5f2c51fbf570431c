// The Idempotency-Key of a withdrawal (docs/integrate/rest-api.md, Idempotency of withdrawals): a
// repeat gets the first answer, a key debits at most once, and a request without a decision leaves
// its key free.

import { randomUUID } from "node:crypto";
import type { Answer } from "../support/http.ts";
import { type Books, openBooks } from "../support/payouts.ts";
import {
  dataOf,
  startWorld,
  type TestAccount,
  type TestBusiness,
  type World,
} from "../support/world.ts";

let world: World;
let books: Books;

beforeAll(async () => {
  const environment = { WITHDRAWAL_LIMIT: "1/60s", DECLINE_LIMIT: "2/60s" };
  world = await startWorld({ environment, overNats: true, payoutsInstead: [{}, {}] });
  books = await openBooks(world);
});

afterAll(async () => {
  await world.verifyBooks();
  await books.close();
  await world.stop();
});

interface Wish {
  key?: string;
  account?: TestAccount;
  token?: string;
  [field: string]: unknown;
}

/** A user with 100.00, its bank account, and its withdrawals with a key. */
async function arrange(amount = 100) {
  const { business, user, wallet } = await world.payer(amount);
  const bank = await world.bank(business, wallet);
  const ask = ({ key = "order-1", account = bank, token, ...body }: Wish = {}) =>
    world.withdraw(user, account, body, {
      "idempotency-key": key,
      ...(token && { "x-application-token": token }),
    });
  const balance = () => world.balance(business, wallet);
  return { business, user, wallet, bank, ask, balance };
}

const outcomeOf = ({ status, body }: Answer) => [status, body.message];
const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status);

async function payoutToken(business: TestBusiness, entityId: string, amount: number) {
  const path = `/v1/business/${business.id}/application-tokens`;
  const fields = { tokenType: "PAYOUT", entityId, currency: "USD", amount };
  return dataOf(await world.http.post(path, fields, { token: business.token }), 201).token;
}

test("a repeat has the first answer, is no withdrawal, and is never limited", async () => {
  const { business, user, bank, ask, balance } = await arrange();
  const first = await ask();
  expect(first.status).toBe(200);
  await world.status(business, first.body.data.id, "SUCCESS");
  const repeats = [await ask(), await ask()];
  for (const { status, body } of repeats) expect([status, body]).toEqual([200, first.body]);
  expect(repeats[0]?.headers.ratelimit).toMatch(/^"withdrawals";r=0;t=\d+$/);
  expect(await balance()).toBe("74.75");
  expect(await books.payouts.countDocuments({ entityId: user.id })).toBe(1);
  expect(statusesOf([await ask({ key: "order-2" }), await world.withdraw(user, bank)])).toEqual([
    429, 429,
  ]);
});

test("a repeat has the first answer after the payout failed, and without its account", async () => {
  const { business, wallet, ask, balance } = await arrange();
  const failing = await world.bank(business, wallet, "0004");
  const first = await ask({ account: failing });
  await world.status(business, first.body.data.id, "FAILED");
  const path = `/v1/business/${business.id}/linked-accounts/USD/${failing.id}`;
  await world.http.delete(path, { token: business.token });
  const { status, body } = await ask({ account: failing });
  expect([status, body]).toEqual([200, first.body]);
  expect(await balance()).toBe("100.00");
});

test("the names of a body may come in another order", async () => {
  const { user, bank, ask } = await arrange();
  const first = await ask();
  const path = `/v1/ext/linked-accounts/USD/${bank.id}/withdrawal`;
  const turned = { reason: "Payout", walletType: "SPEND", amount: 25 };
  const headers = { "idempotency-key": "order-1" };
  const repeat = await world.http.post(path, turned, { token: user.token, headers });
  expect(repeat.body).toEqual(first.body);
});

test("a repeat of a decline has the first answer, and counts as no further decline", async () => {
  const { business, wallet, ask } = await arrange(10);
  const refused = [400, "Insufficient Funds #912"];
  expect(outcomeOf(await ask())).toEqual(refused);
  // The key stands for that decision, also once there is enough.
  const funding = { amount: 90, reference: randomUUID() };
  const path = `/v1/business/${business.id}/wallets/${wallet.id}/fund`;
  dataOf(await world.http.post(path, funding, { token: business.token }), 201);
  for (let i = 0; i < 3; i++) expect(outcomeOf(await ask())).toEqual(refused);
  expect((await ask({ key: "order-2" })).status).toBe(200);
});

test("a disabled wallet and refused application tokens are declines too", async () => {
  const { business, user, wallet, ask } = await arrange();
  const path = `/v1/business/${business.id}/wallets/${wallet.id}`;
  const disable = (disabled: boolean) =>
    world.http.patch(path, { disabled }, { token: business.token });
  const malformed = { token: await payoutToken(business, user.id, 30) };
  await disable(true);
  const refusals = [
    [{ key: "a" }, "Wallet is disabled"],
    [{ key: "b", token: "unknown" }, "Application token is not valid"],
    [{ key: "c", ...malformed }, "Malformed request"],
  ] as const;
  for (const [wish, message] of refusals)
    expect(outcomeOf(await ask(wish))).toEqual([400, message]);
  await disable(false);
  for (const [wish, message] of refusals)
    expect(outcomeOf(await ask(wish))).toEqual([400, message]);
  expect((await ask({ key: "d", amount: 30, ...malformed })).status).toBe(200);
});

test("a key with another body, account or application token is a 422", async () => {
  const { business, user, wallet, ask, balance } = await arrange();
  const other = await world.bank(business, wallet);
  const token = await payoutToken(business, user.id, 25);
  expect((await ask()).status).toBe(200);
  const others = [
    { amount: 26 },
    { amount: "a wrong one" },
    { routingType: "ACH" },
    { unknown: 1 },
    { account: other },
    { account: { ...other, currency: "EUR" } },
    { token },
  ];
  for (const wish of others) {
    const { status, body } = await ask(wish);
    expect([wish, status, body.success]).toEqual([wish, 422, false]);
  }
  expect(await balance()).toBe("74.75");
});

test("a key belongs to its caller", async () => {
  const [mine, theirs] = [await arrange(), await arrange()];
  const first = dataOf(await mine.ask(), 200);
  const second = dataOf(await theirs.ask(), 200);
  expect(second.id).not.toBe(first.id);
  expect([await mine.balance(), await theirs.balance()]).toEqual(["74.75", "74.75"]);
});

test("a request that is refused before a decision leaves its key free", async () => {
  const { bank, ask, balance } = await arrange();
  expect((await ask({ amount: 0 })).status).toBe(400);
  expect((await ask({ reason: "" })).status).toBe(400);
  expect((await ask({ account: { ...bank, id: randomUUID() } })).status).toBe(404);
  expect((await ask({ account: { ...bank, currency: "EUR" } })).status).toBe(400);
  dataOf(await ask({ key: "another" }), 200);
  expect((await ask()).status).toBe(429);
  expect(await balance()).toBe("74.75");
});

test.each([
  ["with a free place", "1/60s"],
  ["without a limit", "off"],
])("one of ten requests with one key debits, %s", async (_, limit) => {
  const racing =
    limit === "off" ? await startWorld({ overNats: true, payoutsInstead: [{}, {}] }) : world;
  const { business, user, wallet } = await racing.payer(1_000);
  const bank = await racing.bank(business, wallet);
  const headers = { "idempotency-key": "race" };
  const ask = () => racing.withdraw(user, bank, {}, headers);
  const answers = await Promise.all(Array.from({ length: 10 }, ask));
  const accepted = answers.filter(({ status }) => status === 200);
  const running = answers.filter(({ status }) => status === 409);
  expect([accepted.length > 0, accepted.length + running.length]).toEqual([true, 10]);
  const [first] = accepted as [Answer];
  for (const { body } of [...accepted, await ask()]) expect(body).toEqual(first.body);
  for (const { body, headers: answered } of running) {
    expect(body.message).toBe("A request with this Idempotency-Key is under way");
    expect(Number(answered["retry-after"])).toBeGreaterThan(0);
  }
  expect(await racing.balance(business, wallet)).toBe("974.75");
  if (racing === world) return;
  await racing.verifyBooks();
  await racing.stop();
});

test.each([
  ["empty", ""],
  ["a space", "a b"],
  ["a tab", "a\tb"],
  ["256 characters", "k".repeat(256)],
  ["not ASCII", Buffer.from("é").toString("latin1")],
])("a key that is %s is a 400, and nothing is debited", async (_, key) => {
  const { ask, balance } = await arrange();
  const { status, body } = await ask({ key });
  expect([status, body.message]).toEqual([
    400,
    "Idempotency-Key must be 1 to 255 visible ASCII characters",
  ]);
  expect(await balance()).toBe("100.00");
});

test("a repeated header is a 400", async () => {
  const { user, bank, balance } = await arrange();
  const path = `/v1/ext/linked-accounts/USD/${bank.id}/withdrawal`;
  const body = { amount: 25, walletType: "SPEND", reason: "Payout" };
  const headers = { "idempotency-key": ["a", "a"] };
  const answer = await world.http.request("POST", path, { token: user.token, headers, body });
  expect(answer.status).toBe(400);
  expect(await balance()).toBe("100.00");
});

test.each(["$ne", "__proto__", "constructor", '{"$gt":""}', "k".repeat(255)])(
  "the key %s is a key as any other",
  async (key) => {
    const { ask, balance } = await arrange();
    const first = await ask({ key });
    expect((await ask({ key })).body).toEqual(dataOf(first, 200) && first.body);
    expect(await balance()).toBe("74.75");
  },
);
