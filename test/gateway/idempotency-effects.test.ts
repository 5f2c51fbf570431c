// A repeated key never moves money twice, changes seats twice or makes another secret
// (docs/integrate/rest-api.md, Idempotency keys).

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import { type Keyed, openKeyed } from "../support/keyed.ts";
import { until } from "../support/system.ts";
import { dataOf, linkBody, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
let keyed: Keyed;
let connection: mongoose.Connection;

beforeAll(async () => {
  // The lost answers are errors of the log.
  world = await startWorld({ environment: { LOG_LEVEL: "fatal" } });
  keyed = await openKeyed(world);
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});
afterAll(async () => {
  await connection?.close();
  await keyed?.close();
  await world?.stop();
});

/** Posts for a business below its path. */
function post(business: TestBusiness, path: string, key: string, body: object = {}) {
  const options = { token: business.token, headers: { "idempotency-key": key } };
  return world.http.post(`/v1/business/${business.id}/${path}`, body, options);
}

/** Sends a request of which no answer is stored. */
async function loseAnswer(ask: () => Promise<{ status: number }>): Promise<void> {
  await keyed.loseAnswers();
  expect((await ask()).status).toBe(500);
  await keyed.keepAnswers();
  await keyed.passLeases();
}

describe("money", () => {
  afterEach(() => world.verifyBooks());

  test("ten fundings with one key credit once", async () => {
    const { business, wallet } = await world.payer();
    const fund = () =>
      post(business, `wallets/${wallet.id}/fund`, "fund", { amount: 10, reference: "once" });
    const answers = await Promise.all(Array.from({ length: 10 }, fund));
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect((await fund()).status).toBe(201);
    expect(await world.balance(business, wallet)).toBe("10.00");
  });

  test("a transfer and a refund with lost answers move money once", async () => {
    const business = await world.business();
    const wallet = await world.wallet(business, business);
    const link = await world.paymentLink(business, { customerPays: false });
    const { id: payment } = dataOf(await world.pay(link, await world.cardToken()), 200);
    const account = { id: await world.collectionAccount(business) };
    const refund = () =>
      post(business, `payments/${payment}/refunds`, "key", { amount: 5, reference: "refund" });
    const transfer = () =>
      post(business, `collection-accounts/${account.id}/transfers`, "key", {
        walletId: wallet.id,
        amount: 7,
        reference: "transfer",
      });
    await loseAnswer(refund);
    await loseAnswer(transfer);
    for (const ask of [refund, transfer]) {
      const first = await ask();
      expect([first.status, (await ask()).text]).toEqual([201, first.text]);
    }
    expect(await world.balance(business, wallet)).toBe("7.00");
  });

  test("a key holds beside the reference: each refuses another request", async () => {
    const { business, wallet } = await world.payer();
    const fund = (key: string, body: object) =>
      post(business, `wallets/${wallet.id}/fund`, key, body);
    const first = await fund("one", { amount: 10, reference: "r" });
    expect((await fund("one", { amount: 11, reference: "r2" })).status).toBe(422);
    expect((await fund("two", { amount: 11, reference: "r" })).status).toBe(409);
    expect((await fund("three", { amount: 10, reference: "r" })).body).toEqual(first.body);
    expect(await world.balance(business, wallet)).toBe("10.00");
  });
});

test("a payout that was resolved before its answer was lost is resolved once", async () => {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet, "0009");
  const { id } = dataOf(await world.withdraw(user, bank), 200);
  // Flagged, as after a day without an answer, and left alone by its driver.
  const payouts = connection.collection<{ _id: string }>("payouts");
  const isAsked = { _id: id, unknownSince: { $exists: true } };
  const flag = { needsAttention: true, nextAttemptAt: Date.now() + 3_600_000 };
  await until(() => payouts.findOneAndUpdate(isAsked, { $set: flag, $unset: { stepAt: "" } }));
  const admin = world.tokens.admin(randomUUID());
  const resolve = (key: string) =>
    world.http.post(
      `/v1/admin/transactions/${id}/resolve`,
      { outcome: "SUCCESS", note: "Asked the bank" },
      { token: admin, headers: { "idempotency-key": key } },
    );
  await loseAnswer(() => resolve("key"));
  const first = await resolve("key");
  expect([first.status, first.body.data.status]).toEqual([200, "SUCCESS"]);
  expect((await resolve("key")).text).toBe(first.text);
  expect((await resolve("another")).status).toBe(409);
  await world.verifyBooks();
});

