// GET /v1/business/:businessId/statistics and GET /v1/admin/statistics: payouts, collections and
// refunds by the day of their creation and by their outcome.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import type { Payout } from "../../services/payouts/payout.model.ts";
import { lowestIdAt } from "../../shared/ids.ts";
import { refusal, withoutId } from "../support/refusal.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

const DAY_MS = 86_400_000;

interface Row {
  day: string;
  flow: string;
  succeeded: number;
  failed: number;
  open: number;
  [field: string]: unknown;
}

let world: World;
let stored: mongoose.Connection;
beforeAll(async () => {
  world = await startWorld();
  stored = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});
afterAll(async () => {
  await stored?.close();
  await world?.stop();
});

const pathOf = ({ id }: { id: string }, query = "") => `/v1/business/${id}/statistics${query}`;

async function statistics(business: TestBusiness, query = ""): Promise<Row[]> {
  const answer = await world.http.get(pathOf(business, query), { token: business.token });
  return dataOf(answer, 200);
}

const isUsed = ({ succeeded, failed, open }: Row) => succeeded + failed + open > 0;

const ZERO = {
  succeeded: 0,
  failed: 0,
  open: 0,
  amount: "0.00",
  fees: "0.00",
  secondsToSettle: null,
};

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

test("without anything there is a row of zeros for each flow of the last 30 days", async () => {
  const before = Date.now();
  const rows = await statistics(await world.business());
  // The test may run over midnight.
  const today = [dayOf(before), dayOf(Date.now())];
  const last = rows.at(-1)?.day as string;
  expect(today).toContain(last);
  const days = Array.from({ length: 30 }, (_, i) => dayOf(Date.parse(last) - (29 - i) * DAY_MS));
  const flows = ["payouts", "collections", "refunds"];
  expect(rows).toEqual(
    days.flatMap((day) => flows.map((flow) => ({ day, flow, currency: "USD", ...ZERO }))),
  );
});

test("payouts, payments and refunds are counted by their outcomes, with sums of those that succeeded", async () => {
  const { business, user, wallet } = await world.payer(1_000);
  for (const [lastFour, routingType, status] of [
    ["6789", "ACH", "SUCCESS"],
    ["6789", "WIRE", "SUCCESS"],
    ["0004", "ACH", "FAILED"],
    ["0010", "ACH", "PENDING"],
  ] as const) {
    const bank = await world.bank(business, wallet, lastFour);
    const { id } = dataOf(await world.withdraw(user, bank, { amount: 20, routingType }), 200);
    await world.status(business, id, status);
  }
  // A declined withdrawal was never accepted, and counts nowhere.
  const bank = await world.bank(business, wallet);
  expect((await world.withdraw(user, bank, { amount: 5_000 })).status).toBe(400);

  const pay = async (amount: number, lastFour?: string) => {
    const link = await world.paymentLink(business, { amount, customerPays: false });
    return dataOf(await world.pay(link, await world.cardToken(lastFour)), 200).id as string;
  };
  const paid = await pay(50);
  await pay(10);
  await pay(10, "0002");
  const refused = await pay(30, "5126");
  const { token } = business;
  for (const [id, amount, status] of [
    [paid, 10, "SUCCEEDED"],
    [refused, 5, "FAILED"],
  ] as const) {
    const path = `/v1/business/${business.id}/payments/${id}/refunds`;
    const refund = await world.http.post(path, { amount, reference: "return" }, { token });
    expect(dataOf(refund, 201).status).toBe(status);
  }

  const { secondsToSettle, ...payouts } = (await statistics(business)).filter(isUsed)[0] as Row;
  expect(payouts).toMatchObject({
    flow: "payouts",
    currency: "USD",
    succeeded: 2,
    failed: 1,
    open: 1,
    // As the transactions show them: 20.00 each, with fees of 0.25 and 15.00.
    amount: "55.25",
    fees: "15.25",
  });
  const { median, p95 } = secondsToSettle as { median: number; p95: number };
  expect(median).toBeGreaterThan(0);
  expect(p95).toBeGreaterThanOrEqual(median);
  const others = (await statistics(business)).filter(isUsed).slice(1);
  expect(others.map(({ day: _day, ...row }) => row)).toEqual([
    {
      ...ZERO,
      flow: "collections",
      currency: "USD",
      succeeded: 3,
      failed: 1,
      amount: "90.00",
      fees: "3.51",
    },
    {
      ...ZERO,
      flow: "refunds",
      currency: "USD",
      succeeded: 1,
      failed: 1,
      amount: "10.00",
      fees: "0.35",
    },
  ]);
  expect((await statistics(business, "?currency=EUR")).filter(isUsed)).toEqual([]);
  await world.verifyBooks();
});

