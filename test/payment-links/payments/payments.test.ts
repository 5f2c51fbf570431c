// Paying a link over HTTP: the charge, the credit, the events, the outcome of each card, and the
// access to a payment.

import { randomUUID } from "node:crypto";
import type { Answer } from "../../support/http.ts";
import { openPaymentBooks, type PaymentBooks } from "../../support/payments.ts";
import { until } from "../../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../../support/world.ts";

let world: World;
let books: PaymentBooks;

beforeAll(async () => {
  world = await startWorld();
  books = await openPaymentBooks(world);
});

afterAll(async () => {
  await world.verifyBooks();
  await books.close();
  await world.stop();
});

async function accountBalance({ id, token }: TestBusiness): Promise<string> {
  const answer = await world.http.get(`/v1/business/${id}/collection-accounts`, { token });
  return dataOf(answer, 200)[0].balance;
}

test.each([
  { customerPays: true, amount: "26.06", fees: "1.06", net: "25.00" },
  { customerPays: false, amount: "25.00", fees: "1.03", net: "23.97" },
])("a payment is charged and credited to the cent: customerPays $customerPays", async (row) => {
  const { customerPays, ...money } = row;
  const business = await world.business();
  const hook = await world.hook(business, { eventTypes: ["COLLECTION"] });
  const link = await world.paymentLink(business, {
    customerPays,
    redirectTo: "https://shop.example.com/thanks",
    orderId: "order-1",
    externalId: "external-1",
    customData: { campaign: "spring" },
    customFields: ["Gift note"],
  });
  const view = dataOf(await world.http.get(`/v1/checkout/${link.token}`), 200);
  expect(view.total).toBe(money.amount);

  const fields = { "Gift note": "For Grace", "Not asked for": "x" };
  const paid = await world.pay(link, await world.cardToken(), { fields, amount: 0.01 });
  const { id, ...outcome } = dataOf(paid, 200);
  expect(outcome).toEqual({
    status: "SUCCEEDED",
    receipt: {
      amount: money.amount,
      refunded: "0.00",
      card: { brand: "Visa", last4: "4242" },
      paidAt: expect.any(String),
    },
    redirectTo: "https://shop.example.com/thanks",
  });

  expect(await accountBalance(business)).toBe(money.net);
  expect(await books.charges.findOne({ _id: id })).toMatchObject({
    charges: 1,
    amountMinor: Number(money.amount) * 100,
    currency: "USD",
  });
  const { token } = business;
  const shown = await world.http.get(`/v1/business/${business.id}/payments/${id}`, { token });
  const metadata = {
    itemDeliveryAddress: "1 Main St, New York",
    customData: { campaign: "spring" },
    fields: { "Gift note": "For Grace" },
  };
  const payment = {
    ...money,
    currency: "USD",
    customer: {
      email: "ada@example.com",
      firstName: "Ada",
      lastName: "Lovelace",
      phone: "+1 555 0100",
    },
    metadata,
    orderId: "order-1",
    externalId: "external-1",
    paymentLinkId: link.id,
    collectionAccountId: expect.any(String),
  };
  expect(dataOf(shown, 200)).toEqual({
    ...payment,
    subscriptionId: null,
    invoiceId: null,
    id,
    status: "SUCCEEDED",
    refunded: "0.00",
    card: { brand: "Visa", last4: "4242" },
    reason: null,
    needsAttention: false,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const [event] = await until(() => hook.received.length > 0 && hook.received);
  expect(event?.body).toEqual({
    eventType: "COLLECTION",
    status: "SUCCEEDED",
    payload: {
      ...payment,
      amount: Number(payment.amount),
      paymentId: id,
      transactionId: id,
      timestamp: expect.any(Number),
      reason: "",
    },
  });
});

test.each([
  ["0002", "Your card was declined."],
  ["9995", "Your card has insufficient funds."],
  ["0069", "Your card has expired."],
  ["0341", "Your card was declined."],
])("a card ending in %s is declined: %s", async (lastFour, reason) => {
  const business = await world.business();
  const hook = await world.hook(business, { eventTypes: ["COLLECTION"] });
  const link = await world.paymentLink(business, { isOpenLink: false });
  const declined = dataOf(await world.pay(link, await world.cardToken(lastFour)), 200);
  expect(declined).toEqual({ id: expect.any(String), status: "FAILED", reason, redirectTo: null });
  const [event] = await until(() => hook.received.length > 0 && hook.received);
  expect(event?.body).toMatchObject({
    status: "FAILED",
    payload: { paymentId: declined.id, reason },
  });
  expect(await accountBalance(business)).toBe("0.00");

  // The link is free again: another card pays it.
  const paid = dataOf(await world.pay(link, await world.cardToken("5126")), 200);
  expect(paid.status).toBe("SUCCEEDED");
  expect(await accountBalance(business)).toBe("25.00");
});

test("an open link counts its payments, and a closed one is used after the first", async () => {
  const business = await world.business();
  const card = await world.cardToken();
  const open = await world.paymentLink(business);
  const closed = await world.paymentLink(business, { isOpenLink: false });
  for (const link of [open, open, open, closed]) {
    expect(dataOf(await world.pay(link, card), 200).status).toBe("SUCCEEDED");
  }
  const again = await world.pay(closed, card);
  expect([again.status, again.body.message]).toEqual([409, "The payment link cannot be paid"]);
  const { token } = business;
  const shown = async ({ id }: { id: string }) =>
    dataOf(await world.http.get(`/v1/business/${business.id}/payment-links/${id}`, { token }), 200);
  expect(await shown(open)).toMatchObject({ status: "ACTIVE", payments: 3 });
  expect(await shown(closed)).toMatchObject({ status: "USED", payments: 1 });
  expect(await accountBalance(business)).toBe("100.00");
});

test("a disabled, an expired, a recurring and an unknown link cannot be paid", async () => {
  const business = await world.business();
  const { token } = business;
  const card = await world.cardToken();
  const disabled = await world.paymentLink(business);
  const path = `/v1/business/${business.id}/payment-links/${disabled.id}/disable`;
  dataOf(await world.http.post(path, undefined, { token }), 200);
  const expired = await world.paymentLink(business);
  const past = { $set: { expiresAt: new Date(Date.now() - 1) } };
  await books.links.updateOne({ _id: expired.id }, past);
  const recurring = await world.paymentLink(business, {
    checkoutType: "recurring",
    recurringCharge: {
      type: "subscription",
      startDate: new Date(Date.now() + 86_400_000).toISOString(),
      interval: { type: "month", count: 1 },
    },
  });
  for (const link of [disabled, expired, recurring]) {
    const { status, body } = await world.pay(link, card);
    expect([status, body.message]).toEqual([409, "The payment link cannot be paid"]);
  }
  const unknown = await world.pay({ token: randomUUID() }, card);
  expect([unknown.status, unknown.body.message]).toEqual([404, "Payment link not found"]);
  const bad = await world.pay(await world.paymentLink(business), "card_unknown");
  expect([bad.status, bad.body.message]).toEqual([
    400,
    "paymentMethod.token must be a token of the card vault",
  ]);
  expect(await books.payments.countDocuments({ businessId: business.id })).toBe(0);
});

test("a customer sees the payments of its link, a merchant its own payments", async () => {
  const business = await world.business();
  const other = await world.business();
  const link = await world.paymentLink(business);
  const another = await world.paymentLink(business);
  const paid = dataOf(await world.pay(link, await world.cardToken()), 200);
  const { id } = paid;
  const state = ({ token }: { token: string }, of: string) =>
    world.http.get(`/v1/checkout/${token}/payments/${of}`);
  expect(dataOf(await state(link, id), 200)).toEqual(paid);
  for (const [where, of, message] of [
    [another, id, "Payment not found"],
    [link, randomUUID(), "Payment not found"],
    [{ token: "none" }, id, "Payment link not found"],
  ] as const) {
    const { status, body } = await state(where, of);
    expect([status, body.message]).toEqual([404, message]);
  }
  const theirs = await world.http.get(`/v1/business/${other.id}/payments/${id}`, {
    token: other.token,
  });
  expect([theirs.status, theirs.body.message]).toEqual([404, "Payment not found"]);

  const list = async (query: string) => {
    const { token } = business;
    const answer = await world.http.get(`/v1/business/${business.id}/payments${query}`, { token });
    return dataOf(answer, 200).map((payment: { id: string }) => payment.id);
  };
  const second = dataOf(await world.pay(another, await world.cardToken("0002")), 200).id;
  expect(await list("")).toEqual([id, second]);
  expect(await list("?status=FAILED")).toEqual([second]);
  expect(await list(`?paymentLinkId=${link.id}`)).toEqual([id]);
  expect(await list(`?paymentLinkId=${link.id}&status=PENDING`)).toEqual([]);
});

test("a payment is a transaction with a timeline, but cannot be cancelled", async () => {
  const business = await world.business();
  const { token } = business;
  const hook = await world.hook(business, { eventTypes: ["COLLECTION"] });
  const link = await world.paymentLink(business, {
    name: "Spring sale",
    orderId: "order-1",
    customData: { campaign: "spring" },
  });
  const paid = dataOf(await world.pay(link, await world.cardToken()), 200).id;
  const failed = dataOf(await world.pay(link, await world.cardToken("0002")), 200).id;
  const get = async (path: string) => dataOf(await world.http.get(path, { token }), 200);
  const all = await get(`/v1/business/${business.id}/transactions`);
  expect(all.map(({ id }: { id: string }) => id)).toEqual([failed, paid]);
  expect(all[0]).toMatchObject({
    status: "FAILED",
    failureReason: "Your card was declined.",
    failureCode: "card_declined",
  });
  expect(all[1]).toEqual(await get(`/v1/transactions/${paid}`));
  expect(all[1]).toMatchObject({
    flow: "COLLECTION",
    status: "SUCCESS",
    method: "CARD",
    amount: "26.06",
    fees: "1.06",
    entityId: business.id,
    reason: "Spring sale",
    failureReason: null,
    failureCode: null,
    reference: "order-1",
    recipient: null,
    entity: { id: business.id, externalIdentifier: null },
    metadata: {
      itemDeliveryAddress: "1 Main St, New York",
      customData: { campaign: "spring" },
      fields: {},
    },
  });
  const account = dataOf(
    await world.http.get(`/v1/business/${business.id}/collection-accounts`, { token }),
    200,
  )[0].id;
  const statement = `/v1/business/${business.id}/collection-accounts/${account}/entries`;
  expect(await get(statement)).toMatchObject([
    { transactionId: paid, kind: "collection", entry: "CREDIT", amount: "25.00", balance: "25.00" },
  ]);
  const stranger = await world.business();
  for (const [owner, id] of [
    [stranger, account],
    [business, business.id],
    [business, "x"],
  ] as const) {
    const path = `/v1/business/${owner.id}/collection-accounts/${id}/entries`;
    const { status, body } = await world.http.get(path, owner);
    expect([status, body.message]).toEqual([404, "Collection account not found"]);
  }
  const ids = async (query: string) =>
    (await get(`/v1/business/${business.id}/transactions${query}`)).map(
      ({ id }: { id: string }) => id,
    );
  expect(await ids("?flow=COLLECTION&status=SUCCESS")).toEqual([paid]);
  expect(await ids(`?entityId=${business.id}&limit=1`)).toEqual([failed]);
  expect(await ids(`?entityId=${randomUUID()}`)).toEqual([]);
  expect(await ids("?status=PROCESSING_PAY_OUT")).toEqual([]);
  expect(await ids("?needsAttention=true")).toEqual([]);

  await until(() => hook.received.length === 2);
  const timeline = await get(`/v1/transactions/${paid}/timeline`);
  expect(timeline.states.map(({ status }: { status: string }) => status)).toEqual([
    "PENDING",
    "SUCCESS",
  ]);
  expect(timeline.entries).toMatchObject([
    { kind: "collection", entry: "CREDIT", amount: "25.00" },
  ]);
  expect(timeline.deliveries).toMatchObject([{ eventType: "COLLECTION" }]);

  const payload = await world.http.get(`/v1/transactions/${paid}/webhook-payload`, { token });
  expect([payload.status, payload.body.message]).toEqual([
    422,
    "Webhook payload not available for this transaction type",
  ]);
  const cancel = await world.http.post(`/v1/transactions/${paid}/cancel`, undefined, { token });
  expect([cancel.status, cancel.body.message]).toEqual([409, "Payout can no longer be cancelled"]);
});

test("a list that is too long leaves out the metadata, and a single transaction keeps it", async () => {
  const business = await world.business();
  const { token } = business;
  const names = Array.from({ length: 50 }, (_, i) => `name${i}`);
  const customData = Object.fromEntries(names.map((name) => [name, "\u5b57".repeat(512)]));
  const link = await world.paymentLink(business, { customData });
  const card = await world.cardToken();
  const paid = await Promise.all(Array.from({ length: 14 }, () => world.pay(link, card)));
  for (const list of ["payments", "transactions"]) {
    const items = dataOf(
      await world.http.get(`/v1/business/${business.id}/${list}`, { token }),
      200,
    );
    expect(items).toHaveLength(14);
    expect(items.filter((item: object) => "metadata" in item)).toEqual([]);
  }
  const path = `/v1/transactions/${dataOf(paid[0] as Answer, 200).id}`;
  const { metadata } = dataOf(await world.http.get(path, { token }), 200);
  expect(metadata.customData).toEqual(customData);
});

test("with notifyPayee and an agent a success is followed by a notification of the business and the agent", async () => {
  const business = await world.business();
  const shown = world.http.get(`/v1/business/${business.id}`, { token: business.token });
  const payee: { email: string; name: string } = dataOf(await shown, 200);
  const hook = await world.hook(business);
  const { port, pathname } = new URL(hook.url);
  const link = await world.paymentLink(business, {
    notifyPayee: true,
    agent: { type: "sales", email: "agent@example.com", name: "Grace", desk: "7" },
    advancedConfig: { websiteUrl: `http://127.0.0.1:${port}`, webhookPath: `${pathname}own` },
  });
  const unheard = await world.paymentLink(business);
  const declined = dataOf(await world.pay(link, await world.cardToken("0002")), 200).id;
  const paid = dataOf(await world.pay(link, await world.cardToken()), 200).id;
  const other = dataOf(await world.pay(unheard, await world.cardToken()), 200).id;
  const received = (id: string) =>
    hook.received
      .filter(({ body }) => body.payload.paymentId === id)
      .map(({ body }) => `${body.eventType} ${body.status}`)
      .toSorted();
  // Each event comes twice: at the business's endpoint and at the link's.
  const success = ["COLLECTION SUCCEEDED", "NOTIFICATION SUCCEEDED"];
  const haveArrived = () =>
    received(paid).length === 4 && received(declined).length === 2 && received(other).length === 1;
  await until(haveArrived, { awaited: "the events" });
  expect(received(paid)).toEqual([...success, ...success].toSorted());
  expect(received(declined)).toEqual(["COLLECTION FAILED", "COLLECTION FAILED"]);
  expect(received(other)).toEqual(["COLLECTION SUCCEEDED"]);
  const notification = hook.received.find(({ body }) => body.eventType === "NOTIFICATION");
  expect(notification?.body).toEqual({
    eventType: "NOTIFICATION",
    status: "SUCCEEDED",
    payload: {
      paymentId: paid,
      transactionId: paid,
      paymentLinkId: link.id,
      recipients: [
        { type: "payee", email: payee.email, name: payee.name },
        { type: "sales", email: "agent@example.com", name: "Grace", desk: "7" },
      ],
      amount: 26.06,
      currency: "USD",
      timestamp: expect.any(Number),
      reason: "",
    },
  });
});
