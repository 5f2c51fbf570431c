// Finding by id, for operators: every kind of thing of any business, and nothing that was declined.

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

test("only an operator finds", async () => {
  const { business, payoutId } = things;
  const asMerchant = { token: business.token };
  const { status } = await world.http.get(`/v1/admin/find/${payoutId}`, asMerchant);
  expect(status).toBe(401);
});
