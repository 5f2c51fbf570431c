// Finding by id, email and reference, for operators: every kind of thing of any business, and
// nothing that was declined.

import { randomUUID } from "node:crypto";
import type { FOUND_KINDS } from "../../shared/contracts/find.ts";
import { openBooks } from "../support/payouts.ts";
import { refusal } from "../support/refusal.ts";
import { makeThings, type Things } from "../support/samples.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

let world: World;
let things: Things;
let token: string;

beforeAll(async () => {
  world = await startWorld();
  things = await makeThings(world);
  token = world.tokens.admin(randomUUID());
});
afterAll(async () => {
  await world?.verifyBooks();
  await world?.stop();
});

const find = (id: string) => world.http.get(`/v1/admin/find/${id}`, { token });

/** The first item of a list of the business. */
async function firstOf(path: string): Promise<{ id: string }> {
  const { business } = things;
  const list = `/v1/business/${business.id}/${path}`;
  return dataOf(await world.http.get(list, { token: business.token }), 200)[0];
}

test("every kind of thing is found, with its business and the way to it", async () => {
  const { business, paymentId, webhookId } = things;
  const refund = await firstOf(`payments/${paymentId}/refunds`);
  const funding = await firstOf("transactions?flow=FUNDING");
  const transfer = await firstOf(`collection-accounts/${things.collectionAccountId}/transfers`);
  const ids: Record<(typeof FOUND_KINDS)[number], string> = {
    business: business.id,
    entity: things.user.id,
    "api-client": things.clientId,
    "linked-account": things.bank.id,
    wallet: things.wallet.id,
    funding: funding.id,
    adjustment: things.adjustmentId,
    transfer: transfer.id,
    payout: things.payoutId,
    "payment-link": things.linkId,
    payment: paymentId,
    refund: refund.id,
    subscription: things.subscriptionId,
    invoice: things.invoiceId,
    webhook: webhookId,
    delivery: things.deliveryId,
    event: things.eventId,
  };
  for (const [kind, id] of Object.entries(ids)) {
    const way = { refund: { paymentId }, delivery: { endpointId: webhookId } }[kind] ?? {};
    expect(dataOf(await find(id), 200)).toEqual({ kind, id, businessId: business.id, ...way });
  }
  const account = await find(things.collectionAccountId);
  expect(account.body.data).toMatchObject({ kind: "wallet", businessId: business.id });
});

test("an unknown id and a declined withdrawal are a 404", async () => {
  const { user, bank } = things;
  expect((await world.withdraw(user, bank, { amount: 5_000 })).status).toBe(400);
  const books = await openBooks(world);
  const declined = await books.payouts.findOne({ step: "declined" });
  await books.close();
  expect(declined).not.toBeNull();
  for (const id of [declined?._id as string, randomUUID(), "x", "$ne"]) {
    const { status, body } = await find(id);
    expect([id, status, body]).toEqual([id, 404, refusal("Not found")]);
  }
});

test.each(["find/:id", "find?q=:id"])("only an operator finds by %s", async (path) => {
  const { business, payoutId } = things;
  const asMerchant = { token: business.token };
  const { status } = await world.http.get(`/v1/admin/${path.replace(":id", payoutId)}`, asMerchant);
  expect(status).toBe(401);
});

const search = async (q: string) =>
  dataOf(await world.http.get(`/v1/admin/find?q=${encodeURIComponent(q)}`, { token }), 200);

test("a text finds what it is the id of, and nothing if it is none", async () => {
  const { business, payoutId: id } = things;
  const found = [{ kind: "payout", id, businessId: business.id }];
  expect(await search(id)).toEqual(found);
  expect(await search(` ${id.toUpperCase()} `)).toEqual(found);
  expect(await search(randomUUID())).toEqual([]);
  expect(await search("$ne")).toEqual([]);
});

test("an email finds businesses, end users and linked accounts, in any case", async () => {
  const business = await world.business();
  const email = `Someone-${randomUUID()}@Example.test`;
  const user = await world.user(business, { email });
  const wallet = await world.wallet(business, user);
  const account = await world.bank(business, wallet, "6789", { email: email.toLowerCase() });
  const admin = { token };
  const named = { name: "Named", email };
  const other = dataOf(await world.http.post("/v1/admin/businesses", named, admin), 201);
  const { id: businessId } = business;
  const found = [
    { kind: "business", id: other.id, businessId: other.id },
    { kind: "linked-account", id: account.id, businessId },
    { kind: "entity", id: user.id, businessId },
  ];
  expect(await search(email.toUpperCase())).toEqual(found);
  const path = `/v1/business/${businessId}/linked-accounts/USD/${account.id}`;
  expect((await world.http.request("DELETE", path, business)).status).toBe(200);
  expect(await search(email)).toEqual(found);
  expect(await search(email.slice(1))).toEqual([]);
});

test("a reference finds payouts, fundings, transfers, refunds, and payments by their order number", async () => {
  const business = await world.business();
  const { id: businessId } = business;
  const reference = `ref ${randomUUID()} ☂`;
  const path = `/v1/business/${businessId}`;
  const post = async (to: string, body: object) =>
    dataOf(await world.http.post(`${path}/${to}`, body, business), 201);
  const accountId = await world.collectionAccount(business, 100);
  const own = await world.wallet(business, business);
  const funding = await post(`wallets/${own.id}/fund`, { amount: 1, reference });
  const transfer = await post(`collection-accounts/${accountId}/transfers`, {
    walletId: own.id,
    amount: 1,
    reference,
  });
  const link = await world.paymentLink(business, { orderId: reference });
  const payment = dataOf(await world.pay(link, await world.cardToken()), 200);
  const refund = await post(`payments/${payment.id}/refunds`, { amount: 1, reference });
  const bank = await world.bank(business, own);
  const payout = await post("payouts", {
    linkedAccountId: bank.id,
    amount: 0.5,
    reason: "Payout",
    reference,
  });
  expect(await search(reference)).toEqual([
    { kind: "payout", id: payout.id, businessId },
    { kind: "refund", id: refund.id, businessId, paymentId: payment.id },
    { kind: "payment", id: payment.id, businessId },
    { kind: "transfer", id: transfer.id, businessId },
    { kind: "funding", id: funding.id, businessId },
  ]);
});

test("a text finds at most a hundred things, the newest", async () => {
  const business = await world.business();
  const email = `${randomUUID()}@many.test`;
  const users: { id: string }[] = [];
  for (let i = 0; i < 102; i++) users.push(await world.user(business, { email }));
  const newest = users.slice(-100).toReversed();
  expect((await search(email)).map(({ id }: { id: string }) => id)).toEqual(
    newest.map(({ id }) => id),
  );
});

test.each([
  ["no text", "", "q must be a text of 1 to 256 characters, but is missing"],
  ["an empty text", "?q=%20", "q must be a text of 1 to 256 characters, but is empty"],
  ["a text that is too long", `?q=${"x".repeat(257)}`, "q must be a text of 1 to 256 characters"],
  ["two texts", "?q=a&q=b", "q"],
])("%s is a 400 that names the field", async (_what, query, message) => {
  const { status, body } = await world.http.get(`/v1/admin/find${query}`, { token });
  expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
});