describe("a key that came with a transaction's id", () => {
  const note = "Asked the bank";
  const resolve = { outcome: "SUCCESS", note };
  let business: TestBusiness;
  /** The ids of a payment, of a payout, and of nothing. */
  const ids: Record<string, string> = { nothing: randomUUID() };

  beforeAll(async () => {
    const payer = await world.payer(100);
    ({ business } = payer);
    const bank = await world.bank(business, payer.wallet, "0009");
    ids.payout = dataOf(await world.withdraw(payer.user, bank, { routingType: "WIRE" }), 200).id;
    const link = await world.paymentLink(business, { customerPays: false });
    ids.payment = dataOf(await world.pay(link, await world.cardToken()), 200).id;
  });

  test.each<[string, (id: string) => string, object, boolean]>([
    ["resolve", (id) => `/v1/admin/transactions/${id}/resolve`, resolve, true],
    ["retry", (id) => `/v1/admin/transactions/${id}/retry`, { note }, true],
    [
      "cancel by an operator",
      (id) => `/v1/admin/businesses/${business.id}/transactions/${id}/cancel`,
      { note },
      true,
    ],
    ["cancel", (id) => `/v1/transactions/${id}/cancel`, {}, false],
  ])("does nothing to another transaction: %s", async (_name, path, body, isAdmins) => {
    const token = isAdmins ? world.tokens.admin(randomUUID()) : business.token;
    const payouts = connection.collection<{ _id: string; status?: string }>("payouts");
    const statusOf = async () => (await payouts.findOne({ _id: ids.payout }))?.status;
    const before = await statusOf();
    for (const [first, second] of [
      ["payment", "payout"],
      ["nothing", "payout"],
      ["payment", "nothing"],
    ]) {
      const options = { token, headers: { "idempotency-key": randomUUID() } };
      const ask = (what = "") => world.http.post(path(ids[what] as string), body, options);
      const given = await ask(first);
      const { status, body: refused } = await ask(second);
      expect([first, status, refused.message]).toEqual([
        first,
        422,
        "The Idempotency-Key was used with another body",
      ]);
      const again = await ask(first);
      expect([first, again.status]).toEqual([first, given.status]);
    }
    expect(await statusOf()).toBe(before);
  });
});

describe("subscriptions", () => {
  const seatDetails = { baseFee: 10, costPerSeat: 5, newSeatBillingType: "immediate" };
  const recurringCharge = { type: "seating", seatDetails };
  afterEach(() => world.verifyBooks());

  test("seats with a lost answer are charged once, and stay as a later request set them", async () => {
    const business = await world.business();
    const id = await world.subscription(business, { recurringCharge });
    await world.testClock(business, "2030-01-11");
    const seats = (key: string, count: number) =>
      post(business, `subscriptions/${id}/seats`, key, { seats: count });
    await loseAnswer(() => seats("more", 5));
    expect((await seats("less", 2)).status).toBe(200);
    const again = await seats("more", 5);
    expect([again.status, again.body.data.seats]).toEqual([200, 2]);
    expect((await seats("more", 5)).text).toBe(again.text);
    const invoices = await world.ofSubscription(business, id, "/invoices");
    expect(invoices).toHaveLength(2);
  });

  test.each(["now", "period_end"])("a cancel (%s) with a lost answer gives it", async (at) => {
    const business = await world.business();
    const id = await world.subscription(business, { recurringCharge });
    await world.testClock(business, "2030-01-11");
    const cancel = (key: string) => post(business, `subscriptions/${id}/cancel`, key, { at });
    await loseAnswer(() => cancel("key"));
    await world.testClock(business, "2030-02-11");
    const again = await cancel("key");
    expect([again.status, again.body.data.status]).toEqual([200, "cancelled"]);
    expect((await cancel("key")).text).toBe(again.text);
    expect((await cancel("another")).status).toBe(409);
  });

  test("the link of a payment method is used once, also after its answer was lost", async () => {
    const business = await world.business();
    const id = await world.subscription(business, { recurringCharge });
    const create = () => post(business, `subscriptions/${id}/payment-method-link`, "key");
    await loseAnswer(create);
    const { url } = dataOf(await create(), 201);
    const token = url.split("/").at(-1);
    expect(dataOf(await create(), 201).url).toBe(url);
    dataOf(await world.setup({ token }, await world.cardToken()), 200);
    expect((await world.setup({ token }, await world.cardToken())).status).toBe(409);
  });
});

