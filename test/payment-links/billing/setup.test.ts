// Setting up a subscription and changing its payment method: the order of the checks, no charge at
// the set-up, and one winner of several concurrent requests.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import type { Subscription } from "../../../services/payment-links/billing/subscription.model.ts";
import type { Payment } from "../../../services/payment-links/payments/payment.model.ts";
import type { SavedMethod } from "../../../services/payment-links/payments/saved-method.model.ts";
import { systemClock } from "../../../shared/clock.ts";
import type { Params } from "../../../shared/contracts/contracts.ts";
import type { Answer } from "../../support/http.ts";
import { until } from "../../support/system.ts";
import {
  chargeBody,
  dataOf,
  paymentBody,
  startWorld,
  type TestBusiness,
  type TestLink,
  type World,
} from "../../support/world.ts";

const CARD_ONLY = { customer: undefined };
const DAY_MS = 86_400_000;
/** The time in milliseconds by which the service's clock is ahead. */
let aheadMs = 0;
/** If set, the driver waits for it after an attempt has ended. */
let holds: ReturnType<typeof deferred> | null = null;
const clock = { ...systemClock, now: () => Date.now() + aheadMs };

let world: World;
let business: TestBusiness;
let books: mongoose.Connection;

beforeAll(async () => {
  const held = async () => holds?.released;
  world = await startWorld({
    paymentLinksInstead: [
      { clock, reached: (point) => (point === "renewal-ended" ? held() : undefined) },
    ],
  });
  business = await world.business();
  const url = world.config.mongoUrl as string;
  books = await mongoose.createConnection(url, { readConcernLevel: "majority" }).asPromise();
});
afterAll(async () => {
  await world?.verifyBooks();
  await books?.close();
  await world?.stop();
});

const subscriptions = () => books.collection<Subscription>("subscriptions");
const methods = () => books.collection<SavedMethod>("payment_methods");
const charges = () => books.collection("sandbox_charges").countDocuments();
const keyed = (key: string = randomUUID()) => ({ "Idempotency-Key": key });
const refusal = ({ status, body }: Answer) => [status, body.message];
const viewOf = async ({ token }: { token: string }) =>
  dataOf(await world.http.get(`/v1/checkout/${token}`), 200);

function deferred() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  return { released, release };
}

async function setUp(link: TestLink, lastFour = "4242"): Promise<string> {
  return dataOf(await world.setup(link, await world.cardToken(lastFour)), 200).subscriptionId;
}

async function methodLink(merchant: TestBusiness, id: string): Promise<{ token: string }> {
  const answer = await world.toSubscription(merchant, id, "payment-method-link");
  const { url } = dataOf(answer, 201);
  return { token: url.split("/").at(-1) as string };
}