/** Stores copies of a payout, each made at its moment, and settled that many ms later if at all. */
async function plant(copies: { at: number; settledMs?: number }[]): Promise<TestBusiness> {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet);
  const { id: _id } = dataOf(await world.withdraw(user, bank), 200);
  const payouts = stored.collection<Payout>("payouts");
  await world.status(business, _id, "SUCCESS");
  const found = (await payouts.findOne({ _id })) as Payout;
  // Nothing drives the copies.
  const { nextAttemptAt: _due, stepAt: _step, ...payout } = found;
  await payouts.insertMany(
    copies.map(({ at, settledMs }) => {
      const states: Payout["states"] = [{ status: "PENDING", at }];
      if (settledMs !== undefined) states.push({ status: "SUCCESS", at: at + settledMs });
      const status = states.at(-1)?.status as Payout["status"];
      return { ...payout, _id: lowestIdAt(at), states, status };
    }),
  );
  return business;
}

test("a day begins at midnight in UTC, and the asked time at its own moment", async () => {
  const midnight = Date.parse("2025-03-02T00:00:00.000Z");
  const noon = midnight + DAY_MS / 2;
  const business = await plant([
    { at: midnight - 1 },
    { at: midnight },
    { at: noon - 1 },
    { at: noon },
    { at: midnight + DAY_MS - 1 },
    { at: midnight + DAY_MS },
  ]);
  const open = async (query: string) =>
    (await statistics(business, `?${query}`))
      .filter(({ flow }) => flow === "payouts")
      .map((row) => [row.day, row.open]);
  expect(await open("from=2025-03-01&to=2025-03-04")).toEqual([
    ["2025-03-01", 1],
    ["2025-03-02", 4],
    ["2025-03-03", 1],
  ]);
  expect(await open("from=2025-03-02&to=2025-03-03")).toEqual([["2025-03-02", 4]]);
  expect(await open("from=2025-03-02T12:00:00Z&to=2025-03-03T00:00:00.001Z")).toEqual([
    ["2025-03-02", 2],
    ["2025-03-03", 1],
  ]);
  expect(await open("from=2025-03-02T12:00:00.001%2B00:00&to=2025-03-02T23:59:59.999Z")).toEqual([
    ["2025-03-02", 0],
  ]);
  expect(await open("from=2025-03-01T23:59:59.999-00:00&to=2025-03-02T00:00:00Z")).toEqual([
    ["2025-03-01", 1],
  ]);
  const whole = await open("from=2025-01-01&to=2025-04-03");
  expect(whole).toHaveLength(92);
  expect(whole.filter(([, count]) => count !== 0)).toHaveLength(3);
});

test("the times to settlement are percentiles by rank, of those that have succeeded", async () => {
  const day = Date.parse("2025-05-05T00:00:00.000Z");
  const times = Array.from({ length: 20 }, (_, i) => ({
    at: day + 1 + i,
    settledMs: (20 - i) * 500,
  }));
  const alone = { at: day + DAY_MS, settledMs: 7_250 };
  const business = await plant([...times, { at: day + 100 }, alone]);
  const rows = await statistics(business, "?from=2025-05-05&to=2025-05-07");
  const payouts = rows.filter(({ flow }) => flow === "payouts");
  expect(payouts).toMatchObject([
    { succeeded: 20, open: 1, secondsToSettle: { median: 5, p95: 9.5 } },
    { succeeded: 1, open: 0, secondsToSettle: { median: 7.25, p95: 7.25 } },
  ]);
});

test.each([
  ["from=yesterday", "from must be an ISO 8601 date or time"],
  ["to=2025-13-01", "to must be an ISO 8601 date or time"],
  ["currency=JPY", "currency must be one of"],
  ["currency=usd", "currency must be one of"],
  ["from=2025-01-02&to=2025-01-02", "from must be before to"],
  ["from=2025-01-02&to=2025-01-01", "from must be before to"],
  ["from=2999-01-01", "from must be before to"],
  ["from=2025-01-01&to=2025-04-03T00:00:00.001Z", "from must be at most 92 days before to"],
  ["from=2025-01-01", "from must be at most 92 days before to"],
  ["from=0000-01-01&to=9999-12-31", "from must be at most 92 days before to"],
])("with %s is a 400 that names the field", async (query, message) => {
  const { id, token } = await world.business();
  const { status, body } = await world.http.get(pathOf({ id }, `?${query}`), { token });
  expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
});

