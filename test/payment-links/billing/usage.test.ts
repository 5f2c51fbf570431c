// Usage: the accepted reports, once for each reference, and the invoice that has them; over two
// nodes.

import { type BillingBooks, openBillingBooks } from "../../support/billing.ts";
import type { Answer } from "../../support/http.ts";
import { served, until } from "../../support/system.ts";
import { seeded } from "../../support/traffic.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../../support/world.ts";

let world: World;
let books: BillingBooks;
let business: TestBusiness;

beforeAll(async () => {
  world = await startWorld({ overNats: true, paymentLinksInstead: [{}, {}] });
  books = await openBillingBooks(world);
});
beforeEach(async () => {
  business = await world.business();
});
afterAll(async () => {
  await world?.verifyBooks();
  await books?.close();
  await world?.stop();
});

const at = (text: string) => new Date(text).toISOString();

/** API calls: 10.00 a month with 1,000 of them included, then 0.0125 for each call. */
function subscription(details: object = {}, fields: object = {}): Promise<string> {
  const consumptionDetails = {
    unit: "API call",
    costPerUnit: 0.0125,
    minimumUnits: 1_000,
    baseFee: 10,
    ...details,
  };
  return world.subscription(business, {
    ...fields,
    recurringCharge: { type: "consumption", consumptionDetails },
  });
}

function report(id: string, body: object): Promise<Answer> {
  return world.toSubscription(business, id, "usage", body);
}

async function linesOf(id: string): Promise<Record<string, unknown>[][]> {
  const invoices = await world.ofSubscription(business, id, "/invoices");
  return invoices.map(({ lines }: { lines: object[] }) => lines);
}

/** The dates of an invoice or a report. */
const datesOf = ({ periodStart, periodEnd }: { periodStart: string; periodEnd: string }) =>
  [periodStart, periodEnd].map((each) => each.slice(0, 10));

test("usage counts once for each reference and is billed at the end of its period", async () => {
  const id = await subscription();
  await world.testClock(business, "2030-01-10T12:00:00Z");
  const first = await report(id, { units: 900.5, reference: "r1" });
  expect(dataOf(first, 201)).toEqual({
    id: expect.any(String),
    subscriptionId: id,
    reference: "r1",
    units: 900.5,
    at: at("2030-01-10T12:00:00Z"),
    periodStart: at("2030-01-01"),
    periodEnd: at("2030-02-01"),
    late: false,
  });
  const again = await report(id, { units: 900.5, reference: "r1", at: "2030-01-11" });
  expect(dataOf(again, 201)).toEqual(dataOf(first, 201));
  const other = await report(id, { units: 900, reference: "r1" });
  expect([other.status, other.body.message]).toEqual([
    409,
    "The same reference was used with other values",
  ]);
  dataOf(await report(id, { units: 350, reference: "r2" }), 201);
  expect(await world.ofSubscription(business, id, "/preview")).toMatchObject({ total: "13.13" });

  await world.testClock(business, "2030-02-01");
  expect(await linesOf(id)).toEqual([
    [
      { description: "Base fee", quantity: 1, unitAmount: "10.00", amount: "10.00" },
      {
        description: "API call: 1250.5 used, 1000 included",
        quantity: 250.5,
        unitAmount: "0.0125",
        amount: "3.13",
      },
    ],
  ]);
});

test("a reference belongs to its own subscription", async () => {
  const [one, two] = [await subscription(), await subscription()];
  await world.testClock(business, "2030-01-10");
  expect((await report(one, { units: 1, reference: "same" })).status).toBe(201);
  expect((await report(two, { units: 2, reference: "same" })).status).toBe(201);
});

test("usage is listed newest first, page by page, with the period in which it counts", async () => {
  const id = await subscription();
  await world.testClock(business, "2030-01-10");
  for (const units of [1, 2, 3]) dataOf(await report(id, { units, reference: `r${units}` }), 201);
  await world.testClock(business, "2030-02-10");
  const path = `/v1/business/${business.id}/subscriptions/${id}/usage`;
  const get = (query: string) => world.http.get(path + query, { token: business.token });
  const { body: first } = await get("?limit=2");
  expect(first.data.map(({ units }: { units: number }) => units)).toEqual([3, 2]);
  const { body: second } = await get(`?limit=2&cursor=${first.meta.nextCursor}`);
  expect(second.data).toMatchObject([{ units: 1, reference: "r1", late: false }]);
  expect(datesOf(second.data[0])).toEqual(["2030-01-01", "2030-02-01"]);
  expect(second.meta).toEqual({ nextCursor: null });
  expect((await get("?cursor=r1")).status).toBe(400);
});