describe("a set-up", () => {
  test("stores the card encrypted, charges nothing, and begins the trial", async () => {
    const link = await world.recurringLink(business, {
      orderId: "order-1",
      externalId: "external-1",
      dataCollections: ["Company"],
      recurringCharge: { productId: "plan-1" },
    });
    const before = await charges();
    const cardToken = await world.cardToken();
    const fields = { Company: "Acme", Other: "not asked for" };
    const data = dataOf(await world.setup(link, cardToken, { fields }), 200);
    expect(data).toEqual({
      subscriptionId: expect.any(String),
      status: "trialing",
      manageUrl: expect.stringContaining(`/subscription/${data.subscriptionId}/`),
    });

    const shown = await world.ofSubscription(business, data.subscriptionId);
    expect(shown).toMatchObject({
      id: data.subscriptionId,
      status: "trialing",
      paymentLinkId: link.id,
      type: "subscription",
      interval: { type: "month", count: 1 },
      currency: "USD",
      productId: "plan-1",
      startDate: "2030-01-01T00:00:00.000Z",
      currentPeriod: null,
      nextInvoiceAt: "2030-01-01T00:00:00.000Z",
      openInvoiceId: null,
      seats: null,
      customer: paymentBody("").customer,
      card: { brand: "Visa", last4: "4242" },
      orderId: "order-1",
      externalId: "external-1",
      cancelAt: null,
      cancelledAt: null,
      needsAttention: false,
    });
    const stored = await subscriptions().findOne({ _id: data.subscriptionId });
    expect(stored?.fields).toEqual({ Company: "Acme" });
    const method = await methods().findOne({ _id: stored?.methodId });
    expect(JSON.stringify([stored, method])).not.toContain(cardToken);
    expect(method).toMatchObject({ subscriptionId: data.subscriptionId, acquirer: "sandbox" });
    expect(await charges()).toBe(before);
  });

  test.each([
    ["as a date alone", () => new Date().toISOString().slice(0, 10)],
    ["at its midnight", () => `${new Date().toISOString().slice(0, 10)}T00:00:00Z`],
  ])("of a plan that starts today, %s, has no trial and is charged at once", async (_, today) => {
    const before = Date.now();
    const link = await world.recurringLink(business, { recurringCharge: { startDate: today() } });
    const view = await viewOf(link);
    expect(view).toMatchObject({ purpose: "subscribe", dueNow: view.total });
    const data = dataOf(await world.setup(link, await world.cardToken()), 200);
    expect(data.status).toBe("active");
    const shown = await world.ofSubscription(business, data.subscriptionId);
    expect(Date.parse(shown.startDate)).toBeGreaterThanOrEqual(before);
  });

  test("sends one event of the subscription", async () => {
    const merchant = await world.business();
    const hook = await world.hook(merchant, { eventTypes: ["SUBSCRIPTION", "INVOICE"] });
    const subscriptionId = await world.subscription(merchant);
    await until(() => hook.received.length > 0);
    expect(hook.received.map(({ body }) => body)).toEqual([
      {
        eventType: "SUBSCRIPTION",
        status: "created",
        payload: expect.objectContaining({ subscriptionId, amount: 25, currency: "USD" }),
      },
    ]);
  });

  test("after the start of billing has no trial: its first period begins at once", async () => {
    const late = await world.business();
    const link = await world.recurringLink(late);
    await world.testClock(late, "2030-03-17T10:00:00.000Z");
    const data = dataOf(await world.setup(link, await world.cardToken()), 200);
    expect(data.status).toBe("active");
    expect(await world.ofSubscription(late, data.subscriptionId)).toMatchObject({
      startDate: "2030-03-17T10:00:00.000Z",
      createdAt: "2030-03-17T10:00:00.000Z",
      currentPeriod: {
        periodStart: "2030-03-17T10:00:00.000Z",
        periodEnd: "2030-04-17T10:00:00.000Z",
      },
    });
  });

  test("accepts a card that can be saved but is declined when it is charged", async () => {
    const id = await world.subscription(business, {}, "0341");
    expect(await world.ofSubscription(business, id)).toMatchObject({
      status: "trialing",
      card: { last4: "0341" },
    });
  });
});

describe("a set-up is refused", () => {
  test("for an unknown, one-time, expired, disabled or used link", async () => {
    const { token } = business;
    const card = await world.cardToken();
    const disabled = await world.recurringLink(business);
    const path = `/v1/business/${business.id}/payment-links/${disabled.id}/disable`;
    dataOf(await world.http.post(path, undefined, { token }), 200);
    const expired = await world.recurringLink(business);
    const past = new Date(Date.now() - 1_000);
    const filter = { _id: expired.id as never };
    await books.collection("payment_links").updateOne(filter, { $set: { expiresAt: past } });
    const used = await world.recurringLink(business, { isOpenLink: false });
    await setUp(used);
    const oneTime = await world.paymentLink(business);

    const unknown = { ...oneTime, token: "unknown" };
    expect(refusal(await world.setup(unknown, card))).toEqual([404, "Payment link not found"]);
    const before = await subscriptions().countDocuments({ businessId: business.id });
    for (const link of [oneTime, disabled, expired, used]) {
      const answer = await world.setup(link, card);
      expect(refusal(answer)).toEqual([409, "The payment link cannot be paid"]);
    }
    const paid = await world.pay(await world.recurringLink(business), card);
    expect(refusal(paid)).toEqual([409, "The payment link cannot be paid"]);
    expect(await subscriptions().countDocuments({ businessId: business.id })).toBe(before);
  });

  test("for an unknown card, and without a customer", async () => {
    const link = await world.recurringLink(business, { isOpenLink: false });
    const unknown = await world.setup(link, "card_unknown");
    expect(refusal(unknown)).toEqual([
      400,
      "paymentMethod.token must be a token of the card vault",
    ]);
    const noCustomer = await world.setup(link, await world.cardToken(), { customer: undefined });
    expect(refusal(noCustomer)).toEqual([400, "customer must be an object"]);
    expect((await viewOf(link)).status).toBe("ACTIVE");
    expect(await methods().countDocuments({ "card.last4": "unknown" })).toBe(0);
  });
});