test("the first and the last moments are answered", async () => {
  const business = await world.business();
  for (const query of ["?from=0000-01-01&to=0000-01-02", "?from=9999-12-30&to=9999-12-31"]) {
    expect(await statistics(business, query)).toHaveLength(3);
  }
});

test("of another business are answered like those of an unknown one, and only a merchant sees them", async () => {
  const { business, user } = await world.payer();
  const { token } = await world.business();
  const others = await world.http.get(pathOf(business), { token });
  expect([others.status, others.body]).toEqual([404, refusal("Business not found")]);
  const unknown = await world.http.get(pathOf({ id: randomUUID() }), { token });
  expect(withoutId(unknown.body)).toEqual(withoutId(others.body));
  for (const wrong of [user.token, world.tokens.admin(randomUUID())]) {
    expect((await world.http.get(pathOf(business), { token: wrong })).status).toBe(401);
  }
});

test("over the database's time limit it is a 503 with advice", async () => {
  const business = await world.business();
  const { token } = business;
  const expired = Object.assign(new Error("operation exceeded time limit"), { code: 50 });
  const spy = jest.spyOn(mongoose.mongo.AggregationCursor.prototype, "toArray");
  spy.mockRejectedValueOnce(expired);
  const { status, body } = await world.http.get(pathOf(business), { token });
  spy.mockRestore();
  const message = "The list took too long. Please narrow the search.";
  expect([status, body]).toEqual([503, refusal(message)]);
});

test("read the documents of their days alone, by an index", async () => {
  const day = Date.parse("2025-06-01T00:00:00.000Z");
  const business = await plant([
    { at: day - DAY_MS + 1 },
    { at: day + 1 },
    { at: day + DAY_MS + 1 },
  ]);
  await stored.db?.command({ profile: 2 });
  const rows = await statistics(business, "?from=2025-06-01&to=2025-06-02");
  await stored.db?.command({ profile: 0 });
  expect(rows.filter(isUsed)).toMatchObject([{ flow: "payouts", open: 1 }]);
  const reads = stored.db
    ?.collection("system.profile")
    .find({ "command.pipeline.1.$group": { $exists: true } });
  const plans = (await reads?.toArray())?.map(({ ns, planSummary, docsExamined }) => [
    ns.split(".")[1],
    planSummary,
    docsExamined,
  ]);
  expect(plans?.toSorted()).toEqual([
    ["payment_refunds", "IXSCAN { businessId: 1, _id: 1 }", 0],
    ["payments", "IXSCAN { businessId: 1, _id: 1 }", 0],
    ["payouts", "IXSCAN { businessId: 1, flow: 1, status: 1, _id: -1 }", 1],
  ]);
});

test("an operator has the statistics of all businesses together", async () => {
  const all = async (): Promise<Row[]> => {
    const token = world.tokens.admin(randomUUID());
    return dataOf(await world.http.get("/v1/admin/statistics", { token }), 200);
  };
  const payouts = async () => {
    const rows = (await all()).filter(({ flow }) => flow === "payouts");
    return {
      succeeded: rows.reduce((sum, { succeeded }) => sum + succeeded, 0),
      cents: rows.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0),
    };
  };
  const before = await payouts();
  for (let i = 0; i < 2; i++) {
    const { business, user, wallet } = await world.payer(100);
    const { id } = dataOf(await world.withdraw(user, await world.bank(business, wallet)), 200);
    await world.status(business, id, "SUCCESS");
  }
  const after = await payouts();
  expect(after.succeeded - before.succeeded).toBe(2);
  expect(after.cents - before.cents).toBe(5_050);
  expect((await all()).every(({ secondsToSettle }) => secondsToSettle === null)).toBe(true);
});

test("only an operator has the statistics of all businesses", async () => {
  const { token } = await world.business();
  expect((await world.http.get("/v1/admin/statistics", { token })).status).toBe(401);
});
