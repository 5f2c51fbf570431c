// Extreme values of billing: prices whose fee multiplies them, and moments at the end of the years
// that the API can show. The system answers each with a 4xx or with right values, never with a 500.

import {
  divideHalfUp,
  timesMinor,
} from "../../../services/payment-links/billing/exact-decimals.ts";
import { isChargeable } from "../../../services/payment-links/links/charge-amounts.ts";
import { computeFee } from "../../../shared/fees.ts";
import { MAX_AMOUNT_MINOR } from "../../../shared/money.ts";
import { seeded } from "../../support/traffic.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../../support/world.ts";

const MOST = MAX_AMOUNT_MINOR / 100;
/** Of ten thousand that a customer pays, one is left. */
const NEARLY_ALL = { fixed: 0, basisPoints: 9_999, min: 0, max: null };

let world: World;
let business: TestBusiness;

beforeAll(async () => {
  const FEES = JSON.stringify({ CARD_COLLECTION: { USD: NEARLY_ALL } });
  world = await startWorld({ environment: { FEES } });
});
beforeEach(async () => {
  business = await world.business();
});
afterAll(async () => {
  await world?.verifyBooks();
  await world?.stop();
});

const consumption = (details: object = {}) => ({
  customerPays: true,
  recurringCharge: {
    type: "consumption",
    consumptionDetails: { unit: "call", costPerUnit: 1, baseFee: 0, ...details },
  },
});
const seating = (details: object = {}) => ({
  customerPays: true,
  recurringCharge: {
    type: "seating",
    seatDetails: { baseFee: 0, costPerSeat: 1, newSeatBillingType: "prorate", ...details },
  },
});

describe("a fee of nearly all", () => {
  test.each([1_000_001, 45_000_000, 10_000_000_000, 1_000_000_000_000])(
    "refuses %d units as an invoice above the limit",
    async (units) => {
      const id = await world.subscription(business, consumption());
      await world.testClock(business, "2030-01-02");
      const answer = await world.toSubscription(business, id, "usage", { units, reference: "a" });
      expect([answer.status, answer.body.message]).toEqual([
        409,
        "An invoice would exceed 9999999999.99",
      ]);
      const preview = await world.ofSubscription(business, id, "/preview");
      expect(preview.total).toBe("0.00");
    },
  );

  test.each([
    [1, 1_000_000],
    [9_999.99, 1_000_000],
    [999_999.99, 2],
  ])("refuses %d a seat for %d seats", async (costPerSeat, seats) => {
    const id = await world.subscription(business, seating({ costPerSeat }));
    await world.testClock(business, "2030-01-02");
    const answer = await world.toSubscription(business, id, "seats", { seats });
    expect(answer.status).toBe(409);
    expect((await world.ofSubscription(business, id)).seats).toBe(1);
  });

  test.each([MOST, 5_000_000_000, 45_000_000, 1_000_000.01])(
    "refuses a link of a base fee of %d",
    async (baseFee) => {
      for (const fields of [consumption({ baseFee }), seating({ baseFee })]) {
        await expect(world.recurringLink(business, fields)).rejects.toThrow("must cost at most");
      }
    },
  );

  test("is charged where the whole charge is within the limit", async () => {
    const id = await world.subscription(business, consumption());
    await world.testClock(business, "2030-01-02");
    const used = { units: 999_999, reference: "a" };
    dataOf(await world.toSubscription(business, id, "usage", used), 201);
    await world.testClock(business, "2030-02-01");
    const [invoice] = await world.ofSubscription(business, id, "/invoices");
    expect(invoice).toMatchObject({ total: "999999.00", charged: "9999989950.01" });
  });
});