test("set-ups that are charged at once are refused after too many declines", async () => {
  const merchant = await world.business();
  const link = await world.recurringLink(merchant);
  await world.testClock(merchant, "2030-03-17");
  await Promise.all(Array.from({ length: 10 }, () => setUp(link, "0341")));
  const payments = books.collection<Payment>("payments");
  const declined = { businessId: merchant.id, declined: { $exists: true } };
  const tried = async () => (await payments.countDocuments(declined)) === 10;
  await until(tried, { awaited: "ten declined renewals" });
  const refused = await world.setup(link, await world.cardToken());
  expect(refusal(refused)).toEqual([429, "Too many requests"]);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  // Declines are counted for each link and address.
  await setUp(await world.recurringLink(merchant));
});

test("the card of a cancelled subscription is deleted when no amount is owed", async () => {
  const id = await world.subscription(business);
  expect(await methods().countDocuments({ subscriptionId: id })).toBe(1);
  dataOf(await world.toSubscription(business, id, "cancel", { at: "now" }), 200);
  const forgotten = async () => (await methods().countDocuments({ subscriptionId: id })) === 0;
  await until(forgotten, { awaited: "the deletion of the card" });
});

describe("concurrent set-ups", () => {
  test("with one key are one subscription, and all answers are equal", async () => {
    const link = await world.recurringLink(business);
    const card = await world.cardToken();
    const headers = keyed();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => world.setup(link, card, {}, headers)),
    );
    const [first] = answers.map((answer) => dataOf(answer, 200));
    for (const answer of answers) expect(dataOf(answer, 200)).toEqual(first);
    const stored = await subscriptions().find({ linkId: link.id }).toArray();
    expect(stored.map(({ _id }) => _id)).toEqual([first.subscriptionId]);
    const { methodId } = stored[0] as Subscription;
    expect(await methods().countDocuments({ subscriptionId: first.subscriptionId })).toBe(1);
    expect(await methods().findOne({ _id: methodId })).not.toBeNull();
    // The cards of the losers are deleted.
    const named = await subscriptions().distinct("_id");
    expect(await methods().countDocuments({ subscriptionId: { $nin: named } })).toBe(0);
  });

  test("with another body under the same key are refused, but only at the same link", async () => {
    const [link, other] = [
      await world.recurringLink(business),
      await world.recurringLink(business),
    ];
    const card = await world.cardToken();
    const headers = keyed();
    const first = dataOf(await world.setup(link, card, {}, headers), 200);
    const customer = { ...paymentBody("").customer, firstName: "Grace" };
    const reused = await world.setup(link, card, { customer }, headers);
    expect(refusal(reused)).toEqual([422, "The Idempotency-Key was used with another body"]);
    const elsewhere = dataOf(await world.setup(other, card, {}, headers), 200);
    expect(elsewhere.subscriptionId).not.toBe(first.subscriptionId);
  });

  test("without a key are separate subscriptions of an open link", async () => {
    const link = await world.recurringLink(business);
    const card = await world.cardToken();
    const answers = await Promise.all([1, 2, 3].map(() => world.setup(link, card)));
    const ids = answers.map((answer) => dataOf(answer, 200).subscriptionId);
    expect(new Set(ids).size).toBe(3);
    expect((await viewOf(link)).status).toBe("ACTIVE");
  });

  test("of two customers of a closed link are one subscription", async () => {
    const link = await world.recurringLink(business, { isOpenLink: false });
    const cards = await Promise.all([world.cardToken(), world.cardToken("0005")]);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => {
        return world.setup(link, cards[i % 2] as string, {}, keyed());
      }),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect(await subscriptions().countDocuments({ linkId: link.id })).toBe(1);
    expect((await viewOf(link)).status).toBe("USED");
    const { token } = business;
    const path = `/v1/business/${business.id}/payment-links/${link.id}`;
    const shown = dataOf(await world.http.get(path, { token }), 200);
    expect(shown).toMatchObject({ status: "USED", application: { valid: false } });
  });

  test("with the key that used a closed link return the same answer again", async () => {
    const link = await world.recurringLink(business, { isOpenLink: false });
    const card = await world.cardToken();
    const headers = keyed();
    const first = dataOf(await world.setup(link, card, {}, headers), 200);
    expect(dataOf(await world.setup(link, card, {}, headers), 200)).toEqual(first);
    expect((await world.setup(link, card, {}, keyed())).status).toBe(409);
  });
});

