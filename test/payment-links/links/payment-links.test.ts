// Payment links (docs/integrate/rest-api.md, Payment links): a link is created with its defaults
// for the caller's business, shown to that business alone, disabled, expired. Also the public view
// of its checkout, and its tokens, which have their own type.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import { Webhook } from "standardwebhooks";
import type { PaymentLink } from "../../../services/payment-links/links/link.model.ts";
import { linkStatus } from "../../../services/payment-links/links/links.ts";
import { newId, readUuid } from "../../../shared/ids.ts";
import { type Received, startReceiver } from "../../support/receiver.ts";
import { refusal } from "../../support/refusal.ts";
import { until } from "../../support/system.ts";
import {
  dataOf,
  linkBody,
  startWorld,
  type TestBusiness,
  type World,
} from "../../support/world.ts";

const CREATE = "/v1/ext/collections/payment-link";
const DAY_MS = 86_400_000;

let world: World;
let business: TestBusiness;
let stored: mongoose.mongo.Collection<PaymentLink>;
let connection: mongoose.Connection;

beforeAll(async () => {
  world = await startWorld({ environment: { PUBLIC_URL: "https://pay.example.com/" } });
  business = await world.business();
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  stored = connection.getClient().db(connection.name).collection("payment_links");
  await world.collectionAccount(business);
});
afterAll(async () => {
  await connection?.close();
  await world?.stop();
});

const create = (fields: Record<string, unknown> = {}, token = business.token) =>
  world.http.post(CREATE, linkBody(fields), { token });
const links = (of: TestBusiness = business) => `/v1/business/${of.id}/payment-links`;
const show = async (id: string) =>
  dataOf(await world.http.get(`${links()}/${id}`, { token: business.token }), 200);
const view = async (token: string) => dataOf(await world.http.get(`/v1/checkout/${token}`), 200);
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

