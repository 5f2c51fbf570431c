// Payouts that a merchant makes (docs/integrate/rest-api.md, Payouts of the business), and the
// references of payouts: whatever is repeated, and by whom, a reference debits at most once.

import { randomUUID } from "node:crypto";
import type { Answer } from "../support/http.ts";
import { type Books, openBooks } from "../support/payouts.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
let books: Books;

beforeAll(async () => {
  const environment = { WITHDRAWAL_LIMIT: "1/1h", DECLINE_LIMIT: "2/1h" };
  world = await startWorld({
    environment,
    erasesAtOnce: true,
    overNats: true,
    payoutsInstead: [{}, {}],
  });
  books = await openBooks(world);
});

afterAll(async () => {
  await world?.verifyBooks();
  await books?.close();
  await world?.stop();
});

type Body = Record<string, unknown>;

/** A user with 100.00 and its bank account, the own wallet of its business, and payouts. */
async function arrange(own = 100, users = 100) {
  const { business, user, wallet } = await world.payer(users);
  const bank = await world.bank(business, wallet);
  const ownWallet = await world.wallet(business, business, own);
  const pay = (body: Body = {}, headers: Record<string, string> = {}, token = business.token) =>
    world.http.post(
      `/v1/business/${business.id}/payouts`,
      { linkedAccountId: bank.id, amount: 25, reason: "Sales", ...body },
      { token, headers },
    );
  const balances = async () => [
    await world.balance(business, wallet),
    await world.balance(business, ownWallet),
  ];
  const path = (end: string) => `/v1/business/${business.id}/${end}`;
  return { business, user, wallet, bank, ownWallet, pay, balances, path };
}

const outcomeOf = ({ status, body }: Answer) => [status, body.code];
const CONFLICT = [409, "reference_reused"];
const REFUSED = [400, "insufficient_funds"];

async function fund(business: TestBusiness, wallet: { id: string }, amount: number) {
  const path = `/v1/business/${business.id}/wallets/${wallet.id}/fund`;
  const funding = { amount, reference: randomUUID() };
  dataOf(await world.http.post(path, funding, { token: business.token }), 201);
}

test("the business's own wallet pays an account of its end user", async () => {
  const { business, user, bank, ownWallet, pay, balances } = await arrange();
  const metadata = { invoice: "1042", "a.b": "" };
  const answer = await pay({ walletId: ownWallet.id, reference: "sales-1", metadata });
  const { id, ...shown } = dataOf(answer, 201);
  expect(shown).toEqual({
    status: "PENDING",
    fees: "0.25",
    amount: "25.25",
    reference: "sales-1",
  });
  expect(await balances()).toEqual(["100.00", "74.75"]);
  expect(await world.status(business, id, "SUCCESS")).toMatchObject({
    flow: "PAYOUT",
    entityId: business.id,
    walletId: ownWallet.id,
    linkedAccountId: bank.id,
    reference: "sales-1",
    metadata,
    recipient: { lastFour: "6789" },
    entity: { id: business.id },
  });
  const path = `/v1/transactions/${id}/webhook-payload`;
  const { payload } = dataOf(await world.http.get(path, { token: business.token }), 200);
  expect(payload).toMatchObject({ entityId: business.id, entityType: "BUSINESS" });
  expect(payload).not.toHaveProperty("reference");
  const own = `/v1/ext/withdrawals/${id}`;
  expect((await world.http.get(own, { token: user.token })).status).toBe(404);
  expect(dataOf(await world.http.get(own, { token: business.token }), 200).id).toBe(id);
});

