// Cancelling subscriptions in every state, at once or at the end of the period.

import type { Subscription } from "../../../services/payment-links/billing/subscription.model.ts";
import { type BillingBooks, DAY_MS, openBillingBooks, silenceable } from "../../support/billing.ts";
import { until } from "../../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../../support/world.ts";

let world: World;
let books: BillingBooks;
const bank = silenceable();

beforeAll(async () => {
  world = await startWorld({ paymentLinksInstead: [{ acquirer: bank.acquirer }] });
  books = await openBillingBooks(world);
  bank.open(books);
});

afterAll(async () => {
  await books.close();
  await world.stop();
});

afterEach(() => world.verifyBooks());

const START = Date.parse("2030-01-01");
const day = (days: number) => new Date(START + days * DAY_MS).toISOString();
const FOREVER = START + 800 * DAY_MS;

const cancel = (business: TestBusiness, id: string, at: "now" | "period_end") =>
  world.toSubscription(business, id, "cancel", { at });
const cancelled = async (...asked: Parameters<typeof cancel>) =>
  dataOf(await cancel(...asked), 200);
/** The total and the status of each invoice, in order. */
async function billed(business: TestBusiness, id: string): Promise<string[]> {
  const invoices = await world.ofSubscription(business, id, "/invoices");
  return invoices.map(({ total, status }: Record<string, string>) => `${total} ${status}`);
}
const seating = (newSeatBillingType: string) => ({
  recurringCharge: {
    type: "seating",
    interval: { type: "day", count: 10 },
    seatDetails: { baseFee: 10, costPerSeat: 5, newSeatBillingType },
  },
});
const consumption = {
  recurringCharge: {
    type: "consumption",
    consumptionDetails: { unit: "call", costPerUnit: 0.5, baseFee: 3 },
  },
};

describe("in the trial", () => {
  test.each([{}, consumption, seating("prorate")])(
    "now ends it without a charge (%#)",
    async (fields) => {
      const business = await world.business();
      const id = await world.subscription(business, fields);
      await world.testClock(business, START - DAY_MS);
      expect(await cancelled(business, id, "now")).toMatchObject({
        status: "cancelled",
        cancelledAt: day(-1),
        nextInvoiceAt: null,
        currentPeriod: null,
      });
      const again = await cancel(business, id, "now");
      expect([again.status, again.body.message]).toEqual([409, "The subscription is cancelled"]);
      expect((await cancel(business, id, "period_end")).status).toBe(409);
      await world.testClock(business, FOREVER);
      expect(await billed(business, id)).toEqual([]);
    },
  );

  test.each([{}, consumption])(
    "period_end ends it at startDate without a charge (%#)",
    async (fields) => {
      const business = await world.business();
      const id = await world.subscription(business, fields);
      await world.testClock(business, START - 10 * DAY_MS);
      const view = await cancelled(business, id, "period_end");
      expect(view).toMatchObject({ status: "trialing", cancelAt: day(0), nextInvoiceAt: null });
      expect(await cancelled(business, id, "period_end")).toEqual(view);
      await world.testClock(business, FOREVER);
      expect(await world.ofSubscription(business, id)).toMatchObject({
        status: "cancelled",
        cancelledAt: day(0),
        cancelAt: null,
      });
      expect(await billed(business, id)).toEqual([]);
    },
  );
});

