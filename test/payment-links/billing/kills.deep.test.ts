// Processes are killed with SIGKILL during billing, twenty times at random moments, one of two
// replicas or both, over a real NATS. A test clock moves meanwhile, and a backlog of months is
// billed by the real time. No invoice is charged twice, no period is skipped, and the books are
// right.

import type { ChildProcess } from "node:child_process";
import mongoose, { type mongo } from "mongoose";
import type { SandboxCharge } from "../../../partners/sandbox/acquirer.ts";
import type { Invoice } from "../../../services/payment-links/billing/invoice.model.ts";
import type { Subscription } from "../../../services/payment-links/billing/subscription.model.ts";
import type { Payment } from "../../../services/payment-links/payments/payment.model.ts";
import { toDecimal } from "../../../shared/money.ts";
import { CAPTURED } from "../../support/billing.ts";
import { endOf, startService } from "../../support/processes.ts";
import { until } from "../../support/system.ts";
import { type Random, seeded } from "../../support/traffic.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../../support/world.ts";

const KILLS = 20;
const DAY_MS = 24 * 3_600_000;
/** The backlog's length in days of the real time. */
const BACKLOG_DAYS = 60;

let world: World;
let connection: mongoose.Connection;
let subscriptions: mongo.Collection<Subscription>;
let invoices: mongo.Collection<Invoice>;
let payments: mongo.Collection<Payment>;
let charges: mongo.Collection<SandboxCharge>;

interface Replica {
  child: ChildProcess;
  nodeID: string;
}
let replicas: Replica[] = [];

beforeAll(async () => {
  world = await startWorld({ overNats: true, paymentLinksInstead: [] });
  connection = await mongoose
    .createConnection(world.config.mongoUrl as string, { readConcernLevel: "majority" })
    .asPromise();
  const db = connection.getClient().db(connection.name);
  subscriptions = db.collection("subscriptions");
  invoices = db.collection("invoices");
  payments = db.collection("payments");
  charges = db.collection("sandbox_charges");
  replicas = await Promise.all([replica(), replica()]);
});

afterAll(async () => {
  try {
    await world?.verifyBooks();
  } finally {
    for (const { child } of replicas) child.kill("SIGKILL");
    await connection?.close();
    await world?.stop();
  }
});

function replica(): Promise<Replica> {
  return startService(world, "payment-links");
}