test("without walletId the account's own wallet pays, and the user has withdrawn nothing", async () => {
  const { business, user, wallet, pay, balances } = await arrange();
  const { id, reference } = dataOf(await pay(), 201);
  expect(reference).toBeNull();
  expect(await balances()).toEqual(["74.75", "100.00"]);
  expect(await world.status(business, id, "SUCCESS")).toMatchObject({
    entityId: user.id,
    walletId: wallet.id,
    reference: null,
    metadata: null,
  });
  const list = dataOf(await world.http.get("/v1/ext/withdrawals", { token: user.token }), 200);
  expect(list).toEqual([]);
  const one = await world.http.get(`/v1/ext/withdrawals/${id}`, { token: user.token });
  expect(one.status).toBe(404);
});

test("no limit of withdrawals counts the merchant's payouts, nor their declines", async () => {
  const { user, bank, pay } = await arrange();
  for (let i = 0; i < 3; i++) dataOf(await pay({ amount: 1 }), 201);
  for (let i = 0; i < 3; i++) expect(outcomeOf(await pay({ amount: 500 }))).toEqual(REFUSED);
  dataOf(await world.withdraw(user, bank, { amount: 1 }), 200);
  expect((await world.withdraw(user, bank, { amount: 1 })).status).toBe(429);
  dataOf(await pay({ amount: 1 }), 201);
});

test.each([
  ["reference", { reference: "race" }, {}],
  ["Idempotency-Key", {}, { "idempotency-key": "race" }],
])("twenty requests with one %s at two processes debit once", async (name, fields, headers) => {
  const { ownWallet, pay, balances } = await arrange();
  const body = { walletId: ownWallet.id, ...fields };
  const answers = await Promise.all(Array.from({ length: 20 }, () => pay(body, headers)));
  const accepted = answers.filter(({ status }) => status === 201);
  const running = answers.filter(({ status }) => status === 409);
  expect([accepted.length > 0, accepted.length + running.length]).toEqual([true, 20]);
  for (const refused of running) {
    expect(refused.body.message).toBe(`A request with this ${name} is under way`);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  }
  const last = await pay(body, headers);
  expect(new Set([...accepted, last].map(({ body: each }) => each.data.id)).size).toBe(1);
  expect(await balances()).toEqual(["100.00", "74.75"]);
});

test("a repeat has the first answer after a failure, and without its account", async () => {
  const { business, wallet, ownWallet, pay, balances, path } = await arrange();
  const failing = await world.bank(business, wallet, "0004");
  const body = { linkedAccountId: failing.id, walletId: ownWallet.id, reference: "failing" };
  const first = await pay(body);
  await world.status(business, dataOf(first, 201).id, "FAILED");
  const linked = path(`linked-accounts/USD/${failing.id}`);
  dataOf(await world.http.delete(linked, { token: business.token }), 200);
  expect((await pay(body)).body).toEqual(first.body);
  expect(outcomeOf(await pay({ ...body, reference: "another" }))).toEqual([
    404,
    "linked_account_not_found",
  ]);
  expect(await balances()).toEqual(["100.00", "100.00"]);
});

test("a reference with anything else in the request is a 409", async () => {
  const { business, wallet, ownWallet, pay, balances, user, bank } = await arrange();
  const other = await world.bank(business, wallet);
  const body = { reference: "once", metadata: { a: "1", b: "2" } };
  const first = await pay(body);
  for (const change of [
    { amount: 26 },
    { reason: "Other" },
    { routingType: "RTP" },
    { routingType: "ACH" },
    { linkedAccountId: other.id },
    { walletId: ownWallet.id },
    { metadata: { a: "1" } },
    { metadata: {} },
    { metadata: undefined },
  ]) {
    expect([change, ...outcomeOf(await pay({ ...body, ...change }))]).toEqual([
      change,
      ...CONFLICT,
    ]);
  }
  // A withdrawal is another request, also to the same account.
  const same = { reason: "Sales", ...body };
  expect(outcomeOf(await world.withdraw(user, bank, same))).toEqual(CONFLICT);
  for (const equal of [
    { metadata: { b: "2", a: "1" }, ignored: true },
    { reference: " once\u200b", reason: "Sales " },
    { linkedAccountId: bank.id.toUpperCase() },
  ]) {
    expect((await pay({ ...body, ...equal })).body).toEqual(dataOf(first, 201) && first.body);
  }
  expect(await balances()).toEqual(["74.75", "100.00"]);
});