describe("creation", () => {
  test("a new link has its URL, its application token and every default", async () => {
    const { url, application } = dataOf(await create(), 200);
    const { id, token } = application;
    expect(readUuid(id)).toBe(id);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(url).toBe(`https://pay.example.com/pay/page/${token}`);
    expect(application).toMatchObject({ tokenType: "PAYMENT_LINK", valid: true });
    const inAYear = new Date();
    inAYear.setUTCFullYear(inAYear.getUTCFullYear() + 1);
    const lateByMs = inAYear.getTime() - Date.parse(application.expiredAt);
    expect(Math.abs(lateByMs)).toBeLessThan(60_000);
    expect(await show(id)).toEqual({
      id,
      url,
      application,
      status: "ACTIVE",
      currency: "USD",
      name: "page",
      amount: 25,
      customUrlPath: "page",
      expiredAt: application.expiredAt,
      checkoutType: "generic",
      isOpenLink: true,
      customerPays: true,
      dataCollections: [],
      customFields: [],
      acceptedPaymentOptions: ["card"],
      notifyPayee: false,
      itemDeliveryAddress: "1 Main St, New York",
      cartItems: [{ name: "Tulips", description: "A dozen, red" }],
      unsupportedPaymentOptions: [],
      payments: 0,
      createdAt: expect.any(String),
    });
  });

  test("a link keeps every field of its request, and no other", async () => {
    const asked = {
      ...linkBody(),
      name: "Spring sale",
      customUrlPath: "spring-sale",
      redirectTo: "https://shop.example.com/thanks?a=1",
      expiredAt: inDays(30),
      checkoutType: "ecommerce",
      isOpenLink: false,
      customerPays: false,
      orderId: "order-1",
      dataCollections: ["Company"],
      customFields: ["Gift note", "Size"],
      acceptedPaymentOptions: ["card", "bank"],
      notifyPayee: true,
      agent: { type: "sales", email: "agent@example.com", name: "Grace", "desk.no": "7" },
      brandingConfig: { logo: "https://shop.example.com/l.png", primaryColor: "#1a2b3c" },
      customData: { "a.b": "<b>", empty: "", toString: "x", ключ: "значение" },
      cartItems: [
        { name: "Tulips", description: "Red", qty: 1.5, price: 0.01, currency: "USD" },
        {
          name: "Vase",
          description: "Blue",
          productId: "v-1",
          imageUrl: "https://a.example.com/v.png",
        },
      ],
      externalId: "external-1",
    };
    const inner = { cartItems: asked.cartItems.map((item) => ({ ...item, margin: 3 })) };
    const more = { isPaid: true, status: "USED", businessId: randomUUID(), totalMinor: 1 };
    const { application } = dataOf(await create({ ...asked, ...inner, ...more }), 200);
    const shown = await show(application.id);
    expect(shown).toMatchObject(asked);
    const state = { status: 0, application: 0, payments: 0, unsupportedPaymentOptions: 0 };
    const its = { id: 0, url: 0, createdAt: 0, ...state };
    expect(Object.keys(shown).toSorted()).toEqual(Object.keys({ ...asked, ...its }).toSorted());
    expect(shown.cartItems).toEqual(asked.cartItems);
    const document = JSON.stringify(await stored.findOne({ _id: application.id }));
    for (const name of ["margin", "isPaid", '"status"', "USED"]) {
      expect(document).not.toContain(name);
    }
  });

  test.each([{}, { name: "Grace" }, { email: "a@example.com" }, { type: "x" }, { desk: "7" }])(
    "an agent needs none of its fields: %j",
    async (agent) => {
      const { application } = dataOf(await create({ agent }), 200);
      expect((await show(application.id)).agent).toEqual(agent);
    },
  );

  test("recurring links of every type are stored completely", async () => {
    const charge = { startDate: inDays(14), interval: { type: "month", count: 3 } };
    const charges = [
      { ...charge, type: "subscription", productId: "gold" },
      {
        ...charge,
        type: "consumption",
        consumptionDetails: { unit: "call", costPerUnit: 0.000_001, minimumUnits: 10, baseFee: 5 },
      },
      {
        ...charge,
        type: "seating",
        seatDetails: { baseFee: 0, costPerSeat: 7.5, newSeatBillingType: "prorate" },
      },
    ];
    for (const recurringCharge of charges) {
      const isCharged = recurringCharge.type === "subscription";
      const amount = isCharged ? 25 : 0.3;
      const fields = { checkoutType: "recurring", recurringCharge, amount };
      const { application } = dataOf(await create(fields), 200);
      expect(await show(application.id)).toMatchObject({ ...fields, status: "ACTIVE" });
      const shown = await view(application.token);
      expect(shown).toMatchObject({
        checkoutType: "recurring",
        status: "ACTIVE",
        total: isCharged ? "26.06" : "0.00",
      });
    }
    const [, consumption] = charges;
    const fields = { checkoutType: "recurring", recurringCharge: consumption, amount: undefined };
    const { application } = dataOf(await create(fields), 200);
    expect(await show(application.id)).not.toHaveProperty("amount");
  });

  test("the default redirect is the operator's, if it is configured", async () => {
    const { application } = dataOf(await create(), 200);
    expect((await view(application.token)).redirectTo).toBeNull();
    const DEFAULT_REDIRECT_URL = "https://operator.example.com/done";
    const other = await startWorld({ environment: { DEFAULT_REDIRECT_URL } });
    const { token } = await other.paymentLink(await other.business());
    const shown = dataOf(await other.http.get(`/v1/checkout/${token}`), 200);
    expect(shown.redirectTo).toBe(DEFAULT_REDIRECT_URL);
    await other.stop();
  });
});

