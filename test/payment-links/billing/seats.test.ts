// Seats: the amount of a change, the invoice that has it, and the permission to change them; over
// two nodes.

import { type BillingBooks, openBillingBooks } from "../../support/billing.ts";
import type { Answer } from "../../support/http.ts";
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

type SeatBilling = "prorate" | "next_cycle" | "immediate";

/** Ten days from 2030-01-01 on: 20.00, and 30.00 for each seat, which is 3.00 a day. */
function subscription(
  newSeatBillingType: SeatBilling,
  details: object = {},
  { card = "4242", ...fields }: { card?: string; customerPays?: boolean } = {},
): Promise<string> {
  const seatDetails = { baseFee: 20, costPerSeat: 30, newSeatBillingType, ...details };
  const interval = { type: "day", count: 10 };
  return world.subscription(
    business,
    { ...fields, recurringCharge: { type: "seating", interval, seatDetails } },
    card,
  );
}

function set(id: string, seats: unknown): Promise<Answer> {
  return world.toSubscription(business, id, "seats", { seats });
}

interface ShownInvoice {
  periodStart: string;
  periodEnd: string;
  total: string;
  status: string;
  lines: { description: string; quantity: number; amount: string }[];
}

function invoicesOf(id: string): Promise<ShownInvoice[]> {
  return world.ofSubscription(business, id, "/invoices");
}

/** The first day, the total, and the amounts of the lines of each invoice. */
async function billed(id: string) {
  return (await invoicesOf(id)).map(({ periodStart, total, lines }) => [
    periodStart.slice(5, 10),
    total,
    lines.map(({ amount }) => amount).join(" "),
  ]);
}

describe("a change within a period", () => {
  test("that is prorated is a line on the next invoice, for more and for fewer seats", async () => {
    const id = await subscription("prorate");
    await world.testClock(business, "2030-01-06");
    expect(dataOf(await set(id, 3), 200)).toMatchObject({ id, seats: 3, status: "active" });
    await world.testClock(business, "2030-01-09");
    dataOf(await set(id, 2), 200);
    const preview = await world.ofSubscription(business, id, "/preview");
    await world.testClock(business, "2030-01-21");
    expect(await billed(id)).toEqual([
      ["01-01", "50.00", "20.00 30.00"],
      ["01-11", "104.00", "20.00 60.00 30.00 -6.00"],
      ["01-21", "80.00", "20.00 60.00"],
    ]);
    const [, second] = await invoicesOf(id);
    expect(second).toMatchObject({ lines: preview.lines, total: preview.total });
    expect(second?.lines.slice(2)).toEqual([
      {
        description:
          "Seats from 1 to 3 on 2030-01-06T00:00:00.000Z, for 432000000 of the period's 864000000 ms",
        quantity: 2,
        unitAmount: "30.00",
        amount: "30.00",
      },
      {
        description:
          "Seats from 3 to 2 on 2030-01-09T00:00:00.000Z, for 172800000 of the period's 864000000 ms",
        quantity: -1,
        unitAmount: "30.00",
        amount: "-6.00",
      },
    ]);
  });

  test("that waits for the next cycle has no line", async () => {
    const id = await subscription("next_cycle");
    await world.testClock(business, "2030-01-06");
    for (const seats of [40, 0, 3]) dataOf(await set(id, seats), 200);
    await world.testClock(business, "2030-01-11");
    expect(await billed(id)).toEqual([
      ["01-01", "50.00", "20.00 30.00"],
      ["01-11", "110.00", "20.00 90.00"],
    ]);
  });

  test("that is charged at once has a separate invoice; fewer seats are a credit", async () => {
    const id = await subscription("immediate", {}, { customerPays: true });
    await world.testClock(business, "2030-01-06");
    dataOf(await set(id, 3), 200);
    const [, charged] = await books.paid(id, 2);
    expect(charged).toMatchObject({
      occasion: expect.stringMatching(/^seats:/) as string,
      periodStart: Date.parse("2030-01-06"),
      periodEnd: Date.parse("2030-01-11"),
      totalMinor: 3_000,
      chargeMinor: 3_120,
      amountMinor: 3_000,
    });
    await world.testClock(business, "2030-01-09");
    dataOf(await set(id, 1), 200);
    await world.testClock(business, "2030-01-10");
    dataOf(await set(id, 6), 200);
    await world.testClock(business, "2030-01-11");
    expect(await billed(id)).toEqual([
      ["01-01", "50.00", "20.00 30.00"],
      ["01-06", "30.00", "30.00"],
      ["01-10", "3.00", "-12.00 15.00"],
      ["01-11", "200.00", "20.00 180.00"],
    ]);
    expect(Object.values(await books.chargedOf(id))).toEqual([1, 1, 1, 1]);
  });
});