describe("the public view of a recurring link", () => {
  test("shows the price, that no amount is due now, and the date of the first charge", async () => {
    const link = await world.recurringLink(business, {
      customerPays: true,
      cartItems: [{ name: "Tulips", description: "A dozen, red", qty: 2, price: 12.5 }],
    });
    expect(await viewOf(link)).toMatchObject({
      items: [{ qty: 2, price: "12.50", total: "25.00" }],
      purpose: "subscribe",
      checkoutType: "recurring",
      recurring: chargeBody(),
      amount: "25.00",
      dueNow: "0.00",
      firstChargeAt: "2030-01-01T00:00:00.000Z",
      status: "ACTIVE",
    });
    const used = await world.recurringLink(business, { recurringCharge: { type: "consumption" } });
    expect(await viewOf(used)).toMatchObject({
      dueNow: "0.00",
      firstChargeAt: "2030-02-01T00:00:00.000Z",
    });
  });

  test("shows the amount that is due at once if billing has begun", async () => {
    const late = await world.business();
    const plans = ["subscription", "seating", "consumption"];
    const links = await Promise.all(
      plans.map((type) => world.recurringLink(late, { recurringCharge: { type } })),
    );
    await world.testClock(late, "2030-01-31T00:00:00.000Z");
    const views = await Promise.all(links.map(viewOf));
    expect(views.map(({ dueNow, firstChargeAt }) => [dueNow, firstChargeAt])).toEqual([
      ["25.00", null],
      ["15.00", null],
      ["0.00", "2030-02-28T00:00:00.000Z"],
    ]);
  });

  test.each([
    ["subscription", "2030-01-01"],
    ["seating", "2030-01-01"],
    ["consumption", "2030-02-01"],
  ])(
    "shows the sum, the fee and the date of the first charge that is made: %s",
    async (type, day) => {
      const merchant = await world.business();
      const link = await world.recurringLink(merchant, {
        customerPays: true,
        recurringCharge: { type },
      });
      const { firstCharge, firstChargeAt } = await viewOf(link);
      expect(firstChargeAt).toBe(`${day}T00:00:00.000Z`);
      const id = dataOf(await world.setup(link, await world.cardToken()), 200).subscriptionId;
      await world.testClock(merchant, firstChargeAt);
      const [invoice, ...others] = await world.ofSubscription(merchant, id, "/invoices");
      expect(others).toEqual([]);
      const { nextInvoiceAt } = await world.ofSubscription(merchant, id);
      const payments = `/v1/business/${merchant.id}/payments?limit=1`;
      const [payment] = dataOf(await world.http.get(payments, { token: merchant.token }), 200);
      expect(invoice).toMatchObject({ status: "paid", charged: firstCharge.amount });
      const { amount, fees } = payment;
      expect(firstCharge).toEqual({ amount, fees, nextAt: nextInvoiceAt });
    },
  );
});