describe("the owner of a link", () => {
  test("a merchant acts for its own business, a user for the business of the user", async () => {
    const user = await world.user(business);
    const { application } = dataOf(await create({}, user.token), 200);
    expect((await show(application.id)).status).toBe("ACTIVE");
    expect(await stored.findOne({ _id: application.id })).toMatchObject({
      businessId: business.id,
      createdBy: user.id,
    });
  });

  test("a business without a collection account in the currency cannot create a link", async () => {
    const other = await world.business();
    const user = await world.user(other);
    const before = await stored.countDocuments();
    const unknownUser = world.tokens.user(randomUUID());
    const noMerchant = world.tokens.merchant(randomUUID());
    for (const token of [other.token, user.token, unknownUser, noMerchant]) {
      const { status, body } = await create({}, token);
      expect([status, body]).toEqual([
        400,
        refusal("No collection account for the business and currency"),
      ]);
    }
    await world.collectionAccount(other, 0, "EUR");
    expect((await create({}, other.token)).status).toBe(400);
    expect((await create({ currency: "EUR" }, other.token)).status).toBe(200);
    expect(await stored.countDocuments()).toBe(before + 1);
  });

  test("a wrong request is reported before a missing collection account", async () => {
    const other = await world.business();
    const { status, body } = await create({ amount: 0.1 }, other.token);
    expect([status, body.message]).toEqual([400, expect.stringContaining("amount must be")]);
  });

  test("another business cannot see, list or disable a link", async () => {
    const other = await world.business();
    const { application } = dataOf(await create(), 200);
    const { token } = other;
    for (const path of [`${links(other)}/${application.id}`, `${links(other)}/${randomUUID()}`]) {
      expect((await world.http.get(path, { token })).status).toBe(404);
      expect((await world.http.post(`${path}/disable`, {}, { token })).status).toBe(404);
    }
    expect((await world.http.get(links(other), { token })).body.data).toEqual([]);
    expect((await show(application.id)).status).toBe("ACTIVE");
  });
});

describe("the webhook of a link", () => {
  const advanced = {
    websiteUrl: "https://shop.example.com/shop",
    webhookPath: "/hooks/payrail?a=1",
  };
  const webhookSecret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  const webhooks = async () =>
    dataOf(
      await world.http.get(`/v1/business/${business.id}/webhooks`, { token: business.token }),
      200,
    );

  test("is listed among the endpoints, and its secret is never shown or stored", async () => {
    const advancedConfig = { ...advanced, webhookSecret };
    const { application } = dataOf(await create({ advancedConfig }), 200);
    const urls = (await webhooks()).map(({ url }: { url: string }) => url);
    expect(urls).toContain("https://shop.example.com/hooks/payrail?a=1");
    expect((await show(application.id)).advancedConfig).toEqual(advanced);
    const document = await stored.findOne({ _id: application.id });
    expect(JSON.stringify(document)).not.toContain(webhookSecret);
  });

  test("receives the link's payments, signed with the secret of the request", async () => {
    const receiver = await startReceiver();
    const { origin } = new URL(receiver.url());
    const advancedConfig = { websiteUrl: `${origin}/shop`, webhookPath: "/paid", webhookSecret };
    const link = await world.paymentLink(business, { advancedConfig, orderId: "order-9" });
    const other = await world.paymentLink(business);
    const card = await world.cardToken();
    for (const each of [other, link]) dataOf(await world.pay(each, card), 200);
    await until(() => receiver.accepted.length > 0, { awaited: "the link's webhook" });
    const [{ path, body, headers, event }] = receiver.requests as [Received];
    expect(path).toBe("/paid");
    expect(new Webhook(webhookSecret).verify(body, headers as Record<string, string>)).toEqual(
      event,
    );
    expect(event).toMatchObject({
      eventType: "COLLECTION",
      status: "SUCCEEDED",
      payload: { paymentLinkId: link.id, orderId: "order-9", amount: 26.06, net: "25.00" },
    });
    // An event of the other link's payment would be the first.
    expect(receiver.requests).toHaveLength(1);
    await receiver.stop();
  });

  test("a forbidden address is refused and nothing is stored", async () => {
    const production = await startWorld({ environment: { WEBHOOK_ALLOW_PRIVATE: "false" } });
    const merchant = await production.business();
    await production.paymentLink(merchant);
    const websites = ["http://shop.example.com", "https://10.0.0.1", "https://localhost"];
    for (const websiteUrl of websites) {
      const body = linkBody({ advancedConfig: { ...advanced, websiteUrl } });
      const answer = await production.http.post(CREATE, body, { token: merchant.token });
      const message = expect.stringMatching(/websiteUrl and webhookPath must make/);
      expect([websiteUrl, answer.status, answer.body.message]).toEqual([websiteUrl, 400, message]);
    }
    const { token } = merchant;
    const list = await production.http.get(`/v1/business/${merchant.id}/payment-links`, { token });
    expect(list.body.data).toHaveLength(1);
    await production.stop();
  });
});