test("a reference belongs to its business, and is compared by its characters", async () => {
  const [mine, theirs] = [await arrange(), await arrange()];
  const body = { reference: "caf\u00e9", amount: 1 };
  const others = [{}, { reference: "cafe\u0301" }, { reference: "CAF\u00c9" }];
  const made = [await theirs.pay(body)];
  for (const other of others) made.push(await mine.pay({ ...body, ...other }));
  expect(new Set(made.map((answer) => dataOf(answer, 201).id)).size).toBe(made.length);
});

test("a decline keeps no reference", async () => {
  const { business, ownWallet, pay, balances } = await arrange(10);
  const body = { walletId: ownWallet.id, reference: "again" };
  for (let i = 0; i < 2; i++) expect(outcomeOf(await pay(body))).toEqual(REFUSED);
  const kept = { businessId: business.id, reference: "again" };
  await until(async () => (await books.payouts.countDocuments(kept)) === 0);
  // It may come with another body, too.
  const paid = dataOf(await pay({ ...body, amount: 5 }), 201);
  expect(outcomeOf(await pay(body))).toEqual(CONFLICT);
  expect(dataOf(await pay({ ...body, amount: 5 }), 201)).toEqual(paid);
  expect(await balances()).toEqual(["100.00", "4.75"]);
});

test("a reference of a declined payout of the previous release is free", async () => {
  const { business, ownWallet, pay } = await arrange(10);
  const body = { walletId: ownWallet.id, reference: "older" };
  expect(outcomeOf(await pay(body))).toEqual(REFUSED);
  const declined = { businessId: business.id, declined: "funds" as const };
  await until(async () => (await books.payouts.countDocuments(declined)) === 1);
  await books.payouts.updateOne(declined, { $set: { reference: "older", termsHash: "old" } });
  const find = await world.http.get("/v1/admin/find?q=older", {
    token: world.tokens.admin(randomUUID()),
  });
  expect(dataOf(find, 200)).toEqual([]);
  dataOf(await pay({ ...body, amount: 5 }), 201);
});

describe("a key and a reference together", () => {
  test("a decline keeps the key, and the reference is free for the next key", async () => {
    const { business, ownWallet, pay, balances } = await arrange(10);
    const body = { walletId: ownWallet.id, reference: "order" };
    const withKey = (key: string, change: Body = {}) =>
      pay({ ...body, ...change }, { "idempotency-key": key });
    expect(outcomeOf(await withKey("a"))).toEqual(REFUSED);
    await fund(business, ownWallet, 90);
    expect(outcomeOf(await withKey("a"))).toEqual(REFUSED);
    const first = await withKey("b");
    expect(first.status).toBe(201);
    for (const repeat of [await withKey("b"), await withKey("c"), await pay(body)]) {
      expect(repeat.body).toEqual(first.body);
    }
    expect(outcomeOf(await withKey("b", { amount: 26 }))).toEqual([422, "idempotency_key_reused"]);
    expect(outcomeOf(await withKey("d", { amount: 26 }))).toEqual(CONFLICT);
    expect(await balances()).toEqual(["100.00", "74.75"]);
  });

  test("a key is the business's, whichever wallet is debited, and not the user's", async () => {
    const { user, bank, ownWallet, pay, balances } = await arrange();
    const headers = { "idempotency-key": "one" };
    const first = await pay({}, headers);
    expect((await pay({}, headers)).body).toEqual(dataOf(first, 201) && first.body);
    const elsewhere = await pay({ walletId: ownWallet.id }, headers);
    expect(outcomeOf(elsewhere)).toEqual([422, "idempotency_key_reused"]);
    const withdrawal = await world.withdraw(user, bank, {}, headers);
    expect(dataOf(withdrawal, 200).id).not.toBe(first.body.data.id);
    expect(await balances()).toEqual(["49.50", "100.00"]);
  });

  test("the business finds the payout of its key, whichever wallet was debited", async () => {
    const { business, user, ownWallet, pay } = await arrange();
    const other = await arrange();
    const find = async (key: string, { token }: { token: string }) => {
      const path = `/v1/ext/withdrawals?idempotencyKey=${key}`;
      const found: { id: string }[] = dataOf(await world.http.get(path, { token }), 200);
      return found.map(({ id }) => id);
    };
    for (const [key, walletId] of [
      ["theirs", undefined],
      ["own", ownWallet.id],
    ] as const) {
      const { id } = dataOf(await pay({ walletId }, { "idempotency-key": key }), 201);
      expect(await find(key, business)).toEqual([id]);
      for (const caller of [user, other.business]) expect(await find(key, caller)).toEqual([]);
    }
  });
});

