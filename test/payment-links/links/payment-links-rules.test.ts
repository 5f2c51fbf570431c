// The request of a payment link (docs/integrate/rest-api.md, Payment links), its fields alone and
// together. A 400 names every wrong field and stores nothing. The prices are right to the cent with
// either payer of the fee.

import { randomInt } from "node:crypto";
import mongoose from "mongoose";
import { computePrices } from "../../../services/payment-links/links/link-request.ts";
import { FEE_KINDS, type FeeKind, type FeeSnapshot } from "../../../shared/config/fee-table.ts";
import { computeFee, type Fee, grossUp } from "../../../shared/fees.ts";
import { MAX_AMOUNT_MINOR } from "../../../shared/money.ts";
import {
  dataOf,
  linkBody,
  startWorld,
  type TestBusiness,
  type World,
} from "../../support/world.ts";

const CREATE = "/v1/ext/collections/payment-link";
const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

let world: World;
let business: TestBusiness;
let connection: mongoose.Connection;

beforeAll(async () => {
  world = await startWorld();
  business = await world.business();
  await world.collectionAccount(business);
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});
afterAll(async () => {
  await connection?.close();
  await world?.stop();
});

const send = (body: unknown) => world.http.post(CREATE, body, { token: business.token });
const stored = async () => {
  const collections = ["payment_links", "webhook_endpoints"];
  return Promise.all(collections.map((name) => connection.collection(name).countDocuments()));
};

/** Expects a refusal with a message that names these fields and no others. */
async function expectRefused(fields: Record<string, unknown>, wrong: string[]): Promise<void> {
  const { status, body } = await send(linkBody(fields));
  const shown = JSON.stringify(fields).slice(0, 120);
  expect([shown, status, body.fatal, body.code]).toEqual([shown, 400, true, "validation_failed"]);
  const named = (body.message as string).split("; ").map((line) => line.split(" must be ")[0]);
  expect([shown, [...new Set(named)]]).toEqual([shown, wrong]);
}

const TEXTS = [17, true, {}, [], null, "", "   ", "a\u0000b", "a\nb", "\ud800", "a\u202eb"];
const WRONG_TEXTS = [...TEXTS, "a".repeat(100_000)];
const URLS = [
  ...[
    "javascript:alert(1)",
    "data:text/html,x",
    "http://a.example",
    "ftp://a.example",
    "//a.example",
  ],
  ...[
    "https://",
    "https://u:p@a.example",
    "https://a.example/\u0000",
    "a.example",
    "/x",
    17,
    null,
    "",
    {},
  ],
  `https://a.example/${"a".repeat(2_048)}`,
];
/** Wrong image addresses: hosts of a private network, and names that are no public host. */
const IMAGE_URLS = [
  ...URLS,
  ...[
    "localhost",
    "router",
    "192.168.0.1",
    "127.1",
    "0x7f000001",
    "[::1]",
    "8.8.8.8",
    "printer.local",
    "cdn.internal",
    "shop.internal",
    "a.onion",
    "co.uk",
    "shop.example.com.",
  ].map((host) => `https://${host}/a.png`),
];
const SLUGS = [
  ...["../admin", "a/b", "a.b", ".", "..", "A", "a b", "a%2fb", "a_b", "é", "ａ", "a\u0000"],
  ...["", "a".repeat(65), "a?b", "a#b", "a\\b", 17, null, {}],
];
const DATES = [
  "soon",
  "2020-13-01",
  "2999-02-29",
  "2999-04-31",
  "9999-12-31T23:59:59-01:00",
  "2999-01-01T25:00:00Z",
  4_102_444_800_000,
  null,
  "",
  {},
  true,
];
const AMOUNTS = [
  ...[0, 0.49, -1, -25, 0.501, 25.005, 1e21, 1e10, Number.MAX_SAFE_INTEGER],
  ...["25", "NaN", "", null, true, {}, [25]],
];
const BOOLEANS = ["true", 1, 0, null, "", {}, []];
const NAME_LISTS = [
  ...["Company", 17, null, {}, [17], [""], [null], [["Company"]], ["a\u0000"], ["a".repeat(257)]],
  ...[["constructor"], ["$where"], Array.from({ length: 21 }, (_, i) => `Name ${i}`)],
];
const TEXT_MAPS = [
  ...["a", 17, null, [], { a: 1 }, { a: null }, { a: { b: "c" } }, { a: ["b"] }, { a: true }],
  ...[{ a: "b".repeat(513) }, { a: "\u0000" }, { ["a".repeat(257)]: "b" }, { "": "b" }],
  ...[{ $where: "x" }, { _bsontype: "ObjectId" }],
  Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`name${i}`, "x"])),
];
const AGENT = { type: "sales", email: "agent@example.com", name: "Grace" };
const ITEM = { name: "Tulips", description: "Red" };