describe("lists", () => {
  test("the links of the business are listed in pages, oldest first, in a short form", async () => {
    const merchant = await world.business();
    const made = [];
    for (let i = 0; i < 5; i++) {
      made.push(
        await world.paymentLink(merchant, { orderId: `order-${i}`, customData: { a: "b" } }),
      );
    }
    const page = (query: string) =>
      world.http.get(`${links(merchant)}${query}`, { token: merchant.token });
    const [first, last] = [await page("?limit=2"), await page("?limit=2&page=3")];
    const ids = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);
    expect(ids(first)).toEqual(made.slice(0, 2).map(({ id }) => id));
    expect(ids(last)).toEqual(made.slice(4).map(({ id }) => id));
    expect(first.body.meta).toEqual({ page: 1, pageSize: 2, pageCount: 3, total: 5 });
    const [item] = last.body.data;
    const { url, token } = made[4] as (typeof made)[number];
    expect(item).toMatchObject({ url, orderId: "order-4", amount: 25, status: "ACTIVE" });
    expect(item.application).toMatchObject({ token, valid: true });
    for (const name of ["cartItems", "customData", "itemDeliveryAddress"]) {
      expect(item).not.toHaveProperty(name);
    }
  });

  test("a search finds links by a part of their name, order or external id", async () => {
    const merchant = await world.business();
    const other = await world.business();
    await world.paymentLink(other, { name: "Spring sale" });
    const named = await world.paymentLink(merchant, { name: "Spring sale (2026)" });
    const ordered = await world.paymentLink(merchant, { orderId: "spring.7" });
    const external = await world.paymentLink(merchant, { externalId: "my-SPRING" });
    await world.paymentLink(merchant, { name: "Autumn sale" });
    const found = async (query: string) => {
      const path = `${links(merchant)}?${query}`;
      const listed = dataOf(await world.http.get(path, { token: merchant.token }), 200);
      return listed.map(({ id }: { id: string }) => id);
    };
    expect(await found("search=spring")).toEqual([named.id, ordered.id, external.id]);
    expect(await found("search=spring&order=newest&limit=1")).toEqual([external.id]);
    // It is a text, no pattern.
    expect(await found("search=sale%20(2026)")).toEqual([named.id]);
    expect(await found("search=spring.")).toEqual([ordered.id]);
    expect(await found("search=.")).toEqual([ordered.id]);
    expect(await found("search=")).toHaveLength(4);
  });
});

test("a hundred links and payments of the largest size go over NATS", async () => {
  const system = await startWorld({ overNats: true });
  const merchant = await system.business();
  const long = "€".repeat(512);
  const link = await system.paymentLink(merchant, {
    name: long.slice(0, 256),
    itemDeliveryAddress: long,
    customData: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`name${i}`, long])),
    cartItems: Array.from({ length: 30 }, () => ({ name: long.slice(0, 256), description: long })),
  });
  const db = connection.useDb(new URL(system.config.mongoUrl as string).pathname.slice(1));
  const card = await system.cardToken();
  dataOf(await system.pay(link, card), 200);
  for (const [name, unique] of [
    ["payment_links", "tokenHash"],
    ["payments", "key"],
  ] as const) {
    const one = (await db.collection(name).findOne()) as object;
    const copies = Array.from({ length: 99 }, () => ({ ...one, _id: newId(), [unique]: newId() }));
    await db.collection(name).insertMany(copies as never);
  }
  const list = (path: string) =>
    system.http.get(`/v1/business/${merchant.id}/${path}?limit=100`, { token: merchant.token });
  expect(dataOf(await list("payment-links"), 200)).toHaveLength(100);
  const [first, ...others] = dataOf(await list("payments"), 200);
  expect(others).toHaveLength(99);
  expect(first).not.toHaveProperty("metadata");
  const path = `/v1/business/${merchant.id}/payments/${first.id}`;
  const { metadata } = dataOf(await system.http.get(path, { token: merchant.token }), 200);
  expect(metadata.customData.name49).toBe(long);
  await system.stop();
});

