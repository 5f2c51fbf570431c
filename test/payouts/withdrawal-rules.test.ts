// The refusals of a withdrawal (docs/integrate/rest-api.md, Withdrawals), in the order of the
// checks. A refusal changes nothing.

import { randomUUID } from "node:crypto";
import { refusal } from "../support/refusal.ts";
import {
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
  ({ business, user, wallet } = await world.payer(100));
  bank = await world.bank(business, wallet);
});

afterEach(async () => {
  expect(await world.balance(business, wallet)).toBe("100.00");
});

afterAll(async () => {
  await world.verifyBooks();
  await world.stop();
});

test.each([
  ["amount", undefined],
  ["amount", null],
  ["amount", "25"],
  ["amount", 0],
  ["amount", -1],
  ["amount", 0.001],
  ["amount", 1e-7],
  ["amount", 25.255],
  ["amount", 10_000_000_000],
  ["amount", 1e21],
  ["amount", [25]],
  ["amount", { $gt: 0 }],
  ["walletType", undefined],
  ["walletType", "spend"],
  ["walletType", "SAVINGS"],
  ["walletType", ["SPEND"]],
  ["reason", undefined],
  ["reason", ""],
  ["reason", "   "],
  ["reason", null],
  ["reason", "a".repeat(513)],
  ["reason", "a\u0000b"],
  ["reason", "\ud800"],
  ["reason", { $ne: "" }],
  ["routingType", "SWIFT"],
  ["routingType", "ach"],
  ["routingType", null],
  ["routingType", ["ACH"]],
  ["transactionType", null],
  ["transactionType", 1],
  ["transactionType", "p".repeat(257)],
  ["transactionType", "a\u0000b"],
  ["transactionType", ["payout"]],
  ["mfaCode", null],
  ["mfaCode", ""],
  ["mfaCode", "123456"],
])("%s %p is a 400 that names the field", async (field, value) => {
  const { status, body } = await world.withdraw(user, bank, { [field]: value });
  expect(status).toBe(400);
  expect(body).toEqual(refusal(expect.stringMatching(new RegExp(`^${field} must be `))));
});

test.each(["EUR", "usd", "XXX", "%20USD"])("currency %s is a 400", async (currency) => {
  const { status, body } = await world.withdraw(user, { id: bank.id, currency });
  expect(status).toBe(400);
  expect(body).toEqual(refusal("currency must be USD"));
});

test("a 400 names every wrong field, including the path's currency", async () => {
  const wrong = { amount: 0, walletType: "X", reason: "", routingType: "X", mfaCode: "1" };
  const { status, body } = await world.withdraw(user, { id: bank.id, currency: "EUR" }, wrong);
  expect(status).toBe(400);
  for (const field of ["currency", ...Object.keys(wrong)]) expect(body.message).toContain(field);
});

test.each([
  ["null", "null"],
  ["a list", "[]"],
  ["a text", '"x"'],
  ["a number", "1"],
])("a body that is %s is a 400", async (_name, raw) => {
  const path = `/v1/ext/linked-accounts/USD/${bank.id}/withdrawal`;
  const headers = { "content-type": "application/json" };
  const answer = await world.http.request("POST", path, { token: user.token, headers, raw });
  expect(answer.status).toBe(400);
  expect(answer.body).toEqual(refusal(expect.any(String)));
});

test.each([
  `{"__proto__":{"amount":1,"walletType":"SPEND","reason":"x"}}`,
  `{"constructor":{"prototype":{"amount":1}},"walletType":"SPEND","reason":"x"}`,
])("prototype keys give no field a value: %s", async (raw) => {
  const path = `/v1/ext/linked-accounts/USD/${bank.id}/withdrawal`;
  const headers = { "content-type": "application/json" };
  const answer = await world.http.request("POST", path, { token: user.token, headers, raw });
  expect(answer.status).toBe(400);
  expect(({} as { amount?: number }).amount).toBeUndefined();
});

describe("another caller's account answers like an account that does not exist", () => {
  const notFound = refusal("Linked account not found");

  test.each([randomUUID(), "nonsense", "%24ne", "x".repeat(2_000)])("id %s", async (id) => {
    const { status, body } = await world.withdraw(user, { id, currency: "USD" });
    expect([status, body]).toEqual([404, notFound]);
  });

  test("another user's, business's or currency's account, and an unlinked one", async () => {
    const other = await world.user(business);
    const otherBank = await world.bank(business, await world.wallet(business, other));
    const euros = await world.bank(business, await world.wallet(business, user, 0, "EUR"));
    const elsewhere = await world.business();
    const stranger = await world.user(elsewhere);
    const unlinked = await world.bank(business, wallet);
    const path = `/v1/business/${business.id}/linked-accounts/USD/${unlinked.id}`;
    await world.http.delete(path, { token: business.token });
    const attempts = [
      world.withdraw(user, otherBank),
      world.withdraw(stranger, bank),
      world.withdraw(elsewhere, bank),
      world.withdraw(user, { ...euros, currency: "USD" }),
      world.withdraw(user, unlinked),
      world.withdraw({ token: world.tokens.user(randomUUID()) }, bank),
    ];
    for (const { status, body } of await Promise.all(attempts)) {
      expect([status, body]).toEqual([404, notFound]);
    }
  });
});

test("a malformed body is reported before an unknown account", async () => {
  const nowhere = { id: randomUUID(), currency: "USD" };
  expect((await world.withdraw(user, nowhere, { amount: 0 })).status).toBe(400);
});

test("a disabled wallet is not debited until it is enabled again", async () => {
  const other = await world.user(business);
  const theirs = await world.wallet(business, other, 30);
  const account = await world.bank(business, theirs);
  const path = `/v1/business/${business.id}/wallets/${theirs.id}`;
  await world.http.patch(path, { disabled: true }, { token: business.token });
  // The disabled wallet is reported before the insufficient funds.
  for (const amount of [25, 1_000]) {
    const { status, body } = await world.withdraw(other, account, { amount });
    expect([status, body]).toEqual([400, refusal("Wallet is disabled")]);
  }
  await world.http.patch(path, { disabled: false }, { token: business.token });
  expect((await world.withdraw(other, account)).status).toBe(200);
});

test("a method without a rail is refused before any debit", async () => {
  const bare = await startWorld({
    payoutsInstead: [{ rails: { forMethod: {}, named: new Map() } }],
  });
  const acme = await bare.business();
  const ada = await bare.user(acme);
  const purse = await bare.wallet(acme, ada, 100);
  const account = await bare.bank(acme, purse);
  const { status, body } = await bare.withdraw(ada, account);
  expect([status, body]).toEqual([503, refusal("Temporarily unavailable. Please try again.")]);
  expect(await bare.balance(acme, purse)).toBe("100.00");
  await bare.stop();
});

test("a 401 comes before every other refusal, and a missing scope is a 401", async () => {
  const malformed = { amount: 0 };
  const noScope = world.tokens.user(user.id, { scope: "internal" });
  for (const token of [noScope, "nonsense", world.tokens.user("unknown")]) {
    const { status, body } = await world.withdraw({ token }, bank, malformed);
    expect([status, body]).toEqual([401, refusal("Unauthorized")]);
  }
});
