// Calls of the client against a real payrail behind a proxy that cuts: each kind of call that
// creates something.

import { Payrail } from "../../clients/typescript/src/index.ts";
import { type CuttingProxy, startCuttingProxy } from "../support/cutting-proxy.ts";
import { until } from "../support/system.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let proxy: CuttingProxy;

beforeAll(async () => {
  world = await startWorld();
  proxy = await startCuttingProxy(world.http.url);
});
afterAll(async () => {
  proxy?.stop();
  await world?.stop();
});

test("a call whose answer is lost creates its resource once", async () => {
  const own = await world.business();
  const client = new Payrail({ token: own.token, baseUrl: proxy.url });
  proxy.faults.push("cutAfter", "cutAfter");
  const user = await client.entities.create({ email: "once@example.com" });
  const users = await client.entities.list().toArray();
  expect(users.filter(({ email }) => email === user.email).map(({ id }) => id)).toEqual([user.id]);

  proxy.faults.push("cutAfter");
  const { id, secret } = await client.webhooks.create({ url: "http://127.0.0.1:9/" });
  expect(secret).toMatch(/^whsec_/);
  expect((await client.webhooks.list().toArray()).map((each) => each.id)).toEqual([id]);

  await client.collectionAccounts.open({ currency: "USD" });
  proxy.faults.push("cutAfter");
  const { application } = await client.paymentLinks.create({
    currency: "USD",
    amount: 25,
    itemDeliveryAddress: "1 Main St",
    cartItems: [{ name: "Tulips", description: "A dozen" }],
  });
  expect(await client.paymentLinks.list().toArray()).toHaveLength(1);
  const card = await client.sandbox.cardToken();
  proxy.faults.push("cutAfter");
  const { id: paymentId } = await client.checkout.pay({
    token: application.token,
    customer: { email: "a@example.com", firstName: "A", lastName: "B", phone: "+1 555 0100" },
    paymentMethod: { type: "card", token: card.token },
  });
  proxy.faults.push("cutAfter");
  await client.payments.refund({ id: paymentId, amount: 5, reference: "r1" });
  const payments = await client.payments.list().toArray();
  expect(payments.map((each) => [each.id, each.refunded])).toEqual([[paymentId, "5.00"]]);
});

test("a business moves money and pays once though answers are lost, within limits of its own", async () => {
  const own = await world.business();
  const { id: fromWalletId } = await world.wallet(own, own, 100);
  const user = await world.user(own);
  const theirs = await world.wallet(own, user);
  const bank = await world.bank(own, theirs);
  const client = new Payrail({ token: own.token, baseUrl: proxy.url });
  proxy.faults.push("cutAfter", "cutAfter");
  const between = { fromWalletId, toWalletId: theirs.id };
  const { id } = await client.transfers.create({ ...between, amount: 40, reference: "week-7" });
  expect(await client.transfers.get(id)).toMatchObject({ ...between, amount: "40.00" });
  expect(await client.transfers.list({ walletId: theirs.id }).toArray()).toHaveLength(1);

  const order = { linkedAccountId: bank.id, walletId: fromWalletId, amount: 10, reason: "Rent" };
  proxy.faults.push("cutAfter");
  expect(await client.payouts.create(order)).toMatchObject({ amount: "10.25" });
  expect(await client.wallets.own()).toMatchObject([{ id: fromWalletId, balance: "49.75" }]);

  const ofEach = { scope: "business", currency: "USD", per: "payout" } as const;
  const limit = { ...ofEach, amount: "5.00" };
  expect(await client.limits.set([limit])).toEqual([limit]);
  expect(await client.limits.get()).toEqual([limit]);
  await until(async () => (await client.withdrawals.limits()).length === 1);
  await expect(client.payouts.create(order)).rejects.toMatchObject({
    code: "limit_exceeded",
    limit: { ...ofEach, max: "5.00", used: "0.00" },
  });
});

test("a client for one server is made, bound to addresses and ended", async () => {
  const own = await world.business();
  const client = new Payrail({ token: own.token, baseUrl: proxy.url });
  proxy.faults.push("cutAfter");
  const made = await client.apiClients.create({ name: "Payout run", scopes: ["payouts"] });
  expect(made.clientSecret).not.toBe("");
  const clients = await client.apiClients.list().toArray();
  expect(clients.filter(({ name }) => name === made.name)).toHaveLength(1);
  const allowedAddresses = ["203.0.113.0/24"];
  const bound = await client.apiClients.update({ clientId: made.id, allowedAddresses });
  expect(bound).toEqual(await client.apiClients.get(made.id));
  const { clientSecret } = await client.apiClients.rotateSecret(made.id);
  expect(clientSecret).not.toBe(made.clientSecret);
  const ended = await client.apiClients.update({ clientId: made.id, disabled: true });
  expect(ended).toMatchObject({ allowedAddresses, disabled: true });
});