describe("one field", () => {
  const CASES: [field: string, values: unknown[]][] = [
    ["currency", ["usd", "JPY", "", null, 17, {}, ["USD"]]],
    ["amount", AMOUNTS],
    ["name", WRONG_TEXTS],
    ["customUrlPath", SLUGS],
    ["redirectTo", URLS],
    ["expiredAt", [...DATES, inDays(-1), "2020-01-01", new Date().toISOString()]],
    ["checkoutType", ["Recurring", "", null, 17, {}]],
    ["isOpenLink", BOOLEANS],
    ["customerPays", BOOLEANS],
    ["orderId", WRONG_TEXTS],
    ["notifyPayee", BOOLEANS],
    ["itemDeliveryAddress", WRONG_TEXTS],
    ["externalId", WRONG_TEXTS],
    ["acceptedPaymentOptions", ["card", null, 17, {}, Array(21).fill("card")]],
    ["cartItems", [null, 17, {}, "a", [], Array.from({ length: 201 }, () => ITEM)]],
    ["advancedConfig", [null, 17, "a", []]],
    ["brandingConfig", [null, 17, "a", []]],
    ["recurringCharge", [null, 17, "a", []]],
  ];

  test.each(CASES)("%s is refused with each wrong value", async (field, values) => {
    const before = await stored();
    for (const value of values) await expectRefused({ [field]: value }, [field]);
    expect(await stored()).toEqual(before);
  });

  test("customData is refused with each wrong value, and the wrong entry is named", async () => {
    const before = await stored();
    for (const customData of TEXT_MAPS) {
      const { body, status } = await send(linkBody({ customData }));
      expect([customData, status, body.message]).toEqual([
        customData,
        400,
        expect.stringMatching(/^customData(\..*)? must be /),
      ]);
    }
    expect(await stored()).toEqual(before);
  });

  const INSIDE: [field: string, name: string, values: unknown[], rest: object][] = [
    ["brandingConfig", "logo", IMAGE_URLS, {}],
    ["brandingConfig", "primaryColor", ["red", "#12345", "#1234567", "#12345g", 17, null, ""], {}],
    ["brandingConfig", "backgroundColor", ["url(x)", "#fff;x", "#GGGGGG", {}], {}],
    [
      "advancedConfig",
      "webhookSecret",
      ["whsec_", "whsec_YQ==", "secret", 17, null, {}],
      {
        websiteUrl: "https://shop.example.com",
        webhookPath: "/hooks",
      },
    ],
    [
      "advancedConfig",
      "webhookPath",
      ["hooks", "//a.example", "/\\a.example", "\\x", "", null, 17, "https://a.example/x"],
      {
        websiteUrl: "https://shop.example.com",
      },
    ],
    [
      "advancedConfig",
      "websiteUrl",
      [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "shop",
        "https://u:p@shop.example.com",
        "ht tp://x",
        "",
        null,
        17,
      ],
      {
        webhookPath: "/hooks",
      },
    ],
    ["agent", "email", ["agent", "a@-b", 17, null, ""], { ...AGENT }],
    ["agent", "type", [17, null, "", {}], {}],
    ["agent", "name", [17, null, "", []], {}],
  ];
  test.each(INSIDE)("%s.%s is refused with each wrong value", async (field, name, values, rest) => {
    const before = await stored();
    for (const value of values) {
      const { body, status } = await send(linkBody({ [field]: { ...rest, [name]: value } }));
      expect([value, status, body.message]).toEqual([
        value,
        400,
        expect.stringContaining(`${field}.${name} must be`),
      ]);
    }
    expect(await stored()).toEqual(before);
  });

  test.each(["dataCollections", "customFields"])(
    "%s is refused with each wrong list of names",
    async (field) => {
      for (const value of NAME_LISTS) {
        const { body, status } = await send(linkBody({ [field]: value }));
        expect([value, status, body.message]).toEqual([
          value,
          400,
          expect.stringMatching(`^${field}(\\[0\\])? must be`),
        ]);
      }
    },
  );

  test("acceptedPaymentOptions has texts alone", async () => {
    for (const option of WRONG_TEXTS) {
      const { body, status } = await send(linkBody({ acceptedPaymentOptions: ["card", option] }));
      expect([option, status, body.message]).toEqual([
        option,
        400,
        expect.stringMatching(/^acceptedPaymentOptions(\[1\])? must be/),
      ]);
    }
  });

  const ITEMS: [name: string, values: unknown[]][] = [
    ["name", WRONG_TEXTS],
    ["description", WRONG_TEXTS],
    ["qty", [-1, 1e21, "2", null, {}]],
    ["price", [-0.01, 12.505, 1e21, "12", null, {}]],
    ["currency", ["EUR", "usd", "", null, 17]],
    ["productId", WRONG_TEXTS],
    ["imageUrl", IMAGE_URLS],
  ];
  test.each(ITEMS)("cartItems: %s is refused with each wrong value", async (name, values) => {
    for (const value of values) {
      const cartItems = [ITEM, { ...ITEM, [name]: value }];
      await expectRefused({ cartItems }, [`cartItems[1].${name}`]);
    }
  });

  test.each(["currency", "amount", "itemDeliveryAddress", "cartItems"])("%s is required", (field) =>
    expectRefused({ [field]: undefined }, [field]),
  );

  test.each(["__proto__", "constructor", "prototype"])(
    "a customData with %s is refused",
    async (name) => {
      const customData = `"customData":{"${name}":"x"}`;
      const raw = JSON.stringify(linkBody()).replace("{", `{${customData},`);
      const headers = { "content-type": "application/json" };
      const answer = await world.http.request("POST", CREATE, {
        token: business.token,
        raw,
        headers,
      });
      expect(answer.status).toBe(400);
      // Other systems may send it without the gateway.
      const meta = { actor: { sub: business.id, role: "merchant" as const } };
      const sent = world.call("payment-links.createLink", { body: JSON.parse(raw) }, { meta });
      await expect(sent).rejects.toMatchObject({ type: "VALIDATION" });
    },
  );
});

