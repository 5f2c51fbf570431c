// docs/integrate/billing.md is true: its commands run one after the other without changes, and its
// numbers are those that payrail computes.

import { divideHalfUp } from "../../../services/payment-links/billing/exact-decimals.ts";
import {
  prorate,
  sumLines,
  usageLines,
} from "../../../services/payment-links/billing/invoice-lines.ts";
import { boundaryAt, type Periodic } from "../../../services/payment-links/billing/periods.ts";
import type { Plan } from "../../../services/payment-links/billing/plan.ts";
import { chargeAmounts } from "../../../services/payment-links/links/charge-amounts.ts";
import { loadConfig } from "../../../shared/config/env.ts";
import { CHARGE_TYPES, SEAT_BILLINGS } from "../../../shared/contracts/payment-link-data.ts";
import {
  INVOICE_STATUSES,
  MAX_SEATS,
  MAX_UNITS,
  SUBSCRIPTION_STATUSES,
} from "../../../shared/contracts/subscriptions.ts";
import { ERRORS } from "../../../shared/errors.ts";
import { MAX_AMOUNT_MINOR, toDecimal } from "../../../shared/money.ts";
import { DAY_MS } from "../../support/billing.ts";
import { readDocument } from "../../support/document.ts";
import { pasteInto } from "../../support/pasted.ts";
import { testEnvironment } from "../../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../../support/world.ts";

const { page: PAGE, blocks, table: markedTable } = readDocument("docs/integrate/billing.md");

/** The rows of a table, without code marks. */
const table = (head: string) =>
  markedTable(head).map((cells) => cells.map((cell) => cell.replaceAll("`", "")));

let world: World;
let business: TestBusiness;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(async () => {
  business = await world.business();
});
afterAll(async () => {
  await world?.verifyBooks();
  await world?.stop();
});

test("the page's commands run without changes and make the documented invoice", async () => {
  const show = "get /v1/business/$BUSINESS/subscriptions/$SUBSCRIPTION/invoices/$INVOICE";
  const lines = await pasteInto(world, business, "docs/integrate/billing.md", show);
  const { data } = JSON.parse(lines.at(-1) as string) as { data: object };
  const [shown] = blocks("json").map((text) => JSON.parse(text) as object);
  expect(anonymous(data)).toEqual(anonymous(shown));
});

/** The body with fixed ids. */
function anonymous(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body).replaceAll(/"[\da-f]{8}-[\da-f]{4}-7[\da-f-]{21}"/g, '"id"'),
  );
}

test("the page's periods begin at the documented dates", () => {
  const rows = table("| `startDate` | `interval` |");
  expect(rows).toHaveLength(5);
  for (const [startDate = "", interval = "", begin = ""] of rows) {
    const [count, type] = interval.replace(/s$/, "").split(" ");
    const charge = { interval: { type, count: Number(count) } };
    const of = { anchorAt: Date.parse(startDate), plan: { charge } } as Periodic;
    const dates = [1, 2, 3, 4].map((k) => new Date(boundaryAt(of, k)).toISOString().slice(0, 10));
    expect([startDate, dates.join(", ")]).toEqual([startDate, begin]);
  }
});

test("the page's totals are the charged totals", () => {
  const fee = loadConfig(testEnvironment()).fees.CARD_COLLECTION.USD;
  const rows = table("| `total` | `customerPays` |");
  expect(rows).toHaveLength(7);
  for (const [total = "", pays, ...sums] of rows) {
    const totalMinor = Math.round(Number(total) * 100);
    const { chargeMinor, feesMinor, amountMinor } = chargeAmounts(
      { customerPays: pays === "true", fee },
      totalMinor,
    );
    const found = [chargeMinor, feesMinor, amountMinor].map(toDecimal);
    expect([total, pays, ...found]).toEqual([total, pays, ...sums]);
  }
});

test("the page's rounding is that of the product", () => {
  const rows = table("| exactly |");
  expect(rows).toHaveLength(5);
  for (const [exactly = "", rounded] of rows) {
    const [, decimals = ""] = exactly.split(".");
    const scale = 10n ** BigInt(decimals.length);
    const minor = divideHalfUp(BigInt(exactly.replace(".", "")) * 100n, scale);
    expect([exactly, toDecimal(Number(minor))]).toEqual([exactly, rounded]);
  }
});

test("the page's units have the documented prices", () => {
  const consumptionDetails = {
    unit: "call",
    costPerUnit: 0.0125,
    minimumUnits: 1_000,
    baseFee: 10,
  };
  const plan = { charge: { type: "consumption", consumptionDetails } } as Plan;
  const rows = table("| units | billed |");
  expect(rows).toHaveLength(5);
  for (const [units = "", ...shown] of rows) {
    const usage = { units: String(Math.round(Number(units) * 1_000_000)), late: "0" };
    const lines = usageLines(plan, usage);
    const line = lines.at(-1);
    const amounts = [line?.amountMinor ?? 0, sumLines(lines)].map(toDecimal);
    expect([units, String(line?.quantity), ...amounts]).toEqual([units, ...shown]);
  }
});