describe("secrets", () => {
  /** Requests whose answers show a secret, and the secret. */
  const showing: [string, (world: World) => Promise<() => Promise<string>>][] = [
    [
      "a client's",
      async () => {
        const business = await world.business();
        return async () => dataOf(await post(business, "api-clients", "key"), 201).clientSecret;
      },
    ],
    [
      "a rotated client's",
      async () => {
        const business = await world.business();
        const path = `api-clients/${business.clientId}/rotate-secret`;
        return async () => dataOf(await post(business, path, "key"), 200).clientSecret;
      },
    ],
    [
      "an application token's",
      async () => {
        const { business, user } = await world.payer();
        const body = { tokenType: "ACCOUNT", entityId: user.id, currency: "USD" };
        return async () =>
          dataOf(await post(business, "application-tokens", "key", body), 201).token;
      },
    ],
    [
      "a payment link's",
      async () => {
        const business = await world.business();
        await world.collectionAccount(business);
        const { token } = business;
        const options = { token, headers: { "idempotency-key": "key" } };
        const path = "/v1/ext/collections/payment-link";
        const advancedConfig = { websiteUrl: "http://127.0.0.1:9", webhookPath: "/hooks" };
        const body = linkBody({ advancedConfig });
        return async () =>
          dataOf(await world.http.post(path, body, options), 200).application.token;
      },
    ],
    [
      "a webhook's",
      async () => {
        const business = await world.business();
        const body = { url: "http://127.0.0.1:9/" };
        return async () => dataOf(await post(business, "webhooks", "key", body), 201).secret;
      },
    ],
  ];

  test.each(showing)("%s secret is shown again for its key alone", async (_name, arrange) => {
    const ask = await arrange(world);
    const [first, again] = [await ask(), await ask()];
    expect([typeof first, again]).toEqual(["string", first]);
    const stored = JSON.stringify(await keyed.all());
    expect(stored).not.toContain(first);
    // The database removes the records after a day.
    await keyed.forget();
    expect(await ask()).not.toBe(first);
  });

  test.each(showing)(
    "%s secret is the one that works after a lost answer",
    async (_name, arrange) => {
      const ask = await arrange(world);
      await keyed.loseAnswers();
      await expect(ask()).rejects.toThrow("500");
      await keyed.keepAnswers();
      await keyed.passLeases();
      const secret = await ask();
      expect(await ask()).toBe(secret);
    },
  );

  test("a client's secret opens it after a lost answer", async () => {
    const business = await world.business();
    const create = () => post(business, "api-clients", "key");
    await loseAnswer(create);
    const { id, clientSecret } = dataOf(await create(), 201);
    const body = {
      grant_type: "client_credentials",
      client_id: id,
      client_secret: clientSecret,
    };
    expect((await world.http.post("/v1/oauth/token", body)).status).toBe(200);
  });

  test("a rotation with a lost answer keeps the secret with which the merchant verifies", async () => {
    const business = await world.business();
    const hook = await world.hook(business);
    const rotate = () => post(business, `webhooks/${hook.id}/rotate-secret`, "key");
    await loseAnswer(rotate);
    const first = await rotate();
    expect((await rotate()).text).toBe(first.text);
    const endpoints = connection.collection<{ _id: string; secrets: object[] }>(
      "webhook_endpoints",
    );
    const { secrets } = (await endpoints.findOne({ _id: hook.id })) ?? {};
    expect(secrets).toHaveLength(2);
    expect(secrets?.[1]).not.toHaveProperty("request");
  });
});

test("the same request runs again at once after a 500", async () => {
  const business = await world.business();
  const create = () => post(business, "api-clients", randomKey);
  const randomKey = randomUUID();
  const db = connection.db;
  const refuse = (validator: object) => db?.command({ collMod: "api_clients", validator });
  await refuse({ name: "nobody" });
  expect((await create()).status).toBe(500);
  await refuse({});
  const first = await create();
  expect([first.status, (await create()).text]).toEqual([201, first.text]);
});