describe("a withdrawal", () => {
  test("has a reference and metadata, and a repeat is never limited", async () => {
    const { business, user, bank, balances, path } = await arrange();
    const body = { reference: "mine", metadata: { seat: "7" } };
    const first = await world.withdraw(user, bank, body);
    const { id } = dataOf(first, 200);
    expect(await world.status(business, id, "SUCCESS")).toMatchObject(body);
    const linked = path(`linked-accounts/USD/${bank.id}`);
    dataOf(await world.http.delete(linked, { token: business.token }), 200);
    expect((await world.withdraw(user, bank, body)).body).toEqual(first.body);
    expect(outcomeOf(await world.withdraw(user, bank, { ...body, amount: 1 }))).toEqual(CONFLICT);
    expect((await world.withdraw(user, bank)).status).toBe(429);
    expect(await balances()).toEqual(["74.75", "100.00"]);
  });

  test("of a merchant to its end user's account names the other endpoint", async () => {
    const { business, bank, balances } = await arrange();
    const other = await arrange();
    const merchant = { token: business.token };
    const refused = await world.withdraw(merchant, bank);
    expect(outcomeOf(refused)).toEqual([404, "linked_account_not_yours"]);
    expect(refused.body.message).toContain("POST /v1/business/:businessId/payouts");
    const unknown = [404, "linked_account_not_found"];
    expect(outcomeOf(await world.withdraw(merchant, other.bank))).toEqual(unknown);
    expect(outcomeOf(await world.withdraw(other.user, bank))).toEqual(unknown);
    expect(await balances()).toEqual(["100.00", "100.00"]);
  });
});

