// The test clock: it stands still, and moving it has the effects of the real time, in the order of
// the due times and for one business alone. The effects come before the answer, and also after the
// crash of a node and for several concurrent requests.

import mongoose, { type mongo } from "mongoose";
import type { BillingClock } from "../../../services/payment-links/billing/clock.model.ts";
import type { Invoice } from "../../../services/payment-links/billing/invoice.model.ts";
import type { Subscription } from "../../../services/payment-links/billing/subscription.model.ts";
import type { Point } from "../../../services/payment-links/points.ts";
import { newId } from "../../../shared/ids.ts";
import { freezer } from "../../support/freezer.ts";
import { until } from "../../support/system.ts";
import { OFTEN } from "../../support/turns.ts";
import {
  dataOf,
  startWorld,
  type TestBusiness,
  type TestHook,
  type World,
} from "../../support/world.ts";

let world: World;
let connection: mongoose.Connection;
let clocks: mongo.Collection<BillingClock>;
let subscriptions: mongo.Collection<Subscription>;
let invoices: mongo.Collection<Invoice>;
let business: TestBusiness;
let hook: TestHook;
const { reached, freeze } = freezer<Point>();

beforeAll(async () => {
  world = await startWorld({ paymentLinksInstead: [{ reached, turns: OFTEN }] });
  connection = await mongoose
    .createConnection(world.config.mongoUrl as string, { readConcernLevel: "majority" })
    .asPromise();
  const db = connection.getClient().db(connection.name);
  clocks = db.collection("billing_clocks");
  subscriptions = db.collection("subscriptions");
  invoices = db.collection("invoices");
});

beforeEach(async () => {
  business = await world.business();
  hook = await world.hook(business, { eventTypes: ["SUBSCRIPTION", "INVOICE"] });
});

afterAll(async () => {
  await world?.verifyBooks();
  await connection?.close();
  await world?.stop();
});

/** Sets the clock; the test checks the answer. */
function set(now: unknown, { id, token } = business) {
  return world.http.post(`/v1/business/${id}/test-clock`, { now }, { token });
}

/** The invoices of the business, ordered by their numbers. */
function issued(): Promise<Invoice[]> {
  return invoices.find({ businessId: business.id }).sort({ number: 1 }).toArray();
}

const day = (ms = 0) => new Date(ms).toISOString().slice(0, 10);

test("the test clock moves its own business alone and stands still", async () => {
  const other = await world.business();
  const [own, others] = [await world.subscription(business), await world.subscription(other)];
  const answer = await set("2030-02-10T12:00:00+02:00");
  const now = "2030-02-10T10:00:00.000Z";
  expect(dataOf(answer, 200)).toEqual({ id: business.id, now });
  expect(await world.ofSubscription(business, own)).toMatchObject({
    status: "active",
    nextInvoiceAt: "2030-03-01T00:00:00.000Z",
  });
  expect(await world.ofSubscription(other, others)).toMatchObject({ status: "trialing" });
  expect((await issued()).map(({ status }) => status)).toEqual(["paid", "paid"]);
  // A set-up happens at the clock's time, which has not moved.
  const late = await world.subscription(business);
  expect(await world.ofSubscription(business, late)).toMatchObject({
    createdAt: now,
    startDate: now,
  });
});

test("a jump of three months shows the retries and the cancellation", async () => {
  const id = await world.subscription(business, {}, "0341");
  await world.testClock(business, "2030-04-01");
  expect(await world.ofSubscription(business, id)).toMatchObject({
    status: "cancelled",
    cancelledAt: "2030-01-08T00:00:00.000Z",
    nextInvoiceAt: null,
  });
  const [invoice, ...more] = await world.ofSubscription(business, id, "/invoices");
  expect(more).toEqual([]);
  expect(invoice).toMatchObject({ status: "void", nextAttemptAt: null });
  const tried = (invoice.attempts as { at: string; status: string }[]).map(({ at }) => at);
  expect(tried.map((at) => at.slice(0, 10))).toEqual([
    "2030-01-01",
    "2030-01-02",
    "2030-01-04",
    "2030-01-06",
    "2030-01-08",
  ]);
  await until(() => hook.received.length >= 8, { awaited: "all events" });
  const heard = (type: string) =>
    hook.received
      .map(({ body }) => body)
      .filter(({ eventType }) => eventType === type)
      .toSorted((a, b) => a.payload.timestamp - b.payload.timestamp);
  const states = heard("SUBSCRIPTION");
  expect(states.map(({ status }) => status)).toEqual(["created", "past_due", "cancelled"]);
  expect(states.at(-1)?.payload).toMatchObject({ cancelledAt: "2030-01-08T00:00:00.000Z" });
  const failures = heard("INVOICE");
  expect(failures.map(({ status }) => status)).toEqual(Array(5).fill("failed"));
  const nexts = failures.map(({ payload }) => payload.nextAttemptAt);
  expect(nexts).toEqual([...tried.slice(1), null]);
});