test("the page's changes of seats have the documented amounts", () => {
  const seatDetails = { baseFee: 20, costPerSeat: 30 };
  const charge = { interval: { type: "month", count: 1 }, seatDetails };
  const of = { anchorAt: Date.parse("2030-01-01"), plan: { charge } } as Periodic;
  const rows = table("| seats | changed at |");
  expect(rows).toHaveLength(4);
  for (const [seats = "", at = "", left = "", worth] of rows) {
    const [from = 0, to = 0] = seats.split(" to ").map(Number);
    expect([seats, toDecimal(prorate(of, { at: Date.parse(at), from, to }))]).toEqual([
      seats,
      worth,
    ]);
    const month = new Date(at).getUTCMonth();
    const [start, end] = [Date.UTC(2030, month), Date.UTC(2030, month + 1)];
    const days = (end - start) / DAY_MS;
    const leftMs = end - Date.parse(at);
    const amount = leftMs === 1 ? "1 ms" : String(leftMs / DAY_MS);
    expect(left).toBe(`${amount} of ${days} days`);
  }
});

interface Shown {
  periodStart: string;
  total: string;
  lines: { amount: string }[];
}

const seating = (seatDetails: object, interval: object) => ({
  recurringCharge: { type: "seating", interval, seatDetails },
});

test("seats are billed as documented in each of the three ways", async () => {
  const head = "| invoice of | `prorate` | `immediate` | `next_cycle` |";
  const types = ["prorate", "immediate", "next_cycle"] as const;
  const plans = types.map((newSeatBillingType) =>
    seating({ baseFee: 20, costPerSeat: 30, newSeatBillingType }, { type: "month", count: 1 }),
  );
  const ids = await Promise.all(plans.map((plan) => world.subscription(business, plan)));
  const setAll = async (at: string, seats: number) => {
    await world.testClock(business, at);
    for (const id of ids) {
      dataOf(await world.toSubscription(business, id, "seats", { seats }), 200);
    }
  };
  await setAll("2030-01-16T12:00:00Z", 4);
  await setAll("2030-01-25", 2);
  await world.testClock(business, "2030-03-01");
  const rows = table(head);
  for (const [i, id] of ids.entries()) {
    const invoices: Shown[] = await world.ofSubscription(business, id, "/invoices");
    const billed = invoices.map(({ periodStart, total }) => [periodStart.slice(0, 10), total]);
    const documented = rows.map((row) => [row[0], row[i + 1]]).filter(([, total]) => total !== "");
    expect(documented).toEqual(billed);
  }
});

test("credits are carried to later invoices as documented", async () => {
  const details = { baseFee: 0, costPerSeat: 10, newSeatBillingType: "prorate" };
  const id = await world.subscription(business, seating(details, { type: "day", count: 10 }));
  dataOf(await world.toSubscription(business, id, "seats", { seats: 100 }), 200);
  await world.testClock(business, "2030-01-02");
  dataOf(await world.toSubscription(business, id, "seats", { seats: 30 }), 200);
  await world.testClock(business, "2030-01-31");
  const invoices: Shown[] = await world.ofSubscription(business, id, "/invoices");
  const billed = invoices.map(({ periodStart, lines, total }) => {
    const amounts = lines.map(({ amount }) => amount).filter((amount) => amount !== "0.00");
    return [periodStart.slice(0, 10), amounts.join(" "), total];
  });
  expect(table("| invoice of | lines |")).toEqual(billed);
});

test("a declined card is charged again on the documented days", async () => {
  const id = await world.subscription(business, {}, "0341");
  await world.testClock(business, "2030-03-01");
  const [invoice] = await world.ofSubscription(business, id, "/invoices");
  const attempts = invoice.attempts as { at: string }[];
  const tried = attempts.map(({ at }, i) => {
    return [String(i + 1), String((Date.parse(at) - Date.parse("2030-01-01")) / DAY_MS)];
  });
  expect(table("| attempt |")).toEqual(tried);
  expect(invoice.status).toBe("void");
  expect(await world.ofSubscription(business, id)).toMatchObject({ status: "cancelled" });
});

test("the documented states, types, bounds and messages exist", () => {
  const statuses = table("| `status` |").map(([status]) => status);
  expect(statuses).toEqual([...SUBSCRIPTION_STATUSES]);
  const invoices = markedTable("| `status` | |\n|---|---|\n| `open`").map(([status]) => status);
  expect(invoices).toEqual(INVOICE_STATUSES.map((status) => `\`${status}\``));
  const names = (head: string) => new Set(table(head).map(([name]) => name));
  expect(names("| `type` |")).toEqual(new Set(CHARGE_TYPES));
  expect(names("| `newSeatBillingType` |")).toEqual(new Set(SEAT_BILLINGS));
  for (const bound of [MAX_UNITS, MAX_SEATS, toDecimal(MAX_AMOUNT_MINOR)]) {
    expect(PAGE).toContain(` ${bound}`);
  }
  for (const type of [
    "CONFLICT",
    "NOT_BILLED_BY_USAGE",
    "USAGE_NOT_TAKEN",
    "CHARGE_BOUND",
    "TOO_MANY_CHANGES",
  ] as const) {
    expect(PAGE).toContain(`\`${ERRORS[type].message}\``);
  }
});
