// The checkout is public. The fields and headers of a customer change neither the charge nor the
// address by which declines are counted. Collected money leaves only by refunds and transfers.

import { randomUUID } from "node:crypto";
import { openPaymentBooks } from "../../support/payments.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../../support/world.ts";

const DECLINES_AT_MOST = 10;

let world: World;
let behindProxy: World;
beforeAll(async () => {
  world = await startWorld();
  behindProxy = await startWorld({ environment: { TRUST_PROXY: "127.0.0.1" } });
});
afterAll(async () => {
  await Promise.all([world?.verifyBooks(), behindProxy?.verifyBooks()]);
  await Promise.all([world?.stop(), behindProxy?.stop()]);
});

/** The statuses of one declined payment more than the limit, each sent with its own headers. */
async function declines(place: World, headersOf: (i: number) => Record<string, string>) {
  const link = await place.paymentLink(await place.business());
  const card = await place.cardToken("0002");
  const statuses: number[] = [];
  for (let i = 0; i <= DECLINES_AT_MOST; i++) {
    statuses.push((await place.pay(link, card, {}, headersOf(i))).status);
  }
  return statuses;
}

const LIMITED = [...Array<number>(DECLINES_AT_MOST).fill(200), 429];

test("without a trusted proxy the address is the connection's, for all headers", async () => {
  const claims = (i: number) => ({
    "X-Forwarded-For": `192.0.2.${i}`,
    Forwarded: `for=192.0.2.${i}`,
    "X-Real-IP": `192.0.2.${i}`,
  });
  expect(await declines(world, claims)).toEqual(LIMITED);
});

test("addresses of one IPv6 network count as one; a client's own header is ignored", async () => {
  const ofNetwork = (i: number) => ({ "X-Forwarded-For": `192.0.2.${i}, 2001:db8:1:2:${i}::${i}` });
  expect(await declines(behindProxy, ofNetwork)).toEqual(LIMITED);
  const ofMany = (i: number) => ({ "X-Forwarded-For": `2001:db8:1:${i}::1` });
  expect(await declines(behindProxy, ofMany)).toEqual(LIMITED.map(() => 200));
});

test("a customer's fields change neither the charge nor the account that is credited", async () => {
  const business = await world.business();
  const link = await world.paymentLink(business);
  const claims = {
    amount: 0.5,
    total: "0.50",
    totalMinor: 50,
    currency: "NGN",
    customerPays: false,
    feesMinor: 0,
    collectionAccountId: await world.collectionAccount(await world.business()),
  };
  const { id } = dataOf(await world.pay(link, await world.cardToken(), claims), 200);
  const books = await openPaymentBooks(world);
  const charge = await books.charges.findOne({ _id: id });
  await books.close();
  expect(charge).toMatchObject({ amountMinor: 2_606, currency: "USD", charges: 1 });
  const account = await world.collectionAccount(business);
  expect(await world.balance(business, { id: account })).toBe("25.00");
});

describe("a collection account", () => {
  let business: TestBusiness;
  let account: string;
  beforeEach(async () => {
    business = await world.business();
    account = await world.collectionAccount(business, 100);
  });

  test("is not a wallet for an application token", async () => {
    const { id: entityId } = await world.user(business);
    const path = `/v1/business/${business.id}/application-tokens`;
    const body = { tokenType: "PAYOUT", entityId, currency: "USD", amount: 5, walletId: account };
    const whole = { ...body, withdrawalSource: "MERCHANT_WALLET" };
    const answer = await world.http.post(path, whole, { token: business.token });
    expect([answer.status, answer.body.message]).toEqual([404, "Wallet not found"]);
  });

  test("is unknown to the routes and actions of wallets", async () => {
    const { id: businessId, token } = business;
    const asked = async (walletId: string) => {
      const path = `/v1/business/${businessId}/wallets/${walletId}`;
      const answers = [
        await world.http.get(path, { token }),
        await world.http.get(`${path}/entries`, { token }),
        await world.http.patch(path, { disabled: true }, { token }),
        await world.http.post(`${path}/fund`, { amount: 5, reference: "gift" }, { token }),
      ];
      return answers.map(({ status, body }) => [status, body.code, body.message]);
    };
    const answers = await asked(account);
    expect(answers.map(([status]) => status)).toEqual([404, 404, 404, 404]);
    expect(answers).toEqual(await asked(randomUUID()));
    expect(await world.call("wallet-ledger.wallets", { ids: [account] })).toEqual([]);
    const fund = { businessId, walletId: account, amount: 5, reference: "gift" };
    await expect(world.call("wallet-ledger.fund", fund)).rejects.toMatchObject({
      type: "WALLET_NOT_FOUND",
    });
    const { items } = await world.call("wallet-ledger.fundings", { businessId });
    expect(items).toEqual([]);
    // The account is neither disabled nor funded, because a refund is paid from it.
    const link = await world.paymentLink(business);
    const { id } = dataOf(await world.pay(link, await world.cardToken()), 200);
    const refunds = `/v1/business/${businessId}/payments/${id}/refunds`;
    dataOf(await world.http.post(refunds, { reference: "all" }, { token }), 201);
    expect(await world.balance(business, { id: account })).toBe("100.00");
  });
});