describe("a payment-method link", () => {
  test("changes the card once and requests no other data", async () => {
    const link = await world.recurringLink(business);
    const id = await setUp(link);
    const answer = await world.toSubscription(business, id, "payment-method-link");
    const { url, expiredAt } = dataOf(answer, 201);
    expect(url.startsWith(`${world.config.publicUrl}/pay/page/`)).toBe(true);
    const leftMs = Date.parse(expiredAt) - Date.now();
    expect(Math.abs(leftMs - DAY_MS)).toBeLessThan(60_000);

    const token = url.split("/").at(-1) as string;
    expect(await viewOf({ token })).toMatchObject({
      purpose: "change_method",
      status: "ACTIVE",
      fields: [],
      dueNow: "0.00",
      firstChargeAt: null,
    });
    const card = await world.cardToken("1881");
    const headers = keyed();
    const first = dataOf(await world.setup({ token }, card, CARD_ONLY, headers), 200);
    expect(first).toEqual({ subscriptionId: id, status: "trialing" });
    expect(dataOf(await world.setup({ token }, card, CARD_ONLY, headers), 200)).toEqual(first);
    const reused = await world.setup({ token }, await world.cardToken(), CARD_ONLY, headers);
    expect(reused.status).toBe(422);
    const again = await world.setup({ token }, card, CARD_ONLY, keyed());
    expect(refusal(again)).toEqual([409, "The payment link cannot be paid"]);
    expect((await viewOf({ token })).status).toBe("USED");
    expect(await world.ofSubscription(business, id)).toMatchObject({
      card: { last4: "1881" },
      customer: paymentBody("").customer,
    });
  });

  test("is used by one of several concurrent requests", async () => {
    const id = await world.subscription(business);
    const link = await methodLink(business, id);
    const cards = await Promise.all(["0007", "0008", "0009", "0010"].map(world.cardToken));
    const answers = await Promise.all(
      cards.map((card) => world.setup(link, card, CARD_ONLY, keyed())),
    );
    const isIn = answers.map(({ status }) => status === 200);
    expect(isIn.filter(Boolean)).toHaveLength(1);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const { card } = await world.ofSubscription(business, id);
    expect(card.last4).toBe(["0007", "0008", "0009", "0010"][isIn.indexOf(true)]);
    // The first card and the one that replaced it.
    expect(await methods().countDocuments({ subscriptionId: id })).toBe(2);
  });

  test("ends when the next link is made, and not before", async () => {
    const id = await world.subscription(business);
    const [first, second] = [await methodLink(business, id), await methodLink(business, id)];
    const card = await world.cardToken();
    expect((await world.setup(first, card, CARD_ONLY)).status).toBe(404);
    expect((await world.http.get(`/v1/checkout/${first.token}`)).status).toBe(404);
    expect((await world.setup(second, card, CARD_ONLY)).status).toBe(200);
  });

  test("is refused for a cancelled, another business's or an unknown subscription", async () => {
    const id = await world.subscription(business);
    const link = await methodLink(business, id);
    dataOf(await world.toSubscription(business, id, "cancel", { at: "now" }), 200);
    const cancelled = await world.toSubscription(business, id, "payment-method-link");
    expect(refusal(cancelled)).toEqual([409, "The subscription is cancelled"]);
    expect((await viewOf(link)).status).toBe("DISABLED");
    const card = await world.cardToken();
    expect((await world.setup(link, card, CARD_ONLY)).status).toBe(409);
    const other = await world.business();
    for (const each of [id, randomUUID()]) {
      const answer = await world.toSubscription(other, each, "payment-method-link");
      expect(refusal(answer)).toEqual([404, "Subscription not found"]);
    }
  });

  test("shows the unpaid amount, and a saved card is charged with it at once", async () => {
    const merchant = await world.business();
    const id = await world.subscription(merchant, {}, "0341");
    await world.testClock(merchant, "2030-01-01T00:00:00.000Z");
    const failed = await world.ofSubscription(merchant, id);
    expect(failed.status).toBe("past_due");
    const link = await methodLink(merchant, id);
    expect((await viewOf(link)).dueNow).toBe("25.00");

    const answer = await world.setup(link, await world.cardToken(), CARD_ONLY, keyed());
    expect(dataOf(answer, 200)).toEqual({ subscriptionId: id, status: "active" });
    const paid = await world.ofSubscription(merchant, id, `/invoices/${failed.openInvoiceId}`);
    expect(paid).toMatchObject({ status: "paid", total: "25.00", charged: "25.00" });
    expect(paid.attempts.map(({ status }: { status: string }) => status)).toEqual([
      "FAILED",
      "SUCCEEDED",
    ]);
    expect((await world.ofSubscription(merchant, id)).openInvoiceId).toBeNull();
  });
});