test("replicas killed during billing charge no invoice twice and skip no period", async () => {
  const random = seeded();
  const [moved, left] = [await world.business(), await world.business()];
  for (const type of ["subscription", "seating", "consumption"]) {
    for (const lastFour of ["4242", "4242", "0341"]) {
      await subscribe(moved, type, lastFour);
      await leaveBehind(await subscribe(left, type, lastFour));
    }
  }
  // The acquirer does not answer the first charge of 0119; the repeat finds it captured.
  await leaveBehind(await subscribe(left, "subscription", "0119", 30));

  let now = Date.parse(START);
  let kills = 0;
  let units = 0;
  const used = await findPayingSubscription(moved, "consumption");
  while (kills < KILLS) {
    now += random.below(3 * DAY_MS);
    kills += await moveAndKill(moved, now, random);
    units += await use(moved, used, 1 + random.below(1_000));
  }
  now += DAY_MS;
  await moveAndKill(moved, now, random);
  await until(() => isCaughtUp(left), { awaited: "the billing of the backlog", within: 120_000 });
  await expectNothingSkipped(moved, now);
  await expectNothingSkipped(left, Date.now());
  await expectChargedOnce(moved);
  await expectChargedOnce(left);
  const billed = await invoices.find({ subscriptionId: used }).toArray();
  const lines = billed.flatMap((invoice) => invoice.lines);
  const calls = lines.filter(({ description }) => description.startsWith("call"));
  expect(calls.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(units);
});

const START = "2030-01-01T00:00:00.000Z";

async function subscribe(
  business: TestBusiness,
  type: string,
  lastFour: string,
  days = 1,
): Promise<string> {
  const interval = { type: "day", count: days };
  const consumptionDetails = { unit: "call", costPerUnit: 0.01, baseFee: 3 };
  const isUsed = type === "consumption";
  const details = isUsed && { consumptionDetails };
  const recurringCharge = { type, interval, startDate: START, ...details };
  return world.subscription(business, { recurringCharge }, lastFour);
}

/** Moves the subscription's start into the past, as if no node had run since then. */
async function leaveBehind(_id: string): Promise<void> {
  const anchorAt = Date.now() - BACKLOG_DAYS * DAY_MS;
  const begun = { anchorAt, setUpAt: anchorAt, dueAt: anchorAt, nextAttemptAt: Date.now() };
  await until(async () => {
    const found = await subscriptions.findOne({ _id });
    const isAsItWas = { _id, v: found?.v ?? 0 };
    const change = { $set: begun, $inc: { v: 1 } };
    return (await subscriptions.updateOne(isAsItWas, change)).modifiedCount === 1;
  });
  const body = {
    $replaceOne: { input: "$body", find: START, replacement: new Date(anchorAt).toISOString() },
  };
  const events = connection.collection("webhook_events");
  const replaceBody = () => events.updateOne({ transactionId: _id }, [{ $set: { body } }]);
  await until(async () => (await replaceBody()).matchedCount === 1, {
    awaited: "the stored event",
  });
}

/**
 * Moves the clock and kills replicas meanwhile; the request is answered all the same.
 * @returns 1, or 0 if the clock was faster
 */
async function moveAndKill(business: TestBusiness, now: number, random: Random): Promise<number> {
  const { id, token } = business;
  const own = () => payments.countDocuments({ businessId: id });
  const ownBefore = await own();
  const body = { now: new Date(now).toISOString() };
  let asked = 0;
  // The gateway learns of a dead node by calling it.
  const moved = until(async () => {
    asked += 1;
    return (await world.http.post(`/v1/business/${id}/test-clock`, body, { token })).status === 200;
  });
  const clocks = connection.collection("billing_clocks");
  // Before this the request is not accepted, so a kill would prove nothing.
  const ofBusiness = { _id: id as never, until: now };
  await until(() => clocks.findOne(ofBusiness), { awaited: "the set clock" });
  const isOver = async () => (await clocks.findOne({ ...ofBusiness, step: "rest" })) !== null;
  // The call that set it is answered before the first payment.
  await until(async () => (await isOver()) || (await own()) > ownBefore);
  const askedBefore = asked;
  // It includes the backlog's payments.
  const count = () => payments.estimatedDocumentCount();
  const enough = (await count()) + 1 + random.below(20);
  await until(async () => (await isOver()) || (await count()) >= enough);
  const victims = (await isOver()) ? [] : random.oneOf([[0], [0], [1], [1], [0, 1]]);
  await Promise.all(victims.map((i) => kill(replicas[i] as Replica)));
  if (victims.length > 0) await expireLeases();
  // Another node resumes the run, and answers for it.
  const [others] = await Promise.all([Promise.all(victims.map(() => replica())), moved]);
  expect(asked).toBe(askedBefore);
  expect(await isOver()).toBe(true);
  replicas = [...replicas.filter((_, i) => !victims.includes(i)), ...others];
  return victims.length > 0 ? 1 : 0;
}

async function kill({ child }: Replica): Promise<void> {
  child.kill("SIGKILL");
  expect(await endOf(child)).toBe("SIGKILL");
}

/** Expires the leases of dead and running nodes; an early repeat by another node is always safe. */
async function expireLeases(): Promise<void> {
  const now = Date.now();
  const isLeased = { nextAttemptAt: { $gt: now } };
  for (const name of ["subscriptions", "payments", "billing_clocks"]) {
    await connection.collection(name).updateMany(isLeased, { $set: { nextAttemptAt: now } });
  }
}

/** The first subscription of a type with a card that is not declined. */
async function findPayingSubscription(
  { id: businessId }: TestBusiness,
  type: string,
): Promise<string> {
  const filter = { businessId, "plan.charge.type": type, "card.last4": "4242" };
  const found = await subscriptions.findOne(filter as mongo.Filter<Subscription>);
  return (found as Subscription)._id;
}

let references = 0;

/** Reports usage repeatedly until it is accepted. */
async function use({ id: businessId }: TestBusiness, id: string, units: number): Promise<number> {
  references += 1;
  const usage = { businessId, id, units, reference: String(references) };
  const say = () => world.call("payment-links.recordUsage", usage).catch(() => null);
  await until(say, { awaited: "the accepted usage" });
  return units;
}

async function isCaughtUp({ id: businessId }: TestBusiness): Promise<boolean> {
  const isBehind = { step: "wait" as const, dueAt: { $lte: Date.now() } };
  const isAtIt = { step: { $in: ["issue", "collect"] as Subscription["step"][] } };
  const left = await subscriptions.countDocuments({ businessId, $or: [isBehind, isAtIt] });
  return left === 0;
}

/** Every period up to now has its own invoice, in a sequence without gaps. */
async function expectNothingSkipped({ id: businessId }: TestBusiness, now: number): Promise<void> {
  for (const { _id, anchorAt, plan, status, card } of await subscriptions
    .find({ businessId })
    .toArray()) {
    const { type, interval } = plan.charge;
    const lengthMs = interval.count * DAY_MS;
    const passed = Math.floor((now - anchorAt) / lengthMs);
    const inAdvance = type === "consumption" ? passed : passed + 1;
    const isPaying = status === "active";
    expect([type, card.last4, isPaying]).toEqual([type, card.last4, card.last4 !== "0341"]);
    const found = await invoices.find({ subscriptionId: _id }).sort({ periodStart: 1 }).toArray();
    const periods = found.map(({ occasion, periodStart, periodEnd }) => ({
      occasion,
      periodStart,
      periodEnd,
    }));
    const expected = Array.from({ length: isPaying ? inAdvance : 1 }, (_, k) => ({
      occasion: `period:${k}`,
      periodStart: anchorAt + k * lengthMs,
      periodEnd: anchorAt + (k + 1) * lengthMs,
    }));
    expect(periods).toEqual(expected);
    if (isPaying) expect(found.filter((invoice) => invoice.status !== "paid")).toEqual([]);
  }
}

/** The bank captured every paid invoice once, and no other charge. */
async function expectChargedOnce(business: TestBusiness): Promise<void> {
  const found = await invoices.find({ businessId: business.id }).toArray();
  const made = await payments.find({ businessId: business.id }).toArray();
  const idOf = new Map(made.map(({ key, _id }) => [key, _id]));
  const captured = await charges
    .find({ _id: { $in: made.map(({ key = "" }) => key) }, ...CAPTURED })
    .toArray();
  const paid = found.filter(({ status, chargeMinor }) => status === "paid" && chargeMinor > 0);
  const should = paid.map(({ attempts, chargeMinor }) => [attempts.at(-1)?.paymentId, chargeMinor]);
  const is = captured.map(({ _id, amountMinor }) => [idOf.get(_id), amountMinor]);
  expect(new Map(is as [string, number][])).toEqual(new Map(should as [string, number][]));
  expect([is.length, new Set(should.map(([id]) => id)).size]).toEqual([paid.length, paid.length]);
  const attempts = found.flatMap((invoice) => invoice.attempts);
  expect(new Set(idOf.values())).toEqual(new Set(attempts.map(({ paymentId }) => paymentId)));
  const netMinor = paid.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  const path = `/v1/business/${business.id}/collection-accounts`;
  const [account] = dataOf(await world.http.get(path, { token: business.token }), 200);
  expect(account.balance).toBe(toDecimal(netMinor));
  const again = captured.filter((charge) => charge.charges > 1).length;
  const counted = { invoices: found.length, captured: captured.length, again };
  process.stderr.write(`${JSON.stringify(counted)}\n`);
}
