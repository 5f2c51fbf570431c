// Withdrawals with an application token (docs/integrate/rest-api.md, Application tokens of
// payouts). They debit the wallet that the token names, and the debit spends the token, at most
// once.

import { randomUUID } from "node:crypto";
import { digest } from "../../shared/security/secrets.ts";
import { type Books, openBooks } from "../support/payouts.ts";
import { refusal } from "../support/refusal.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
let books: Books;

beforeAll(async () => {
  world = await startWorld();
  books = await openBooks(world);
});

afterAll(async () => {
  await world.verifyBooks();
  await books.close();
  await world.stop();
});

/** A user with 10.00, a merchant with the given balance, and a bank account for the payouts. */
async function arrange({ merchantHas = 100, lastFour = "6789" } = {}) {
  const { business, user, wallet } = await world.payer(10);
  const merchantWallet = await world.wallet(business, business, merchantHas);
  const bank = await world.bank(business, wallet, lastFour);
  const token = (fields: object = {}) =>
    createToken(business, {
      tokenType: "PAYOUT",
      entityId: user.id,
      currency: "USD",
      amount: 25,
      withdrawalSource: "MERCHANT_WALLET",
      walletId: merchantWallet.id,
      ...fields,
    });
  const withdraw = (secret: string, body: object = {}) =>
    world.withdraw(user, bank, { amount: 25, ...body }, { "x-application-token": secret });
  const balances = async () => [
    await world.balance(business, wallet),
    await world.balance(business, merchantWallet),
  ];
  return { business, user, wallet, merchantWallet, bank, token, withdraw, balances };
}

async function createToken(business: TestBusiness, fields: object): Promise<string> {
  const path = `/v1/business/${business.id}/application-tokens`;
  return dataOf(await world.http.post(path, fields, { token: business.token }), 201).token;
}

const refused = (message: string) => [400, refusal(message)];
const INVALID = refused("Application token is not valid");

test("a withdrawal debits the merchant's wallet once", async () => {
  const { business, user, merchantWallet, token, withdraw, balances } = await arrange();
  const secret = await token();
  const { id } = dataOf(await withdraw(secret), 200);
  const path = `/v1/transactions/${id}/webhook-payload`;
  const { payload } = dataOf(await world.http.get(path, { token: business.token }), 200);
  expect(payload).toMatchObject({ walletId: merchantWallet.id, entityId: user.id });
  const again = await withdraw(secret);
  expect([again.status, again.body]).toEqual(INVALID);
  expect(await balances()).toEqual(["10.00", "74.75"]);
});

test("an amount other than the token's is malformed and does not spend the token", async () => {
  const { token, withdraw, balances } = await arrange();
  const secret = await token();
  const other = await withdraw(secret, { amount: 24.99 });
  expect([other.status, other.body]).toEqual(refused("Malformed request"));
  dataOf(await withdraw(secret), 200);
  expect(await balances()).toEqual(["10.00", "74.75"]);
});

test("of twenty concurrent requests with one token one succeeds", async () => {
  const { token, withdraw, balances } = await arrange();
  const secret = await token();
  const answers = await Promise.all(Array.from({ length: 20 }, () => withdraw(secret)));
  const accepted = answers.filter(({ status }) => status === 200);
  expect(accepted).toHaveLength(1);
  for (const { status, body } of answers) {
    if (status !== 200) expect([status, body]).toEqual(INVALID);
  }
  expect(await balances()).toEqual(["10.00", "74.75"]);
});

test("a decline for insufficient funds does not spend the token", async () => {
  const { business, merchantWallet, token, withdraw, balances } = await arrange({
    merchantHas: 1,
  });
  const secret = await token();
  const declined = await withdraw(secret);
  expect([declined.status, declined.body]).toEqual(refused("Insufficient Funds #912"));
  const funding = { amount: 50, reference: randomUUID() };
  const path = `/v1/business/${business.id}/wallets/${merchantWallet.id}/fund`;
  dataOf(await world.http.post(path, funding, { token: business.token }), 201);
  dataOf(await withdraw(secret), 200);
  expect(await balances()).toEqual(["10.00", "25.75"]);
});

test("a payout that fails later is refunded and leaves the token spent", async () => {
  const { business, token, withdraw, balances } = await arrange({ lastFour: "0004" });
  const secret = await token();
  const { id } = dataOf(await withdraw(secret), 200);
  await world.status(business, id, "FAILED");
  expect(await balances()).toEqual(["10.00", "100.00"]);
  const again = await withdraw(secret);
  expect([again.status, again.body]).toEqual(INVALID);
});

test("`Wallet is disabled` refers to the debited wallet", async () => {
  const { business, merchantWallet, token, withdraw } = await arrange();
  const path = `/v1/business/${business.id}/wallets/${merchantWallet.id}`;
  await world.http.patch(path, { disabled: true }, { token: business.token });
  const secret = await token();
  const { status, body } = await withdraw(secret);
  expect([status, body]).toEqual(refused("Wallet is disabled"));
  await world.http.patch(path, { disabled: false }, { token: business.token });
  dataOf(await withdraw(secret), 200);
});

test("without MERCHANT_WALLET the user's wallet is debited and the token is spent", async () => {
  const { token, withdraw, balances } = await arrange();
  const own = { withdrawalSource: undefined, walletId: undefined };
  const fixed = await token({ ...own, amount: 2 });
  expect((await withdraw(fixed, { amount: 3 })).body.message).toBe("Malformed request");
  dataOf(await withdraw(fixed, { amount: 2 }), 200);
  expect((await withdraw(fixed, { amount: 2 })).status).toBe(400);
  const open = await token({ ...own, amount: undefined });
  dataOf(await withdraw(open, { amount: 1 }), 200);
  expect(await balances()).toEqual(["6.50", "100.00"]);
});

test("a token that is unknown, expired, of another user or type is invalid", async () => {
  const { business, token, withdraw, balances } = await arrange();
  const other = await world.user(business);
  const expired = await token();
  await books.tokens.updateOne({ hash: digest(expired) }, { $set: { expiresAt: new Date(0) } });
  const secrets = [
    randomUUID(),
    "x".repeat(5_000),
    await token({ entityId: other.id }),
    await createToken(business, { tokenType: "ACCOUNT", entityId: other.id, currency: "USD" }),
  ];
  for (const secret of secrets) {
    const { status, body } = await withdraw(secret);
    expect([status, body]).toEqual(INVALID);
  }
  const late = await withdraw(expired);
  expect([late.status, late.body]).toEqual(INVALID);
  expect(await balances()).toEqual(["10.00", "100.00"]);
});

test("a withdrawal uses the user's rate limit, and a refused one does not count", async () => {
  const limited = await startWorld({ environment: { WITHDRAWAL_LIMIT: "1/60s" } });
  const business = await limited.business();
  const user = await limited.user(business);
  const bank = await limited.bank(business, await limited.wallet(business, user, 100));
  const withToken = (token: string) =>
    limited.withdraw(user, bank, {}, { "x-application-token": token });
  expect((await withToken("unknown")).status).toBe(400);
  const path = `/v1/business/${business.id}/application-tokens`;
  const fields = { tokenType: "PAYOUT", entityId: user.id, currency: "USD" };
  const answer = await limited.http.post(path, fields, { token: business.token });
  expect((await withToken(dataOf(answer, 201).token)).status).toBe(200);
  expect((await limited.withdraw(user, bank)).status).toBe(429);
  await limited.stop();
});