describe("a card that is saved during a charge of another card", () => {
  test("is charged as soon as the other one is declined", async () => {
    const merchant = await world.business();
    const id = await world.subscription(merchant, {}, "0341");
    const link = await methodLink(merchant, id);
    const card = await world.cardToken();
    holds = deferred();
    const run = world.testClock(merchant, "2030-01-01T00:00:00.000Z");
    const declined = { "renewal.subscriptionId": id, status: "FAILED" };
    await until(() => books.collection("payments").findOne(declined));
    const set = world.setup(link, card, CARD_ONLY);
    await until(async () => (await viewOf(link)).status === "USED");
    holds.release();
    holds = null;
    await run;
    expect((await set).status).toBe(200);
    const [invoice] = await world.ofSubscription(merchant, id, "/invoices");
    expect(invoice).toMatchObject({ status: "paid", paidAt: "2030-01-01T00:00:00.000Z" });
    expect(invoice.attempts).toHaveLength(2);
  });
});

describe("after a day", () => {
  afterEach(() => {
    aheadMs = 0;
  });

  /** Calls the action directly, because the gateway's clock does not jump. */
  const setUpWith = (link: { token: string }, card: string, idempotencyKey: string) =>
    world.call("payment-links.setup", {
      token: link.token,
      address: "192.0.2.1",
      idempotencyKey,
      ...(paymentBody(card) as Pick<Params<"payment-links.setup">, "customer" | "paymentMethod">),
    });

  test("a key is free again, and a payment-method link has expired", async () => {
    const link = await world.recurringLink(business);
    const [card, key] = [await world.cardToken(), randomUUID()];
    const first = await setUpWith(link, card, key);
    const made = await world.toSubscription(business, first.subscriptionId, "payment-method-link");
    const token = dataOf(made, 201).url.split("/").at(-1) as string;
    // A driver that runs while the clock jumps would store a wrong time.
    const rests = { _id: first.subscriptionId, nextAttemptAt: { $gt: Date.now() + DAY_MS } };
    await until(() => subscriptions().findOne(rests), { awaited: "the idle state of the driver" });
    aheadMs = DAY_MS - 60_000;
    expect(await setUpWith(link, card, key)).toEqual(first);
    aheadMs = DAY_MS + 1;
    // The vault forgets a card after a day.
    const next = await setUpWith(link, await world.cardToken(), key);
    expect(next.subscriptionId).not.toBe(first.subscriptionId);
    const late = setUpWith({ token }, card, randomUUID());
    await expect(late).rejects.toMatchObject({ type: "LINK_NOT_PAYABLE" });
  });

  test("a payment-method link is shown as expired", async () => {
    const id = await world.subscription(business);
    const link = await methodLink(business, id);
    const past = { $set: { "methodLink.expiresAt": Date.now() - 1 } };
    await subscriptions().updateOne({ _id: id }, past);
    expect((await viewOf(link)).status).toBe("EXPIRED");
  });
});