test("an end user's token creates links and sets no endpoint for their events", async () => {
  const user = await world.user(business);
  const advancedConfig = { websiteUrl: "https://shop.example.com", webhookPath: "/hooks" };
  const create = (body: object) => world.http.post(CREATE, body, user);
  const endpoints = `/v1/business/${business.id}/webhooks`;
  const before = await stored();
  const { status, body } = await create(linkBody({ advancedConfig }));
  const message = "advancedConfig must be left out, as the token is an end user's";
  expect([status, body.message]).toEqual([400, message]);
  expect(await stored()).toEqual(before);
  expect((await world.http.get(endpoints, business)).body.meta.total).toBe(0);

  expect((await create(linkBody())).status).toBe(200);
  expect((await send(linkBody({ advancedConfig }))).status).toBe(200);
  expect((await world.http.get(endpoints, business)).body.meta.total).toBe(1);
});

describe("fields together", () => {
  const charge = { startDate: inDays(10), interval: { type: "month", count: 1 } };
  const subscription = { ...charge, type: "subscription" };
  const consumptionDetails = { unit: "call", costPerUnit: 0.01 };
  const seatDetails = { baseFee: 5, costPerSeat: 2, newSeatBillingType: "prorate" };
  const consumption = { ...charge, type: "consumption", consumptionDetails };
  const seating = { ...charge, type: "seating", seatDetails };
  const IN = "recurringCharge";

  const CASES: [title: string, fields: Record<string, unknown>, wrong: string[]][] = [
    ["a charge on a one-time link", { recurringCharge: subscription }, [IN]],
    ["a charge on a shop's link", { checkoutType: "ecommerce", recurringCharge: seating }, [IN]],
    ["no charge on a recurring link", { checkoutType: "recurring" }, [IN]],
    [
      "no amount on a subscription",
      { checkoutType: "recurring", recurringCharge: subscription, amount: undefined },
      ["amount"],
    ],
    [
      "too little on a subscription",
      { checkoutType: "recurring", recurringCharge: subscription, amount: 0.49 },
      ["amount"],
    ],
    [
      "a negative amount on a consumption",
      { checkoutType: "recurring", recurringCharge: consumption, amount: -1 },
      ["amount"],
    ],
    [
      "a link that expires before it starts",
      { checkoutType: "recurring", recurringCharge: subscription, expiredAt: inDays(5) },
      [`${IN}.startDate`],
    ],
    [
      "a start after the default expiry",
      { checkoutType: "recurring", recurringCharge: { ...subscription, startDate: inDays(400) } },
      [`${IN}.startDate`],
    ],
    [
      "several wrong fields at once",
      {
        currency: "JPY",
        amount: "25",
        name: "",
        expiredAt: inDays(-1),
        isOpenLink: "yes",
        cartItems: [{ name: "a" }],
      },
      ["currency", "name", "amount", "isOpenLink", "cartItems[0].description", "expiredAt"],
    ],
  ];
  test.each(CASES)("%s: a 400 names the wrong fields", async (_, fields, wrong) => {
    const before = await stored();
    await expectRefused(fields, wrong);
    expect(await stored()).toEqual(before);
  });

  const CHARGES: [title: string, charge: Record<string, unknown>, wrong: string[]][] = [
    ["no fields", {}, ["type", "startDate", "interval"]],
    ["no type", { ...subscription, type: undefined }, ["type"]],
    ["another type", { ...subscription, type: "once" }, ["type"]],
    ["no start", { ...subscription, startDate: undefined }, ["startDate"]],
    ["a start before today", { ...subscription, startDate: inDays(-1) }, ["startDate"]],
    ["a date before today", { ...subscription, startDate: inDays(-1).slice(0, 10) }, ["startDate"]],
    ["a start that is no date", { ...subscription, startDate: "soon" }, ["startDate"]],
    ["no interval", { ...subscription, interval: undefined }, ["interval"]],
    [
      "another interval",
      { ...subscription, interval: { type: "hour", count: 1 } },
      ["interval.type"],
    ],
    ["no count", { ...subscription, interval: { type: "day" } }, ["interval.count"]],
    ...[0, -1, 1.5, 1_001, "1", null].map((count): [string, Record<string, unknown>, string[]] => [
      `a count of ${count}`,
      { ...subscription, interval: { type: "day", count } },
      ["interval.count"],
    ]),
    [
      "consumption without its details",
      { ...consumption, consumptionDetails: undefined },
      ["consumptionDetails"],
    ],
    ["seating without its details", { ...seating, seatDetails: undefined }, ["seatDetails"]],
    [
      "details of another type",
      { ...consumption, type: "seating" },
      ["consumptionDetails", "seatDetails"],
    ],
    ["stray details", { ...subscription, seatDetails }, ["seatDetails"]],
    ["both details", { ...seating, consumptionDetails }, ["consumptionDetails"]],
    ["details that are null", { ...subscription, seatDetails: null }, ["seatDetails"]],
    [
      "no unit",
      { ...consumption, consumptionDetails: { costPerUnit: 1 } },
      ["consumptionDetails.unit"],
    ],
    [
      "no price",
      { ...consumption, consumptionDetails: { unit: "call" } },
      ["consumptionDetails.costPerUnit"],
    ],
    [
      "a price below nothing",
      { ...consumption, consumptionDetails: { unit: "call", costPerUnit: -1 } },
      ["consumptionDetails.costPerUnit"],
    ],
    [
      "a price with seven decimals",
      { ...consumption, consumptionDetails: { unit: "call", costPerUnit: 0.000_000_1 } },
      ["consumptionDetails.costPerUnit"],
    ],
    [
      "included units without a base fee",
      { ...consumption, consumptionDetails: { ...consumptionDetails, minimumUnits: 0 } },
      ["consumptionDetails.baseFee"],
    ],
    [
      "included units with seven decimals",
      {
        ...consumption,
        consumptionDetails: { ...consumptionDetails, minimumUnits: 0.000_000_1, baseFee: 1 },
      },
      ["consumptionDetails.minimumUnits"],
    ],
    [
      "a seat's price with seven decimals",
      { ...seating, seatDetails: { ...seatDetails, costPerSeat: 0.000_000_1 } },
      ["seatDetails.costPerSeat"],
    ],
    [
      "no kind of seat billing",
      { ...seating, seatDetails: { baseFee: 5, costPerSeat: 2 } },
      ["seatDetails.newSeatBillingType"],
    ],
    [
      "another seat billing",
      { ...seating, seatDetails: { ...seatDetails, newSeatBillingType: "later" } },
      ["seatDetails.newSeatBillingType"],
    ],
    [
      "no base fee for seats",
      { ...seating, seatDetails: { ...seatDetails, baseFee: undefined } },
      ["seatDetails.baseFee"],
    ],
  ];
  test.each(CHARGES)("a recurring charge with %s is refused", async (_, recurringCharge, wrong) => {
    const fields = { checkoutType: "recurring", recurringCharge };
    await expectRefused(
      fields,
      wrong.map((name) => `${IN}.${name}`),
    );
  });

  test("a period cannot cost more than the highest charge, its fee included", async () => {
    const says = "recurringCharge must cost at most 9999999999.99 in a period, its fee included";
    const most = { baseFee: 9_999_999_999, costPerSeat: 0.99 };
    const BOUNDS: [charge: object, customerPays: boolean, status: number][] = [
      [{ ...seating, seatDetails: { ...seatDetails, ...most } }, false, 200],
      [{ ...seating, seatDetails: { ...seatDetails, ...most, costPerSeat: 1 } }, false, 400],
      [{ ...seating, seatDetails: { ...seatDetails, ...most } }, true, 400],
      [{ ...consumption, consumptionDetails: { ...consumptionDetails, ...most } }, false, 200],
      [{ ...consumption, consumptionDetails: { ...consumptionDetails, ...most } }, true, 400],
    ];
    for (const [recurringCharge, customerPays, status] of BOUNDS) {
      const fields = { checkoutType: "recurring", recurringCharge, customerPays };
      const answer = await send(linkBody(fields));
      expect(answer.status).toBe(status);
      if (status === 400) expect(answer.body.message).toBe(says);
    }
  });

  test("the required fields of every type are enough", async () => {
    for (const recurringCharge of [consumption, seating]) {
      const fields = { checkoutType: "recurring", recurringCharge, amount: undefined };
      expect((await send(linkBody(fields))).status).toBe(200);
    }
    const fields = { checkoutType: "recurring", recurringCharge: subscription, amount: 0.5 };
    expect((await send(linkBody(fields))).status).toBe(200);
  });

  test("markup is kept as text, and 200 items and 50 entries are accepted", async () => {
    const markup = `<img src=x onerror="alert('1')"> & <script>1</script>`;
    const fields = {
      name: markup,
      itemDeliveryAddress: markup,
      cartItems: Array.from({ length: 200 }, () => ({ name: markup, description: markup })),
      customData: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`name${i}`, markup])),
    };
    const { application } = dataOf(await send(linkBody(fields)), 200);
    const path = `/v1/business/${business.id}/payment-links/${application.id}`;
    const shown = dataOf(await world.http.get(path, { token: business.token }), 200);
    expect(shown).toMatchObject(fields);
  });
});