test("a subscription begins with one seat, and seats change freely during the trial", async () => {
  for (const type of ["prorate", "immediate"] as const) {
    const id = await subscription(type);
    expect(await world.ofSubscription(business, id)).toMatchObject({ seats: 1 });
    for (const seats of [9, 0, 4]) dataOf(await set(id, seats), 200);
    expect(await world.ofSubscription(business, id, "/preview")).toMatchObject({ total: "140.00" });
  }
  await world.testClock(business, "2030-01-01");
  const found = await books.invoices.find({ businessId: business.id }).toArray();
  expect(found.map(({ totalMinor }) => totalMinor)).toEqual([14_000, 14_000]);
});

test("a credit above an invoice is carried on; an invoice of 0.00 is paid at once", async () => {
  const id = await subscription("prorate", { baseFee: 0, costPerSeat: 10 });
  dataOf(await set(id, 100), 200);
  await world.testClock(business, "2030-01-02");
  dataOf(await set(id, 30), 200);
  await world.testClock(business, "2030-01-31");
  const invoices = await invoicesOf(id);
  expect(invoices.map(({ status }) => status)).toEqual(["paid", "paid", "paid", "paid"]);
  expect(await billed(id)).toEqual([
    ["01-01", "1000.00", "0.00 1000.00"],
    ["01-11", "0.00", "0.00 300.00 -630.00 330.00"],
    ["01-21", "0.00", "-330.00 0.00 300.00 30.00"],
    ["01-31", "270.00", "-30.00 0.00 300.00"],
  ]);
  expect(invoices[1]?.lines[3]?.description).toBe("Credit carried to the next invoice");
  expect(invoices[2]?.lines[0]?.description).toBe("Credit from an earlier invoice");
  const charged = await books.chargedOf(id);
  expect(Object.values(charged)).toEqual([1, 1]);
});

test("changes unbilled at the cancellation have a last invoice if money is owed", async () => {
  const [more, fewer] = [await subscription("prorate"), await subscription("prorate")];
  const [ending, trial] = [await subscription("prorate"), await subscription("prorate")];
  dataOf(await set(trial, 50), 200);
  dataOf(await world.toSubscription(business, trial, "cancel", { at: "period_end" }), 200);
  await world.testClock(business, "2030-01-06");
  for (const id of [more, ending]) dataOf(await set(id, 3), 200);
  dataOf(await set(fewer, 0), 200);
  dataOf(await world.toSubscription(business, ending, "cancel", { at: "period_end" }), 200);
  for (const id of [more, fewer]) {
    dataOf(await world.toSubscription(business, id, "cancel", { at: "now" }), 200);
    expect((await set(id, 4)).status).toBe(409);
  }
  await world.testClock(business, "2030-02-01");
  const first = ["01-01", "50.00", "20.00 30.00"];
  expect(await billed(more)).toEqual([first, ["01-01", "30.00", "30.00"]]);
  expect(await billed(ending)).toEqual([first, ["01-01", "30.00", "30.00"]]);
  expect(await billed(fewer)).toEqual([first]);
  expect(await billed(trial)).toEqual([]);
  expect((await set(ending, 4)).body.message).toBe("The subscription is cancelled");
});

test("seats charged while an invoice is open are charged after it, each once", async () => {
  const id = await subscription("immediate", {}, { card: "0341" });
  await world.testClock(business, "2030-01-01");
  expect(dataOf(await set(id, 2), 200)).toMatchObject({ status: "past_due", seats: 2 });
  expect(dataOf(await set(id, 3), 200)).toMatchObject({ status: "past_due", seats: 3 });
  expect(await invoicesOf(id)).toHaveLength(1);
  const { body } = await world.toSubscription(business, id, "payment-method-link");
  const token = new URL(body.data.url).pathname.split("/").at(-1) as string;
  dataOf(await world.setup({ token }, await world.cardToken()), 200);
  await books.paid(id, 3);
  expect(await billed(id)).toEqual([
    ["01-01", "50.00", "20.00 30.00"],
    ["01-01", "30.00", "30.00"],
    ["01-01", "30.00", "30.00"],
  ]);
  expect(Object.values(await books.chargedOf(id))).toEqual([1, 1, 1]);
});