test("due actions run in the order of their times, over all subscriptions", async () => {
  const starting = (date: string, type: string, count = 1) => ({
    recurringCharge: { startDate: `2030-${date}`, interval: { type, count } },
  });
  await Promise.all([
    world.subscription(business, starting("01-01", "month")),
    world.subscription(business, starting("01-03", "day", 5)),
    world.subscription(business, starting("01-31", "week", 2)),
    world.subscription(business, starting("01-15", "month"), "0341"),
    world.subscription(business, starting("02-01", "month"), "0002"),
  ]);
  await world.testClock(business, "2030-04-01");
  const found = await issued();
  expect(found.length).toBeGreaterThan(25);
  const inOrder = found.toSorted((a, b) => a.issuedAt - b.issuedAt || a.number - b.number);
  expect(found.map(({ number }) => number)).toEqual(inOrder.map(({ number }) => number));
  // The id of a payment has the time of its creation.
  const attempts = found.flatMap((invoice) => invoice.attempts);
  const begun = attempts.toSorted((a, b) => (a.paymentId < b.paymentId ? -1 : 1));
  const moments = begun.map(({ at }) => at);
  expect(moments).toEqual(moments.toSorted((a, b) => a - b));
});

test("another driver resumes a run that its node left", async () => {
  await world.subscription(business);
  await world.testClock(business, "2030-01-15");
  const left = { step: "run" as const, until: Date.parse("2030-03-15"), nextAttemptAt: Date.now() };
  await clocks.updateOne({ _id: business.id }, { $set: left, $inc: { v: 1 } });
  const rests = () => clocks.findOne({ _id: business.id, step: "rest", now: left.until });
  await until(rests, { awaited: "the idle state of the clock" });
  const periods = (await issued()).map(({ periodStart }) => day(periodStart));
  expect(periods).toEqual(["2030-01-01", "2030-02-01", "2030-03-01"]);
});

test("a repeated time waits until the clock rests, and then changes nothing", async () => {
  await world.subscription(business);
  const frozen = freeze("invoice-inserted");
  const first = set("2030-01-20");
  await frozen.reached;
  let isAnswered = false;
  const second = set("2030-01-20").finally(() => {
    isAnswered = true;
  });
  // These requests are newer than the second one, and all of them are answered.
  for (let i = 0; i < 3; i++) await world.business();
  expect(isAnswered).toBe(false);
  frozen.release();
  expect([await first, await second].map(({ status }) => status)).toEqual([200, 200]);
  expect((await issued()).map(({ status }) => status)).toEqual(["paid"]);
  const all = () => subscriptions.find({ businessId: business.id }).toArray();
  // The events are sent after the answer.
  const isRelayed = async () =>
    (await all()).every(({ states, relayed }) => relayed === states.length);
  await until(isRelayed, { awaited: "the delivery of the subscription's events" });
  const before = await all();
  expect((await set("2030-01-20")).status).toBe(200);
  expect(await all()).toEqual(before);
});

test("concurrent times move the clock to the latest one, and each period is billed once", async () => {
  await world.subscription(business);
  const moments = ["2030-03-10", "2030-01-10", "2030-05-10", "2030-04-10", "2030-05-10"];
  const answers = await Promise.all(moments.map((moment) => set(moment)));
  for (const [i, { status }] of answers.entries()) {
    // A request that comes after a later time is too late.
    expect(moments[i] === "2030-05-10" ? [200] : [200, 400]).toContain(status);
  }
  const clock = await clocks.findOne({ _id: business.id });
  expect([clock?.step, day(clock?.now)]).toEqual(["rest", "2030-05-10"]);
  const found = await issued();
  expect(found.map(({ occasion }) => occasion)).toEqual([0, 1, 2, 3, 4].map((k) => `period:${k}`));
});

describe("the clock stays at its time, with a 400, for", () => {
  beforeEach(() => world.testClock(business, "2030-01-31T10:00:00Z"));

  afterEach(async () => {
    const clock = await clocks.findOne({ _id: business.id });
    expect([clock?.step, clock?.now]).toEqual(["rest", Date.parse("2030-01-31T10:00:00Z")]);
  });

  test.each([
    ["an earlier moment", "2030-01-31T09:59:59.999Z"],
    ["more than ten years on", "2040-01-31T10:00:00.001Z"],
    ["ten thousand years on", "+012030-01-31T10:00:00Z"],
    ["the last possible year", "9999-12-31"],
    ["a day that does not exist", "2030-02-30"],
    ["a text that is no date", "soon"],
    ["a number", 1_900_000_000_000],
    ["null", null],
    ["no value", undefined],
    ["an object", { $gt: "" }],
    ["a list", ["2030-02-01"]],
  ])("%s", async (_name, now) => {
    const { status, body } = await set(now);
    expect([status, body.message]).toEqual([400, expect.stringContaining("now")]);
  });
});

test("a new clock is never set before the real time; a set clock can move ten years on", async () => {
  expect((await set(new Date(Date.now() - 1_000).toISOString())).status).toBe(400);
  expect(await clocks.findOne({ _id: business.id })).toBeNull();
  await world.testClock(business, "2030-02-28T00:00:00Z");
  expect((await set("2040-02-28T00:00:00Z")).status).toBe(200);
});

test("outside the sandbox there is no test clock", async () => {
  const outside = await startWorld({ environment: { SANDBOX: "false" } });
  try {
    const { id: businessId, token } = await outside.business();
    const now = "2030-02-01T00:00:00Z";
    const path = `/v1/business/${businessId}/test-clock`;
    const { status, body } = await outside.http.post(path, { now }, { token });
    expect([status, body.message]).toEqual([404, "Not found"]);
    const call = outside.call("payment-links.setTestClock", { businessId: newId(), now });
    await expect(call).rejects.toMatchObject({ type: "NOT_FOUND" });
  } finally {
    await outside.stop();
  }
});