describe("a subscription that is paid in advance", () => {
  test("now: nothing more is charged, and earlier payments are kept", async () => {
    const business = await world.business();
    const hook = await world.hook(business);
    const id = await world.subscription(business);
    await world.testClock(business, START + 45 * DAY_MS);
    await cancelled(business, id, "now");
    await world.testClock(business, FOREVER);
    expect(await billed(business, id)).toEqual(["25.00 paid", "25.00 paid"]);
    const events = () => hook.received.filter(({ body }) => body.eventType === "SUBSCRIPTION");
    await until(() => events().length >= 2, { awaited: "events" });
    expect(events().map(({ body }) => body.status)).toEqual(["created", "cancelled"]);
  });

  test("period_end: it continues until then, and can still be cancelled now", async () => {
    const business = await world.business();
    const [id, other] = [await world.subscription(business), await world.subscription(business)];
    await world.testClock(business, START + 45 * DAY_MS);
    const view = { status: "active", cancelAt: "2030-03-01T00:00:00.000Z", nextInvoiceAt: null };
    expect(await cancelled(business, id, "period_end")).toMatchObject(view);
    expect(await cancelled(business, other, "period_end")).toMatchObject(view);
    const ended = { status: "cancelled", cancelledAt: day(45), cancelAt: null };
    expect(await cancelled(business, other, "now")).toMatchObject(ended);
    await world.testClock(business, FOREVER);
    expect(await world.ofSubscription(business, id)).toMatchObject({
      status: "cancelled",
      cancelledAt: "2030-03-01T00:00:00.000Z",
    });
    expect(await billed(business, id)).toEqual(["25.00 paid", "25.00 paid"]);
  });

  test("unbilled seats are charged with a last invoice, and a credit is not paid out", async () => {
    const business = await world.business();
    const [more, fewer, ending] = [
      await world.subscription(business, seating("prorate")),
      await world.subscription(business, seating("prorate")),
      await world.subscription(business, seating("prorate")),
    ];
    const seats = async (id: string, count: number) =>
      dataOf(await world.toSubscription(business, id, "seats", { seats: count }), 200);
    await seats(fewer, 4);
    await world.testClock(business, START + 5 * DAY_MS);
    // Half of the period is left, so a seat costs 2.50.
    await seats(more, 3);
    await seats(fewer, 1);
    await seats(ending, 2);
    await cancelled(business, ending, "period_end");
    await cancelled(business, more, "now");
    await cancelled(business, fewer, "now");
    await world.testClock(business, FOREVER);
    expect(await billed(business, more)).toEqual(["15.00 paid", "5.00 paid"]);
    expect(await billed(business, fewer)).toEqual(["30.00 paid"]);
    expect(await billed(business, ending)).toEqual(["15.00 paid", "2.50 paid"]);
    expect((await world.ofSubscription(business, ending)).cancelledAt).toBe(day(10));
  });

  test("an invoice that waits for a retry becomes void, together with its seats", async () => {
    const business = await world.business();
    const [id, seated] = [
      await world.subscription(business, {}, "0341"),
      await world.subscription(business, seating("prorate"), "0341"),
    ];
    await world.testClock(business, START + 2 * DAY_MS);
    dataOf(await world.toSubscription(business, seated, "seats", { seats: 9 }), 200);
    for (const each of [id, seated]) {
      expect(await cancelled(business, each, "now")).toMatchObject({ status: "cancelled" });
      const view = () => world.ofSubscription(business, each);
      await until(async () => (await view()).openInvoiceId === null, {
        awaited: "the void invoice",
      });
    }
    await world.testClock(business, FOREVER);
    expect(await billed(business, id)).toEqual(["25.00 void"]);
    expect(await billed(business, seated)).toEqual(["15.00 void"]);
    expect(await books.payments.countDocuments({ "renewal.subscriptionId": id })).toBe(2);
  });
});

describe("a decline after the end", () => {
  test("voids a period's invoice at once, deletes the card and announces no retry", async () => {
    const business = await world.business();
    const hook = await world.hook(business, { eventTypes: ["INVOICE"] });
    const id = await world.subscription(business, {}, "0341");
    bank.silence(true);
    const before = bank.asked.length;
    const moved = world.testClock(business, START);
    await until(() => bank.asked.length > before, { awaited: "an attempt" });
    await cancelled(business, id, "now");
    bank.silence(false);
    await moved;
    await until(() =>
      books.subscriptions.findOne({ _id: id, step: "closed", nextAttemptAt: { $exists: false } }),
    );
    expect(await billed(business, id)).toEqual(["25.00 void"]);
    expect(await books.methods.countDocuments({ subscriptionId: id })).toBe(0);
    const event = await until(() => hook.received[0]?.body);
    expect(event).toMatchObject({ status: "failed", payload: { nextAttemptAt: null } });
    await world.testClock(business, FOREVER);
    expect(await billed(business, id)).toEqual(["25.00 void"]);
  });

  test.each(["on its schedule", "with another card"])(
    "of the last invoice is retried %s, because the amount is owed",
    async (how) => {
      const business = await world.business();
      const id = await world.subscription(business, seating("prorate"));
      await world.testClock(business, START + 5 * DAY_MS);
      dataOf(await world.toSubscription(business, id, "seats", { seats: 5 }), 200);
      await cancelled(business, id, "period_end");
      const { card, methodId } = (await books.subscriptions.findOne({ _id: id })) as Subscription;
      const { last4 } = card;
      await books.cards.updateMany({ last4 }, { $set: { last4: "9995" } });
      await world.testClock(business, START + 10 * DAY_MS);
      await books.cards.updateMany({ last4: "9995" }, { $set: { last4 } });
      expect(await billed(business, id)).toEqual(["15.00 paid", "10.00 failed"]);
      if (how === "with another card") {
        const made = await world.toSubscription(business, id, "payment-method-link");
        const token = (dataOf(made, 201).url as string).split("/").at(-1) as string;
        dataOf(await world.setup({ token }, await world.cardToken()), 200);
      } else {
        await world.testClock(business, START + 11 * DAY_MS);
      }
      expect(await billed(business, id)).toEqual(["15.00 paid", "10.00 paid"]);
      await until(async () => (await books.methods.countDocuments({ _id: methodId })) === 0);
    },
  );
});