describe("status", () => {
  const now = Date.now();
  const state = (isOpenLink: boolean, disabled: boolean, expiresInMs: number) => ({
    terms: { isOpenLink } as PaymentLink["terms"],
    disabledAt: disabled ? new Date(now) : null,
    expiresAt: new Date(now + expiresInMs),
  });

  test.each([
    ["ACTIVE", state(false, false, 1), false],
    ["ACTIVE", state(true, false, 1), true],
    ["USED", state(false, false, 1), true],
    ["USED", state(false, true, -1), true],
    ["DISABLED", state(false, true, 1), false],
    ["DISABLED", state(true, true, -1), true],
    ["EXPIRED", state(true, false, 0), true],
    ["EXPIRED", state(false, false, -1), false],
  ])("%s is derived from the link and its payments", (expected, link, isUsed) => {
    expect(linkStatus(link, isUsed, now)).toBe(expected);
  });

  test("a closed link is used after one payment, an open link counts its payments", async () => {
    const closed = await world.paymentLink(business, { isOpenLink: false });
    const open = await world.paymentLink(business, { amount: 10 });
    const card = await world.cardToken();
    for (const link of [closed, open, open]) {
      const paid = dataOf(await world.pay(link, card), 200);
      expect(paid.status).toBe("SUCCEEDED");
    }
    const declined = await world.pay(open, await world.cardToken("0002"));
    expect(dataOf(declined, 200).status).toBe("FAILED");
    expect(await show(closed.id)).toMatchObject({
      status: "USED",
      payments: 1,
      application: { valid: false },
    });
    expect((await view(closed.token)).status).toBe("USED");
    expect(await show(open.id)).toMatchObject({
      status: "ACTIVE",
      payments: 2,
      application: { valid: true },
    });
    expect((await world.pay(closed, card)).status).toBe(409);
    await world.verifyBooks();
  });

  test("an inactive link and a recurring link cannot be paid", async () => {
    const card = await world.cardToken();
    const disabled = await world.paymentLink(business);
    await world.http.post(`${links()}/${disabled.id}/disable`, {}, { token: business.token });
    const expired = await world.paymentLink(business, { expiredAt: inDays(1) });
    const expiresAt = new Date(Date.now() - 1);
    await stored.updateOne({ _id: expired.id }, { $set: { expiresAt } });
    const recurring = await world.paymentLink(business, {
      checkoutType: "recurring",
      recurringCharge: {
        type: "subscription",
        startDate: inDays(1),
        interval: { type: "month", count: 1 },
      },
    });
    for (const link of [disabled, expired, recurring]) {
      const { status, body } = await world.pay(link, card);
      expect([status, body.message]).toEqual([409, "The payment link cannot be paid"]);
    }
    expect((await show(recurring.id)).status).toBe("ACTIVE");
  });

  test("a disabled link is shown as disabled everywhere, and stays disabled", async () => {
    const { application } = dataOf(await create(), 200);
    const path = `${links()}/${application.id}/disable`;
    const token = business.token;
    const once = dataOf(await world.http.post(path, {}, { token }), 200);
    expect(once).toMatchObject({ status: "DISABLED", application: { valid: false } });
    const at = (await stored.findOne({ _id: application.id }))?.disabledAt;
    expect(dataOf(await world.http.post(path, {}, { token }), 200)).toEqual(once);
    expect((await stored.findOne({ _id: application.id }))?.disabledAt).toEqual(at);
    expect((await view(application.token)).status).toBe("DISABLED");
  });

  test("an expired link is shown as expired from its expiry on", async () => {
    const { application } = dataOf(await create({ expiredAt: inDays(1) }), 200);
    const expiresAt = new Date(Date.now() - 1);
    await stored.updateOne({ _id: application.id }, { $set: { expiresAt } });
    expect(await show(application.id)).toMatchObject({
      status: "EXPIRED",
      application: { valid: false },
    });
    expect((await view(application.token)).status).toBe("EXPIRED");
  });
});