test("usage dated ahead counts in its own period, and late usage in the open one", async () => {
  const id = await subscription({ minimumUnits: 0 });
  await world.testClock(business, "2030-01-10");
  const ahead = await report(id, { units: 100, reference: "ahead", at: "2030-03-01" });
  expect(dataOf(ahead, 201)).toMatchObject({ at: at("2030-03-01"), late: false });
  expect(datesOf(ahead.body.data)).toEqual(["2030-03-01", "2030-04-01"]);
  await world.testClock(business, "2030-02-01");
  const late = await report(id, { units: 8, reference: "late", at: "2030-01-31T23:59:59.999Z" });
  expect(dataOf(late, 201)).toMatchObject({ late: true, at: "2030-01-31T23:59:59.999Z" });
  expect(datesOf(late.body.data)).toEqual(["2030-02-01", "2030-03-01"]);
  dataOf(await report(id, { units: 16, reference: "now" }), 201);
  await world.testClock(business, "2030-04-01");
  expect((await linesOf(id)).map(([, units]) => [units?.description, units?.amount])).toEqual([
    ["API call: 0 used", "0.00"],
    ["API call: 24 used, 8 of them reported late", "0.30"],
    ["API call: 100 used", "1.25"],
  ]);
});

describe("usage is refused", () => {
  const TAKEN = "Usage is not accepted during the trial or after the subscription's end";

  test("with an invalid number, or dated too far ahead", async () => {
    const id = await subscription();
    await world.testClock(business, "2030-01-10");
    for (const units of [0, -1, 0.000_000_1, 1.000_000_1, 1_000_000_000_000.5, "3", null]) {
      expect([units, (await report(id, { units, reference: "r" })).status]).toEqual([units, 400]);
    }
    for (const body of [
      { units: 1 },
      { units: 1, reference: "" },
      { units: 1, reference: { $ne: "" } },
      { units: 1, reference: "r", at: "tomorrow" },
      { units: 1, reference: "r", at: "2032-02-01" },
    ]) {
      expect([body, (await report(id, body)).status]).toEqual([body, 400]);
    }
    expect(await world.ofSubscription(business, id, "/usage")).toEqual([]);
  });

  test("during the trial, dated in the trial, and after the end", async () => {
    const id = await subscription();
    await world.testClock(business, "2029-12-31T23:59:59.999Z");
    const early = await report(id, { units: 1, reference: "r", at: "2030-01-02" });
    expect([early.status, early.body.message]).toEqual([409, TAKEN]);
    await world.testClock(business, "2030-01-10");
    expect((await report(id, { units: 1, reference: "r", at: "2029-12-31" })).status).toBe(409);
    const first = await report(id, { units: 2_000, reference: "r" });
    expect(first.status).toBe(201);

    dataOf(await world.toSubscription(business, id, "cancel", { at: "period_end" }), 200);
    expect((await report(id, { units: 1, reference: "s", at: "2030-02-01" })).status).toBe(409);
    const last = { units: 1, reference: "s", at: "2030-01-31T23:59:59.999Z" };
    expect((await report(id, last)).status).toBe(201);
    await world.testClock(business, "2030-02-01");
    expect((await report(id, { units: 1, reference: "t" })).status).toBe(409);
    // A repeated report returns the first answer.
    expect(dataOf(await report(id, { units: 2_000, reference: "r" }), 201)).toEqual(
      first.body.data,
    );
    expect((await report(id, { units: 1, reference: "r" })).status).toBe(409);
    expect(await linesOf(id)).toMatchObject([[{}, { quantity: 1_001, amount: "12.51" }]]);
  });

  test("for another business's subscription and for one that is not billed by usage", async () => {
    const id = await subscription();
    const plain = await world.subscription(business);
    const stranger = await world.business();
    const body = { units: 1, reference: "r" };
    const answer = await world.toSubscription(stranger, id, "usage", body);
    expect([answer.status, answer.body.message]).toEqual([404, "Subscription not found"]);
    const path = `/v1/business/${stranger.id}/subscriptions/${id}/usage`;
    expect((await world.http.get(path, { token: stranger.token })).status).toBe(404);
    const wrong = await report(plain, body);
    expect([wrong.status, wrong.body.message]).toEqual([
      409,
      "The subscription is not billed by usage",
    ]);
    expect(await world.ofSubscription(business, plain, "/usage")).toEqual([]);
  });

  test("if an invoice would exceed the highest charge", async () => {
    const id = await subscription({ costPerUnit: 0.01 }, { customerPays: true });
    const cheap = await subscription({ costPerUnit: 0.000_001 });
    await world.testClock(business, "2030-01-10");
    const whole = { units: 1_000_000_000_000, reference: "most" };
    const answer = await report(id, whole);
    expect([answer.status, answer.body.message]).toEqual([
      409,
      "An invoice would exceed 9999999999.99",
    ]);
    // With the fee on top, a sum of about 9.7 thousand million is possible.
    expect((await report(id, { units: 970_000_000_000, reference: "a" })).status).toBe(201);
    expect((await report(id, { units: 1_000_000_000, reference: "b" })).status).toBe(409);
    const ahead = { units: 1_000_000_000, reference: "c", at: "2030-06-01" };
    expect((await report(id, ahead)).status).toBe(201);
    expect((await report(id, { units: 1, reference: "b" })).status).toBe(201);
    expect((await report(cheap, whole)).status).toBe(201);
    expect((await report(cheap, { units: 0.000_001, reference: "least" })).status).toBe(201);
    await world.testClock(business, "2030-02-01");
    expect(await linesOf(cheap)).toMatchObject([
      [{}, { description: "API call: 1000000000000.000001 used, 1000 included" }],
    ]);
  });
});

