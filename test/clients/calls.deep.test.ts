// Calls of the client against a real payrail behind a proxy that cuts: each kind of call that
// creates something.

import { Payrail } from "../../clients/typescript/src/index.ts";
import { type CuttingProxy, startCuttingProxy } from "../support/cutting-proxy.ts";
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
