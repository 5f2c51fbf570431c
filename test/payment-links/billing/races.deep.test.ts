// Races over two nodes of payment-links: set-ups with one key, customers of a closed link, cancels
// during renewals, seats and usage at a boundary, and sweepers that find the same due subscription.
// In every order each occasion is billed once, each invoice is captured once, the account has the
// captured sum, and all reported usage counts once.

import type { Invoice } from "../../../services/payment-links/billing/invoice.model.ts";
import type {
  Subscription,
  SubscriptionStep,
} from "../../../services/payment-links/billing/subscription.model.ts";
import { toDecimal } from "../../../shared/money.ts";
import { type BillingBooks, CAPTURED, DAY_MS, openBillingBooks } from "../../support/billing.ts";
import type { Answer } from "../../support/http.ts";
import { served, until } from "../../support/system.ts";
import { seeded } from "../../support/traffic.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../../support/world.ts";

const START = Date.parse("2030-01-01");
const WEEK_MS = 7 * DAY_MS;
const WEEKLY = { interval: { type: "week", count: 1 } };

const random = seeded();
let world: World;
let books: BillingBooks;

beforeAll(async () => {
  world = await startWorld({ overNats: true, paymentLinksInstead: [{}, {}] });
  books = await openBillingBooks(world);
});
afterAll(async () => {
  await books?.close();
  await world?.stop();
});
afterEach(() => world.verifyBooks());