describe("a subscription billed by usage", () => {
  const use = async (business: TestBusiness, id: string, units: number) =>
    world.toSubscription(business, id, "usage", { units, reference: `${units}` });

  test("now: the usage up to now is billed with a last invoice", async () => {
    const business = await world.business();
    const [id, unused] = [
      await world.subscription(business, consumption),
      await world.subscription(business, consumption),
    ];
    await world.testClock(business, START + 35 * DAY_MS);
    dataOf(await use(business, id, 10), 201);
    const view = await cancelled(business, id, "now");
    expect(view).toMatchObject({ status: "cancelled", cancelledAt: day(35) });
    const used = await use(business, id, 11);
    expect(used.status).toBe(409);
    await cancelled(business, unused, "now");
    await world.testClock(business, FOREVER);
    expect(await billed(business, id)).toEqual(["3.00 paid", "8.00 paid"]);
    const [, last] = await world.ofSubscription(business, id, "/invoices");
    expect(last).toMatchObject({ periodStart: day(31), periodEnd: day(35), issuedAt: day(35) });
    expect(await billed(business, unused)).toEqual(["3.00 paid", "3.00 paid"]);
  });

  test("period_end: the last period is billed like all others", async () => {
    const business = await world.business();
    const id = await world.subscription(business, consumption);
    await world.testClock(business, START + 35 * DAY_MS);
    await cancelled(business, id, "period_end");
    dataOf(await use(business, id, 10), 201);
    await world.testClock(business, FOREVER);
    expect(await billed(business, id)).toEqual(["3.00 paid", "8.00 paid"]);
    const [, last] = await world.ofSubscription(business, id, "/invoices");
    expect(last).toMatchObject({ periodStart: day(31), periodEnd: day(59) });
  });

  test("now, with an unpaid invoice: the usage is owed, and retries go on", async () => {
    const business = await world.business();
    const [lost, found] = [
      await world.subscription(business, consumption, "0341"),
      await world.subscription(business, consumption, "9995"),
    ];
    await world.testClock(business, START + 32 * DAY_MS);
    for (const id of [lost, found]) {
      dataOf(await use(business, id, 2), 201);
      const { openInvoiceId } = await cancelled(business, id, "now");
      const path = `/invoices/${openInvoiceId}`;
      expect(await world.ofSubscription(business, id, path)).toMatchObject({
        status: "failed",
        nextAttemptAt: day(34),
      });
    }
    await books.cards.updateMany({ last4: "9995" }, { $set: { last4: "4242" } });
    await world.testClock(business, FOREVER);
    expect(await billed(business, lost)).toEqual(["3.00 void"]);
    expect((await books.invoicesOf(lost))[0]?.attempts).toHaveLength(5);
    expect(await billed(business, found)).toEqual(["3.00 paid", "4.00 paid"]);
    for (const id of [lost, found]) {
      const view = { status: "cancelled", cancelledAt: day(32), openInvoiceId: null };
      expect(await world.ofSubscription(business, id)).toMatchObject(view);
    }
  });
});

test("now, during an attempt: the attempt is decided first, and no other follows", async () => {
  const business = await world.business();
  const id = await world.subscription(business);
  const before = bank.asked.length;
  bank.silence(true);
  const setting = world.testClock(business, START + 60 * DAY_MS);
  await until(() => bank.asked.length > before, { awaited: "a charge" });
  expect(await cancelled(business, id, "now")).toMatchObject({ status: "cancelled" });
  expect(await billed(business, id)).toEqual(["25.00 open"]);
  bank.silence(false);
  await setting;
  await world.testClock(business, FOREVER);
  expect(await billed(business, id)).toEqual(["25.00 paid"]);
  expect(new Set(bank.asked.slice(before)).size).toBe(1);
  expect((await world.ofSubscription(business, id)).status).toBe("cancelled");
});

test("of concurrent cancels one succeeds, and the others are refused", async () => {
  const business = await world.business();
  const id = await world.subscription(business);
  const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(business, id, "now")));
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([200, ...Array(9).fill(409)]);
});