test("a total can be charged exactly if some charge leaves it, for every fee and total", () => {
  const random = seeded();
  for (let i = 0; i < 2_000; i++) {
    const fee = {
      fixed: random.below(3) === 0 ? random.below(1_000_000) : 0,
      basisPoints: random.oneOf([0, 290, 5_000, 9_990, 9_999, random.below(10_000)]),
      min: 0,
      max: random.below(4) === 0 ? random.below(1_000_000) : null,
    };
    const digits = random.below(13);
    const totalMinor = Math.min(
      MAX_AMOUNT_MINOR,
      random.below(10) * 10 ** digits + random.below(9),
    );
    const left = MAX_AMOUNT_MINOR - computeFee(fee, MAX_AMOUNT_MINOR);
    const tried = JSON.stringify({ fee, totalMinor });
    for (const customerPays of [true, false]) {
      const expected = customerPays && totalMinor > 0 ? totalMinor <= left : true;
      expect([tried, isChargeable({ customerPays, fee }, totalMinor)]).toEqual([tried, expected]);
    }
  }
});

describe("the last year that the API can show", () => {
  const LAST = "9999-12-31T23:59:59.999Z";

  test.each([
    ["9999-12-30T00:00:00.000Z", { type: "month", count: 1 }],
    ["9999-12-30T00:00:00.000Z", { type: "day", count: 1_000 }],
    ["9000-01-01T00:00:00.000Z", { type: "year", count: 1_000 }],
    ["2030-01-01T00:00:00.000Z", { type: "year", count: 1_000 }],
  ])("ends the periods from %s of %j", async (startDate, interval) => {
    const link = { customerPays: true, expiredAt: LAST, recurringCharge: { startDate, interval } };
    const id = await world.subscription(business, link);
    const preview = await world.ofSubscription(business, id, "/preview");
    const shown = [await world.ofSubscription(business, id), preview];
    expect(JSON.stringify(shown)).not.toMatch(/"[+-]\d{6}-/);
    expect(preview.periodEnd <= LAST).toBe(true);
  });

  test("ends the period of usage that is reported far ahead", async () => {
    const fields = consumption();
    Object.assign(fields.recurringCharge, { interval: { type: "year", count: 1_000 } });
    const id = await world.subscription(business, fields);
    await world.testClock(business, "2030-01-02");
    const used = { units: 1, reference: "a", at: LAST };
    const taken = dataOf(await world.toSubscription(business, id, "usage", used), 201);
    expect(taken).toMatchObject({
      periodStart: "9030-01-01T00:00:00.000Z",
      periodEnd: LAST,
    });
  });
});

describe("the total of an item", () => {
  test.each([
    [1.005, 100, 101],
    [2.675, 100, 268],
    [8.325, 100, 833],
    [1.004999999999999, 100, 100],
    [1.000000000000001, 50, 50],
    [1e-7, 4_999_999, 0],
    [1e-7, 5_000_000, 1],
    [0.1 + 0.2, 1_000, 300],
    [1_000_000, 999_999_999_999, 999_999_999_999_000_000],
    [0, 12, 0],
    [5e-324, 999_999_999_999, 0],
  ])("%d of %d cents is %d, half up", (quantity, priceMinor, totalMinor) => {
    expect(timesMinor(quantity, priceMinor)).toBe(totalMinor);
  });

  test("equals that of whole numbers, for every number of decimals", () => {
    const random = seeded();
    for (let i = 0; i < 2_000; i++) {
      const places = random.below(7);
      const units = random.below(10_000_000);
      const priceMinor = random.below(1_000_000_000);
      const quantity = Number(`${units}e-${places}`);
      const exact = divideHalfUp(BigInt(units) * BigInt(priceMinor), 10n ** BigInt(places));
      expect([quantity, priceMinor, timesMinor(quantity, priceMinor)]).toEqual([
        quantity,
        priceMinor,
        Number(exact),
      ]);
    }
  });

  test.each([
    [1.005, 1, 1.01, ["1.01"]],
    [1.005, 1, 1, [undefined]],
    [8.325, 1, 8.33, ["8.33"]],
    [2.675, 1, 2.68, ["2.68"]],
  ])("is shown for %d at %d if the link is over %d: %j", async (qty, price, amount, totals) => {
    const cartItems = [{ name: "Tulips", description: "By weight", qty, price }];
    const { token } = await world.paymentLink(business, { amount, customerPays: true, cartItems });
    const view = dataOf(await world.http.get(`/v1/checkout/${token}`), 200);
    expect(view.items.map(({ total }: { total?: string }) => total)).toEqual(totals);
  });
});