const times = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));
const randomPause = () => new Promise((resolve) => setTimeout(resolve, random.below(80)));
const statusesOf = (answers: Answer[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

/** Waits until no billing of a business is under way. @returns its invoices, ordered by number */
async function billed(business: TestBusiness): Promise<Invoice[]> {
  const underWay = {
    businessId: business.id,
    step: { $in: ["issue", "collect"] as SubscriptionStep[] },
  };
  const isStill = async () => (await books.subscriptions.countDocuments(underWay)) === 0;
  await until(isStill, { awaited: "the end of billing" });
  const invoices = await books.invoices
    .find({ businessId: business.id })
    .sort({ number: 1 })
    .toArray();
  const occasions = invoices.map(({ subscriptionId, occasion }) => `${subscriptionId} ${occasion}`);
  expect(new Set(occasions).size).toBe(occasions.length);
  await expectCapturedOnce(business, invoices);
  return invoices;
}

/** Each paid invoice was captured once, no other was captured, and the account has their sum. */
async function expectCapturedOnce(business: TestBusiness, invoices: Invoice[]): Promise<void> {
  const payments = await books.payments.find({ businessId: business.id }).toArray();
  const charges = await books.charges
    .find({ _id: { $in: payments.map(({ key = "" }) => key) }, ...CAPTURED })
    .toArray();
  const invoiceOf = new Map(payments.map(({ key, renewal }) => [key, renewal?.invoiceId]));
  const captured = charges.map(({ _id }) => String(invoiceOf.get(_id))).toSorted();
  const paid = invoices.filter(({ status, chargeMinor }) => status === "paid" && chargeMinor > 0);
  expect(captured).toEqual(paid.map(({ _id }) => _id).toSorted());
  const sumMinor = paid.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  const account = await world.collectionAccount(business);
  expect(await world.balance(business, { id: account })).toBe(toDecimal(sumMinor));
}

test("twenty set-ups with one key are one subscription, which is billed once", async () => {
  const business = await world.business();
  const link = await world.recurringLink(business);
  const card = await world.cardToken();
  const key = { "Idempotency-Key": "one" };
  const answers = await times(20, () => world.setup(link, card, {}, key));
  const set = answers.map((answer) => dataOf(answer, 200));
  expect(new Set(set.map(({ subscriptionId }) => subscriptionId)).size).toBe(1);
  await world.testClock(business, START);
  expect(await billed(business)).toHaveLength(1);
});

test("of twenty customers of a closed link one has a subscription", async () => {
  const business = await world.business();
  const link = await world.recurringLink(business, { isOpenLink: false });
  const card = await world.cardToken();
  const answers = await times(20, () => world.setup(link, card));
  expect(statusesOf(answers)).toEqual([200, ...Array(19).fill(409)]);
  await world.testClock(business, START);
  const [invoice, ...more] = await billed(business);
  expect(more).toEqual([]);
  const winner = answers.find(({ status }) => status === 200) as Answer;
  expect(invoice?.subscriptionId).toBe(winner.body.data.subscriptionId);
  expect(await books.subscriptions.countDocuments({ businessId: business.id })).toBe(1);
});

test("a subscription cancelled at a boundary is billed at most once", async () => {
  const business = await world.business();
  const ids = await times(16, () => world.subscription(business, { recurringCharge: WEEKLY }));
  const cancelAll = ids.map(async (id) => {
    await randomPause();
    return world.toSubscription(business, id, "cancel", { at: "now" });
  });
  const [, answers] = await Promise.all([
    world.testClock(business, START + WEEK_MS),
    Promise.all(cancelAll),
  ]);
  expect(statusesOf(answers)).toEqual(Array(16).fill(200));
  await billed(business);
  await world.testClock(business, START + 5 * WEEK_MS);
  const invoices = await billed(business);
  for (const id of ids) {
    const { status } = await world.ofSubscription(business, id);
    expect(status).toBe("cancelled");
    const own = invoices.filter(({ subscriptionId }) => subscriptionId === id);
    expect(own.length).toBeLessThanOrEqual(2);
    expect(own.every((invoice) => ["paid", "void"].includes(invoice.status))).toBe(true);
  }
});

/** The numbers of seats in the line of a change; empty for other lines. */
function stepOf(description: string): [from: number, to: number][] {
  const [, from, to] = /^Seats from (\d+) to (\d+)/.exec(description) ?? [];
  return from === undefined ? [] : [[Number(from), Number(to)]];
}

test.each(["prorate", "immediate"])(
  "seats that change (%s) while boundaries pass are each billed once",
  async (newSeatBillingType) => {
    const business = await world.business();
    const seatDetails = { baseFee: 10, costPerSeat: 5, newSeatBillingType };
    const recurringCharge = { type: "seating", ...WEEKLY, seatDetails };
    const ids = await times(4, () => world.subscription(business, { recurringCharge }));
    await world.testClock(business, START + DAY_MS);
    const change = async (id: string) => {
      await randomPause();
      const body = { seats: 2 + random.below(50) };
      return dataOf(await world.toSubscription(business, id, "seats", body), 200);
    };
    const passAll = async () => {
      for (let week = 1; week <= 4; week++) {
        await world.testClock(business, START + week * WEEK_MS + week * DAY_MS);
      }
    };
    await Promise.all([passAll(), times(48, (i) => change(ids[i % ids.length] as string))]);
    await world.testClock(business, START + 6 * WEEK_MS);
    const invoices = await billed(business);
    for (const id of ids) {
      const own = invoices.filter(({ subscriptionId }) => subscriptionId === id);
      const periods = own
        .map(({ occasion }) => occasion)
        .filter((name) => name.startsWith("period"));
      expect(periods).toEqual([0, 1, 2, 3, 4, 5, 6].map((k) => `period:${k}`));
      // No change is left unbilled, and the last period has the current number of seats.
      const { changes, seats } = (await books.subscriptions.findOne({ _id: id })) as Subscription;
      expect(changes).toEqual([]);
      expect(own.at(-1)?.lines.map(({ quantity }) => quantity)).toContain(seats);
      // Each change begins with the number of seats at which the one before it ended.
      const steps = own.flatMap(({ lines }) =>
        lines.flatMap(({ description }) => stepOf(description)),
      );
      expect(steps.map(([from]) => from)).toEqual([1, ...steps.slice(0, -1).map(([, to]) => to)]);
      expect(steps.at(-1)?.[1]).toBe(seats);
    }
  },
);

test("usage reported while its period is closed counts once, there or in the next", async () => {
  const business = await world.business();
  const consumptionDetails = { unit: "call", costPerUnit: 1 };
  const recurringCharge = { type: "consumption", ...WEEKLY, consumptionDetails };
  const ids = await times(3, () => world.subscription(business, { recurringCharge }));
  await world.testClock(business, START + DAY_MS);
  const report = async (i: number) => {
    await randomPause();
    const at = new Date(START + 2 * DAY_MS).toISOString();
    // Each report is sent twice; the same reference counts once.
    const body = { units: 1 + (i % 5), reference: `usage-${i}`, at };
    const id = ids[i % ids.length] as string;
    // A busy node may refuse it, and the test repeats it with the same reference.
    const once = () => world.toSubscription(business, id, "usage", body);
    const answers = await times(2, () => served(once));
    const [one, other] = answers.map((answer) => dataOf(answer, 201));
    expect(one).toEqual(other);
    return { id, units: body.units };
  };
  const passAll = async () => {
    for (let week = 1; week <= 3; week++) await world.testClock(business, START + week * WEEK_MS);
  };
  const [, reports] = await Promise.all([passAll(), times(60, report)]);
  await world.testClock(business, START + 5 * WEEK_MS);
  const invoices = await billed(business);
  for (const id of ids) {
    const own = invoices.filter(({ subscriptionId }) => subscriptionId === id);
    expect(own.map(({ occasion }) => occasion)).toEqual([0, 1, 2, 3, 4].map((k) => `period:${k}`));
    const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
    const billedUnits = sum(own.flatMap(({ lines }) => lines.map(({ quantity }) => quantity)));
    const units = sum(reports.filter((each) => each.id === id).map((each) => each.units));
    expect(billedUnits).toBe(units);
    expect(sum(own.map(({ totalMinor }) => totalMinor))).toBe(units * 100);
  }
});

test("a card that is saved when a retry is due pays the invoice once", async () => {
  const business = await world.business();
  const ids = await times(8, () =>
    world.subscription(business, { recurringCharge: WEEKLY }, "0341"),
  );
  await world.testClock(business, START);
  const card = await world.cardToken();
  const save = async (id: string) => {
    const { url } = dataOf(await world.toSubscription(business, id, "payment-method-link"), 201);
    await randomPause();
    return world.setup({ token: url.split("/").at(-1) }, card);
  };
  const [, answers] = await Promise.all([
    world.testClock(business, START + 4 * DAY_MS),
    Promise.all(ids.map(save)),
  ]);
  expect(statusesOf(answers)).toEqual(Array(8).fill(200));
  await world.testClock(business, START + 5 * DAY_MS);
  const invoices = await billed(business);
  expect(invoices.map(({ status }) => status)).toEqual(Array(8).fill("paid"));
  const active = { businessId: business.id, status: "active" as const };
  expect(await books.subscriptions.countDocuments(active)).toBe(8);
});

test("a due subscription is billed once by the sweepers of two nodes", async () => {
  const business = await world.business();
  const startDate = new Date(Date.now() + 10_000).toISOString();
  const link = await world.recurringLink(business, {
    recurringCharge: { startDate, interval: { type: "day", count: 1 } },
  });
  const card = await world.cardToken();
  const answers = await times(40, () => world.setup(link, card));
  for (const answer of answers) dataOf(answer, 200);
  const paid = { businessId: business.id, status: "paid" as const };
  const isAll = async () => (await books.invoices.countDocuments(paid)) === 40;
  await until(isAll, { awaited: "forty paid invoices" });
  const invoices = await billed(business);
  expect(invoices.map(({ number }) => number)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
});