describe("the public view", () => {
  const HIDDEN = {
    orderId: "hidden-order",
    externalId: "hidden-external",
    agent: { type: "hidden-type", email: "hidden@example.com", name: "hidden-agent" },
    customData: { "hidden-key": "hidden-value" },
    advancedConfig: { websiteUrl: "https://hidden.example.com", webhookPath: "/hidden-path" },
    itemDeliveryAddress: "hidden-address",
  };

  test("shows only the fields that the customer needs", async () => {
    const fields = {
      ...HIDDEN,
      name: "<b>Spring</b>",
      brandingConfig: { primaryColor: "#1A2B3C" },
      dataCollections: ["Company", "email", "Company"],
      customFields: ["Gift note", "Company"],
      cartItems: [
        { name: "Tulips", description: "Red", qty: 2, price: 12.5, productId: "hidden-product" },
      ],
    };
    const { application } = dataOf(await create(fields), 200);
    const answer = await world.http.get(`/v1/checkout/${application.token}`);
    expect(answer.text).not.toContain("hidden");
    expect(dataOf(answer, 200)).toEqual({
      name: "<b>Spring</b>",
      businessName: "Acme",
      status: "ACTIVE",
      purpose: "pay",
      recurring: null,
      feesOnTop: true,
      dueNow: "26.06",
      firstChargeAt: null,
      isOpenLink: true,
      firstCharge: null,
      checkoutType: "generic",
      currency: "USD",
      amount: "25.00",
      fees: "1.06",
      total: "26.06",
      items: [{ name: "Tulips", description: "Red", qty: 2, price: "12.50", total: "25.00" }],
      fields: [
        { name: "Email", required: true },
        { name: "First name", required: true },
        { name: "Last name", required: true },
        { name: "Phone number", required: true },
        { name: "Company", required: false },
        { name: "Gift note", required: false },
      ],
      branding: {
        logo: null,
        primaryColor: "#1a2b3c",
        backgroundColor: null,
        supportEmail: null,
        termsUrl: null,
      },
      redirectTo: null,
      paymentOptions: ["card"],
      takesTestCards: true,
      // Null in the sandbox, because the page itself collects the sandbox's cards.
      vault: null,
    });
  });

  test("an unknown token is not found, in any form", async () => {
    for (const token of [randomUUID(), "x", "%24ne", "a".repeat(3_000), "[object%20Object]"]) {
      const { status, body } = await world.http.get(`/v1/checkout/${token}`);
      expect([status, body.message]).toEqual([404, "Payment link not found"]);
    }
  });
});

describe("a link's token", () => {
  test("has the wrong type for linking an account; an unknown token is not found", async () => {
    const user = await world.user(business);
    const { token } = await world.paymentLink(business);
    for (const bearer of [user, business]) {
      const { status, body } = await world.linkInternational(bearer, token);
      expect([status, body.message]).toEqual([400, "Application token is not valid"]);
      const unknown = await world.linkInternational(bearer, `${token}x`);
      expect([unknown.status, unknown.body.message]).toEqual([404, "Application token not found"]);
    }
    const other = await world.business();
    const stranger = await world.user(other);
    const unknownUser = { token: world.tokens.user(randomUUID()) };
    for (const bearer of [other, stranger, unknownUser]) {
      expect((await world.linkInternational(bearer, token)).status).toBe(404);
    }
  });

  test("pays nothing out and is in no list of application tokens", async () => {
    const user = await world.user(business);
    const wallet = await world.wallet(business, user, 100);
    const bank = await world.bank(business, wallet);
    const { token } = await world.paymentLink(business);
    const { status, body } = await world.withdraw(user, bank, {}, { "x-application-token": token });
    expect([status, body.message]).toEqual([400, "Application token is not valid"]);
    expect(await world.balance(business, wallet)).toBe("100.00");
    const path = `/v1/business/${business.id}/application-tokens`;
    const list = await world.http.get(path, { token: business.token });
    expect(list.body.data).toEqual([]);
    await world.verifyBooks();
  });

  test("is stored only as a digest and encrypted", async () => {
    const { id, token } = await world.paymentLink(business);
    const document = (await stored.findOne({ _id: id })) as PaymentLink;
    expect(JSON.stringify(document)).not.toContain(token);
    expect(document.token).toEqual({ keyId: "test", box: expect.any(String) });
  });
});