test("an invoice of seats, and so its key, is named by the change's number and seats", async () => {
  const id = await subscription("immediate");
  await world.testClock(business, "2030-01-01");
  for (const seats of [2, 1, 2, 4]) dataOf(await set(id, seats), 200);
  const occasions = (await books.paid(id, 4)).map(({ occasion }) => occasion);
  expect(occasions).toEqual(["period:0", "seats:1-1-2", "seats:3-1-2", "seats:4-2-4"]);
});

describe("a change is refused", () => {
  test("with an invalid number", async () => {
    const id = await subscription("prorate");
    for (const seats of [-1, 1.5, 1_000_001, "3", null, undefined, { $gt: 0 }, Number.MAX_VALUE]) {
      expect([seats, (await set(id, seats)).status]).toEqual([seats, 400]);
    }
    expect(dataOf(await set(id, 1_000_000), 200)).toMatchObject({ seats: 1_000_000 });
    expect(dataOf(await set(id, 0), 200)).toMatchObject({ seats: 0 });
  });

  test("for another business's subscription and for one that is not billed by seats", async () => {
    const id = await subscription("prorate");
    const plain = await world.subscription(business);
    const stranger = await world.business();
    const answer = await world.toSubscription(stranger, id, "seats", { seats: 2 });
    expect([answer.status, answer.body.message]).toEqual([404, "Subscription not found"]);
    const wrong = await set(plain, 2);
    expect([wrong.status, wrong.body.message]).toEqual([
      409,
      "The subscription is not billed by seats",
    ]);
    expect(await world.ofSubscription(business, plain)).toMatchObject({ seats: null });
  });

  test("if an invoice could exceed the highest charge", async () => {
    const id = await subscription("prorate", { costPerSeat: 10_000 });
    const message = "An invoice would exceed 9999999999.99";
    const whole = await set(id, 1_000_000);
    expect([whole.status, whole.body.message]).toEqual([409, message]);
    dataOf(await set(id, 999_000), 200);
    dataOf(await set(id, 1), 200);
    await world.testClock(business, "2030-01-06");
    // The first invoice has half of the price, the next one the whole price.
    expect((await set(id, 999_000)).body.message).toBe(message);
    dataOf(await set(id, 600_000), 200);
    expect((await set(id, 700_000)).status).toBe(409);
    dataOf(await set(id, 1), 200);
    expect(await world.ofSubscription(business, id)).toMatchObject({ seats: 1 });
  });

  test("if there would be more changes than an invoice has lines", async () => {
    const id = await subscription("prorate");
    await world.testClock(business, "2030-01-06");
    const at = Date.parse("2030-01-06");
    const changes = [...Array(1_000).keys()].map((i) => {
      return { id: `c${i}`, at, from: 1, to: 1, amountMinor: 1, isImmediate: false };
    });
    await books.subscriptions.updateOne({ _id: id }, { $set: { changes } });
    const answer = await set(id, 2);
    expect([answer.status, answer.body.message]).toEqual([
      409,
      "Seats were changed too often in this period",
    ]);
    await world.testClock(business, "2030-01-11");
    expect(dataOf(await set(id, 2), 200)).toMatchObject({ seats: 2 });
    const totals = (await invoicesOf(id)).map(({ total }) => total);
    expect(totals).toEqual(["50.00", "60.00"]);
  });
});

test.each(["prorate", "immediate"] as const)(
  "concurrent changes on two nodes (%s) at a boundary form one sequence without a loss",
  async (type) => {
    const id = await subscription(type);
    await world.testClock(business, "2030-01-06");
    const changes = [...Array(24).keys()].map((i) => set(id, 2 + ((i * 7) % 24)));
    const moved = world.testClock(business, "2030-01-11");
    const answers = await Promise.all(changes);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    await moved;
    await world.testClock(business, "2030-01-21");
    const { seats } = await world.ofSubscription(business, id);
    // Lists shorten long invoices, so the lines come from the database.
    const lines = (await books.invoicesOf(id)).flatMap((invoice) => invoice.lines);
    const pattern = /^Seats from (\d+) to (\d+)/;
    const steps = lines.flatMap(({ description }) => {
      const found = pattern.exec(description);
      return found ? [[Number(found[1]), Number(found[2])]] : [];
    });
    expect(steps).toHaveLength(24);
    expect(steps[0]?.[0]).toBe(1);
    for (const [i, [from]] of steps.entries()) if (i > 0) expect(from).toBe(steps[i - 1]?.[1]);
    expect(steps.at(-1)?.[1]).toBe(seats);
    const charged = Object.values(await books.chargedOf(id));
    expect(charged.every((times) => times === 1)).toBe(true);
  },
);