describe("the price", () => {
  const price = (amount: number, customerPays: boolean, fee: Fee) => {
    return computePrices({ amount, customerPays, checkoutType: "generic" }, fee);
  };
  const FEE: Fee = { fixed: 30, basisPoints: 290, min: 0, max: null };

  test.each([
    [0.5, true, "0.50", "0.32", "0.82"],
    [25, true, "25.00", "1.06", "26.06"],
    [100, true, "100.00", "3.30", "103.30"],
    [0.5, false, "0.50", "0.00", "0.50"],
    [25, false, "25.00", "0.00", "25.00"],
  ])("%d with customerPays %s", async (amount, customerPays, ...shown) => {
    const { token } = await world.paymentLink(business, { amount, customerPays });
    const view = dataOf(await world.http.get(`/v1/checkout/${token}`), 200);
    expect([view.amount, view.fees, view.total]).toEqual(shown);
  });

  test("the total is the smallest that leaves the amount after the fee", () => {
    const seed = randomInt(2 ** 31);
    // Mulberry32: a failure shows the seed, so that it can be repeated.
    let state = seed;
    const random = (below: number) => {
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
    };
    for (let i = 0; i < 500; i++) {
      const min = random(3) === 0 ? random(200) : 0;
      const fee = {
        fixed: random(3) === 0 ? 0 : random(500),
        basisPoints: random(4) === 0 ? 0 : random(5_000),
        min,
        max: random(3) === 0 ? min + random(300) : null,
      };
      const amountMinor = 50 + random(5_000);
      let slow = amountMinor;
      while (slow - computeFee(fee, slow) < amountMinor) slow += 1;
      const tried = JSON.stringify({ seed, fee, amountMinor });
      expect([tried, grossUp(fee, amountMinor)]).toEqual([tried, slow]);
      // The kind of a link's fee has no part in its sums.
      const kind = FEE_KINDS[i % FEE_KINDS.length] as FeeKind;
      const snapshot: FeeSnapshot = { kind, ...fee };
      const prices = price(amountMinor / 100, true, snapshot);
      expect([tried, prices]).toEqual([
        tried,
        { totalMinor: slow, feesMinor: slow - amountMinor, amountMinor },
      ]);
    }
  });

  test("a fee that the business pays is deducted from the amount", () => {
    expect(price(25, false, FEE)).toEqual({
      totalMinor: 2_500,
      feesMinor: 103,
      amountMinor: 2_397,
    });
    const all = { ...FEE, fixed: 49, basisPoints: 0 };
    expect(price(0.5, false, all)).toEqual({ totalMinor: 50, feesMinor: 49, amountMinor: 1 });
    expect(() => price(0.5, false, { ...all, fixed: 50 })).toThrow("more than its fee of 0.50");
    expect(() => price(0.5, false, { ...all, min: 100 })).toThrow("more than its fee of 1.00");
  });

  test("no total is above the highest charge", () => {
    const most = MAX_AMOUNT_MINOR - computeFee(FEE, MAX_AMOUNT_MINOR);
    expect(price(most / 100, true, FEE).totalMinor).toBe(MAX_AMOUNT_MINOR);
    expect(() => price((most + 1) / 100, true, FEE)).toThrow("amount must be at most");
    expect(price(MAX_AMOUNT_MINOR / 100, false, FEE).totalMinor).toBe(MAX_AMOUNT_MINOR);
    const whole = { ...FEE, basisPoints: 10_000 };
    expect(() => price(25, true, whole)).toThrow("amount must be at most");
  });
});