test("what may not be paid is refused, and nothing is debited", async () => {
  const { business, user, wallet, bank, ownWallet, pay, balances, path } = await arrange();
  const other = await arrange();
  const euros = await world.wallet(business, business, 0, "EUR");
  const collection = await world.collectionAccount(business);
  const unlinked = await world.bank(business, wallet);
  const { token } = business;
  dataOf(await world.http.delete(path(`linked-accounts/USD/${unlinked.id}`), { token }), 200);
  for (const [body, ...outcome] of [
    [{ linkedAccountId: randomUUID() }, 404, "linked_account_not_found"],
    [{ linkedAccountId: other.bank.id }, 404, "linked_account_not_found"],
    [{ linkedAccountId: unlinked.id }, 404, "linked_account_not_found"],
    [{ walletId: randomUUID() }, 404, "wallet_not_found"],
    [{ walletId: other.ownWallet.id }, 404, "wallet_not_found"],
    [{ walletId: collection }, 404, "wallet_not_found"],
    [{ walletId: wallet.id }, 400, "validation_failed"],
    [{ walletId: euros.id }, 400, "validation_failed"],
    [{ linkedAccountId: "x" }, 400, "validation_failed"],
    [{ linkedAccountId: undefined }, 400, "validation_failed"],
    [{ walletId: null }, 400, "validation_failed"],
    [{ amount: "25" }, 400, "validation_failed"],
    [{ amount: 0 }, 400, "validation_failed"],
    [{ amount: 1.001 }, 400, "validation_failed"],
    [{ reason: " " }, 400, "validation_failed"],
    [{ routingType: "ach" }, 400, "validation_failed"],
    [{ reference: "" }, 400, "validation_failed"],
    [{ reference: null }, 400, "validation_failed"],
    [{ reference: "r".repeat(257) }, 400, "validation_failed"],
    [{ metadata: { a: 1 } }, 400, "validation_failed"],
    [{ metadata: { $ne: "1" } }, 400, "validation_failed"],
    [{ metadata: ["a"] }, 400, "validation_failed"],
  ] as [Body, number, string][]) {
    expect([body, ...outcomeOf(await pay(body))]).toEqual([body, ...outcome]);
  }
  const few = world.tokens.merchant(business.id, { scope: "transfers" });
  for (const bad of [user.token, few, other.business.token]) {
    const { status } = await pay({}, {}, bad);
    expect(status).toBe(bad === other.business.token ? 404 : 401);
  }
  dataOf(await pay({}, {}, world.tokens.merchant(business.id, { scope: "payouts" })), 201);
  const disable = { disabled: true };
  dataOf(await world.http.patch(path(`wallets/${ownWallet.id}`), disable, { token }), 200);
  const disabled = { walletId: ownWallet.id, reference: "disabled", linkedAccountId: bank.id };
  expect(outcomeOf(await pay(disabled))).toEqual([400, "wallet_disabled"]);
  expect(await balances()).toEqual(["74.75", "100.00"]);
});

test.each(["business's", "person's"])("nobody is erased while the %s wallet pays", async (of) => {
  const { business, user, wallet, ownWallet, pay, path } = await arrange(100, 25.25);
  const { id: linkedAccountId } = await world.bank(business, wallet, "0010");
  dataOf(
    await pay({ linkedAccountId, ...(of === "business's" && { walletId: ownWallet.id }) }),
    201,
  );
  const erase = path(`entities/${user.id}/erase`);
  const { status, body } = await world.http.post(erase, undefined, { token: business.token });
  expect([status, body.message]).toEqual([
    409,
    expect.stringContaining("1 payouts are under way or need attention"),
  ]);
});

test("an erasure includes the merchant's payouts to the person", async () => {
  const { business, user, wallet, bank, ownWallet, pay, path } = await arrange(100, 0);
  const body = { walletId: ownWallet.id, reference: "erased-1", metadata: { name: "Ada" } };
  const { id } = dataOf(await pay(body, { "idempotency-key": "k" }), 201);
  await world.status(business, id, "SUCCESS");
  await world.bank(business, wallet);
  const { token } = business;
  const erase = () => world.http.post(path(`entities/${user.id}/erase`), undefined, { token });
  const erased = await until(async () => {
    const answer = await erase();
    return answer.status === 200 && answer.body.data.erased;
  });
  expect(erased).toMatchObject({ payouts: 1, linkedAccounts: 2 });
  const stored = await books.payouts.findOne({ _id: id });
  expect(stored).toMatchObject({ lastFour: "****", reason: "erased", reference: "erased-1" });
  for (const field of ["metadata", "merchantKey", "requestHash", "termsHash", "fingerprint"]) {
    expect([field, stored]).toEqual([
      field,
      expect.not.objectContaining({ [field]: expect.anything() }),
    ]);
  }
  expect(await world.status(business, id, "SUCCESS")).toMatchObject({
    recipient: null,
    entity: { id: business.id },
    reference: "erased-1",
    metadata: null,
  });
  // The reference pays nobody else, and the account is not there any more.
  expect(outcomeOf(await pay(body))).toEqual(CONFLICT);
  const another = { ...body, reference: "erased-2", linkedAccountId: bank.id };
  expect(outcomeOf(await pay(another))).toEqual([404, "linked_account_not_found"]);
});