test("usage reported at a boundary is billed, even if the subscription is cancelled", async () => {
  const id = await subscription({ minimumUnits: 0 });
  await world.testClock(business, "2030-02-01");
  dataOf(await report(id, { units: 80, reference: "r" }), 201);
  dataOf(await world.toSubscription(business, id, "cancel", { at: "now" }), 200);
  const lines = await linesOf(id);
  expect(lines.at(-1)).toEqual([
    { description: "API call: 80 used", quantity: 80, unitAmount: "0.0125", amount: "1.00" },
  ]);
  expect(lines).toHaveLength(2);
});

test("the last invoice has the usage up to now and none dated ahead of its period", async () => {
  const id = await subscription({ minimumUnits: 0 });
  await world.testClock(business, "2030-01-10");
  dataOf(await report(id, { units: 80, reference: "r" }), 201);
  dataOf(await report(id, { units: 160, reference: "s", at: "2030-05-01" }), 201);
  dataOf(await world.toSubscription(business, id, "cancel", { at: "now" }), 200);
  const [invoice, ...more] = await world.ofSubscription(business, id, "/invoices");
  expect(more).toEqual([]);
  expect(datesOf(invoice)).toEqual(["2030-01-01", "2030-01-10"]);
  expect(invoice).toMatchObject({ total: "11.00", lines: [{}, { quantity: 80 }] });
});

test("concurrent reports at the ends of periods count once each, on two nodes", async () => {
  const random = seeded();
  const id = await subscription({ costPerUnit: 0.01, minimumUnits: 0, baseFee: 0 });
  await world.testClock(business, "2030-01-01");
  const ends = ["2030-02-01", "2030-03-01", "2030-04-01", "2030-05-01"];
  let isOver = false;
  const taken = new Map<string, Answer["body"]>();

  async function write(writer: number): Promise<void> {
    for (let i = 0; !isOver; i++) {
      // Every second report is sent by two writers.
      const reference = i % 2 === 0 ? `${writer}-${i}` : `${writer >> 1}+${i}`;
      const body = {
        units: reference.length + (i % 7),
        reference,
        at: `2030-0${1 + random.below(6)}-15`,
      };
      // A report without an answer is repeated with the same reference.
      const used = i % 3 === 0 ? body : { ...body, at: undefined };
      const answer = await served(() => report(id, used));
      expect([201, 409]).toContain(answer.status);
      if (answer.status === 201) taken.set(answer.body.data.id, answer.body.data);
    }
  }

  const writers = Promise.all([...Array(8).keys()].map(write));
  for (const end of ends) {
    const enough = taken.size + 8;
    await until(() => taken.size >= enough, { awaited: "reports" });
    await world.testClock(business, end);
  }
  dataOf(await world.toSubscription(business, id, "cancel", { at: "now" }), 200);
  isOver = true;
  await writers;

  await books.paid(id, 5);
  const references = [...taken.values()].map(({ reference }) => reference);
  expect(new Set(references).size).toBe(references.length);
  const invoices = await books.invoicesOf(id);
  expect(invoices).toHaveLength(5);
  const sum = (all: { units: number }[]) => all.reduce((total, { units }) => total + units, 0);
  const reports = [...taken.values()];
  for (const { periodStart, lines } of invoices) {
    const counted = reports.filter((each) => Date.parse(each.periodStart) === periodStart);
    expect([periodStart, lines.at(-1)?.quantity]).toEqual([periodStart, sum(counted)]);
  }
});
