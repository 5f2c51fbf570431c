// An unknown outcome is never a failure: payrail repeats the query, flags the payout after a day,
// and an admin resolves it. An answer that contradicts a stored outcome changes nothing; only a
// return does.

import { randomUUID } from "node:crypto";
import type { Point } from "../../services/payouts/deps.ts";
import { nextStepAt } from "../../shared/resumable/document.ts";
import { freezer } from "../support/freezer.ts";
import { type Books, openBooks, payOut, scriptedRail, stopWorld } from "../support/payouts.ts";
import { settableClock } from "../support/settable-clock.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

const DAY_MS = 86_400_000;
const GENERAL = "Payment could not be processed.";

const { answers, timesAsked, rails } = scriptedRail(30 * DAY_MS);
const clock = settableClock();
/** The point at which steps throw. */
let brokenAt: Point | null = null;
const { reached: passes, freeze } = freezer<Point>();
const reached = (point: Point, payout: { _id: string }) => {
  if (point === brokenAt) throw new Error("The step is broken");
  return passes(point, payout);
};

let world: World;
let books: Books;
let business: TestBusiness;
const admin = randomUUID();

beforeAll(async () => {
  world = await startWorld({ payoutsInstead: [{ rails, clock, reached }] });
  books = await openBooks(world);
  business = await world.business();
});

beforeEach(() => {
  clock.aheadMs = 0;
  answers.submit = { kind: "unknown" };
  answers.query = { kind: "unknown" };
  answers.cancel = "unknown";
});

afterAll(() => stopWorld(world, books, clock));

const pay = (body?: Record<string, unknown>) => payOut(world, business, body);

/** Waits until an answer of the rail is unknown. */
const isUnknown = (id: string) =>
  until(() => books.payouts.findOne({ _id: id, unknownSince: { $exists: true } }), {
    awaited: "an unknown answer",
  });

/** A payout that has been unknown for a day. */
async function payFlagged() {
  const paid = await pay();
  await untilFlagged(paid.id);
  return paid;
}

async function untilFlagged(id: string) {
  await isUnknown(id);
  clock.aheadMs = DAY_MS + 60_000;
  await until(() => books.payouts.findOne({ _id: id, needsAttention: true }));
}

function resolve(id: string, outcome: string, note = "The bank told us by phone") {
  const token = world.tokens.admin(admin);
  return world.http.post(`/v1/admin/transactions/${id}/resolve`, { outcome, note }, { token });
}

async function transactionOf(id: string) {
  return dataOf(await world.http.get(`/v1/transactions/${id}`, { token: business.token }), 200);
}

async function statesOf(id: string): Promise<{ status: string; by?: string }[]> {
  const path = `/v1/transactions/${id}/timeline`;
  return dataOf(await world.http.get(path, { token: business.token }), 200).states;
}

test("after a day a payout is flagged and listed until the rail's answer", async () => {
  const { id } = await payFlagged();
  const path = `/v1/business/${business.id}/transactions?needsAttention=true`;
  const { body } = await world.http.get(path, { token: business.token });
  expect(body.data.map((transaction: { id: string }) => transaction.id)).toContain(id);
  expect(await transactionOf(id)).toMatchObject({ status: "PENDING", needsAttention: true });
  answers.query = { kind: "settled" };
  clock.aheadMs += 300_000;
  expect(await world.status(business, id, "SUCCESS")).toMatchObject({ needsAttention: false });
});

test("an admin resolves a payout as failed: refunded, and the timeline has the admin", async () => {
  const { id, balance } = await payFlagged();
  const { status, body } = await resolve(id, "FAILED");
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    id,
    status: "FAILED",
    failureReason: GENERAL,
    needsAttention: false,
  });
  expect(await balance()).toBe("100.00");
  const states = await statesOf(id);
  expect(states.at(-1)?.by).toBe(`admin ${admin}: The bank told us by phone`);
  expect(states.slice(0, -1).every(({ by }) => by === undefined)).toBe(true);
  expect((await resolve(id, "FAILED")).status).toBe(409);

  // The rail paid it nevertheless: nothing changes except the flag for an admin.
  answers.query = { kind: "settled" };
  clock.aheadMs += DAY_MS;
  await until(async () => (await transactionOf(id)).needsAttention);
  expect(await transactionOf(id)).toMatchObject({ status: "FAILED" });
  expect(await balance()).toBe("100.00");
  // A refunded payout cannot become a success; its failure can be confirmed.
  expect((await resolve(id, "SUCCESS")).status).toBe(409);
  const confirmed = await resolve(id, "FAILED", "Written off");
  expect(confirmed.body.data).toMatchObject({ status: "FAILED", needsAttention: false });
  expect((await statesOf(id)).at(-1)?.by).toBe(`admin ${admin}: Written off`);
});

test("an admin's FAILED closes a never submitted payout without a query", async () => {
  const { forMethod } = rails;
  const frozen = freeze("accepted");
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const asking = world.withdraw(user, await world.bank(business, wallet));
  const id = await frozen.reached;
  rails.forMethod = {};
  try {
    await books.asBefore(id);
    await untilFlagged(id);
    expect(await books.payouts.findOne({ _id: id })).toMatchObject({ step: "submit" });
    expect((await resolve(id, "FAILED")).status).toBe(200);
    expect(await books.step(id, "closed")).toMatchObject({ status: "FAILED" });
    expect(await world.balance(business, wallet)).toBe("100.00");
  } finally {
    rails.forMethod = forMethod;
    frozen.release();
    await asking;
  }
});

test("an admin resolves a payout as paid; a later return of the rail refunds it", async () => {
  const { id, balance } = await payFlagged();
  expect((await resolve(id, "SUCCESS")).body.data.status).toBe("SUCCESS");
  expect(await balance()).toBe("74.75");
  answers.query = { kind: "returned", code: "returned" };
  clock.aheadMs += DAY_MS;
  await world.status(business, id, "FAILED");
  expect(await balance()).toBe("100.00");
  const states = await statesOf(id);
  expect(states.map(({ status }) => status)).toEqual([
    "PENDING",
    "PROCESSING_PAY_OUT",
    "SUCCESS",
    "FAILED",
  ]);
  expect(states.at(-1)?.by).toBeUndefined();
});

test("an unknown payout, or one that does not need attention, is not resolved", async () => {
  const { id } = await pay();
  const early = await resolve(id, "FAILED");
  expect([early.status, early.body.message]).toEqual([
    409,
    "The transaction does not need attention",
  ]);
  expect((await resolve(randomUUID(), "FAILED")).status).toBe(404);
  expect((await resolve("nonsense", "FAILED")).status).toBe(404);
  expect((await resolve(id, "PENDING")).status).toBe(400);
  expect((await resolve(id, "FAILED", "")).status).toBe(400);
  const path = `/v1/admin/transactions/${id}/resolve`;
  const fields = { outcome: "FAILED", note: "x" };
  expect((await world.http.post(path, fields, { token: business.token })).status).toBe(401);
});

test("a refusal after the settlement changes nothing except the flag", async () => {
  answers.submit = { kind: "settled" };
  const { id, balance } = await pay();
  await world.status(business, id, "SUCCESS");
  answers.query = { kind: "rejected", code: "account_not_found" };
  clock.aheadMs = DAY_MS;
  await until(async () => (await transactionOf(id)).needsAttention);
  expect((await transactionOf(id)).status).toBe("SUCCESS");
  expect(await balance()).toBe("74.75");
});

test("a payout is watched for returns until the rail's window has passed", async () => {
  answers.submit = { kind: "settled" };
  answers.query = { kind: "settled" };
  const { id } = await pay();
  await books.step(id, "watch");
  clock.aheadMs = 31 * DAY_MS;
  const closed = await books.step(id, "closed");
  expect(nextStepAt(closed)).toBeUndefined();
});

test("a push triggers a query to the rail, and its content is not trusted", async () => {
  answers.submit = { kind: "accepted", askAfterMs: DAY_MS };
  const { id } = await pay();
  await world.status(business, id, "PROCESSING_PAY_OUT");
  answers.query = { kind: "settled" };
  await world.call("payouts.railNotified", { id, method: "RTP" });
  await world.call("payouts.railNotified", { id: randomUUID(), method: "ACH" });
  await world.call("payouts.railNotified", { id, method: "ACH" });
  await world.status(business, id, "SUCCESS");
});

test("a return that arrives before the settlement leads directly to FAILED", async () => {
  answers.submit = { kind: "accepted", askAfterMs: 1 };
  answers.query = { kind: "returned", code: "account_not_found" };
  const { id, balance } = await pay();
  const { failureReason } = await world.status(business, id, "FAILED");
  expect(failureReason).toBe("Recipient account not found.");
  expect((await statesOf(id)).map(({ status }) => status)).toEqual([
    "PENDING",
    "PROCESSING_PAY_OUT",
    "FAILED",
  ]);
  expect(await balance()).toBe("100.00");
});

test("an ACH payout that settles at once still passes PROCESSING_PAY_OUT", async () => {
  answers.submit = { kind: "settled" };
  const { id } = await pay();
  await world.status(business, id, "SUCCESS");
  expect((await statesOf(id)).map(({ status }) => status)).toEqual([
    "PENDING",
    "PROCESSING_PAY_OUT",
    "SUCCESS",
  ]);
});

test("a duplicate is not an outcome: the rail's books decide", async () => {
  answers.submit = { kind: "rejected", code: "duplicate" };
  answers.query = { kind: "notFound" };
  const ours = await pay();
  // payrail asks the rail again and again, and the payout stays as it is.
  await clock.passDuring(until(() => timesAsked("submit", ours.id) >= 2));
  expect(await transactionOf(ours.id)).toMatchObject({ status: "PENDING" });
  expect(await ours.balance()).toBe("74.75");
  answers.query = { kind: "settled" };
  await clock.passDuring(world.status(business, ours.id, "SUCCESS"));
  clock.aheadMs = 0;
  answers.query = { kind: "rejected", code: "duplicate" };
  const refused = await pay();
  expect((await world.status(business, refused.id, "FAILED")).failureReason).toBe(
    "Duplicate transaction detected.",
  );
});

test("an admin's FAILED makes the rail cancel first: a no is refused, a yes refunds", async () => {
  const { id, balance } = await payFlagged();
  answers.cancel = "no";
  const refused = await resolve(id, "FAILED");
  expect([refused.status, refused.body.message]).toEqual([
    409,
    "The rail does not cancel the payment: it may be paid",
  ]);
  expect(await transactionOf(id)).toMatchObject({ status: "PENDING", needsAttention: true });
  expect(await balance()).toBe("74.75");
  answers.cancel = "cancelled";
  // The refused request started another query to the rail, which may still run.
  await until(async () => (await resolve(id, "FAILED")).status === 200);
  expect(await world.status(business, id, "FAILED")).toMatchObject({ needsAttention: false });
  expect(await balance()).toBe("100.00");
});

test("an admin's FAILED at a silent rail waits until no submission can be under way", async () => {
  const { id, balance } = await payFlagged();
  const submits = timesAsked("submit", id);
  answers.query = { kind: "notFound" };
  await world.call("payouts.railNotified", { id, method: "ACH" });
  await until(() => timesAsked("submit", id) > submits);
  await until(() =>
    books.payouts.findOne({ _id: id, nextAttemptAt: { $gt: clock.now() + 60_000 } }),
  );
  const early = await resolve(id, "FAILED");
  expect([early.status, early.body.message]).toEqual([
    409,
    "A submit may still be under way: ask again in ten minutes",
  ]);
  expect(await balance()).toBe("74.75");
  // payrail submits nothing meanwhile, so the same request succeeds later.
  clock.aheadMs += 11 * 60_000;
  expect((await resolve(id, "FAILED")).status).toBe(200);
  await world.status(business, id, "FAILED");
  expect(await balance()).toBe("100.00");
});

test("a malformed answer decides nothing, and the payout keeps a due time", async () => {
  answers.submit = { kind: "accepted", askAfterMs: Number.NaN };
  const { id, balance } = await pay();
  await world.status(business, id, "PROCESSING_PAY_OUT");
  for (const query of [
    { kind: "paid" },
    { kind: "rejected" },
    null,
    { kind: "settled", code: {} },
  ]) {
    const { nextAttemptAt } = (await books.payouts.findOne({ _id: id })) ?? {};
    expect(Number.isFinite(nextAttemptAt)).toBe(true);
    const asked = timesAsked("query", id);
    answers.query = query as never;
    await world.call("payouts.railNotified", { id, method: "ACH" });
    await until(() => timesAsked("query", id) > asked);
  }
  await world.status(business, id, "SUCCESS");
  expect(await balance()).toBe("74.75");
});

test("a step that throws is retried at growing delays, and flagged after a day", async () => {
  brokenAt = "rail-answered";
  const { id } = await pay();
  // If the error were not stored, only the lease would cause a retry, and the payout would never be
  // flagged.
  await isUnknown(id);
  clock.aheadMs = DAY_MS + 60_000;
  brokenAt = "submitting-stored";
  answers.query = { kind: "notFound" };
  const flagged = await until(() => books.payouts.findOne({ _id: id, needsAttention: true }));
  expect((nextStepAt(flagged) ?? 0) - clock.now()).toBeGreaterThan(60_000);
  brokenAt = null;
  answers.query = { kind: "settled" };
  clock.aheadMs += 300_000;
  expect(await world.status(business, id, "SUCCESS")).toMatchObject({ needsAttention: false });
  expect(await books.payouts.findOne({ _id: id })).not.toHaveProperty("unknownSince");
});

test("an unknown code is a general failure", async () => {
  answers.submit = { kind: "rejected", code: "toString" };
  const { id } = await pay();
  expect((await world.status(business, id, "FAILED")).failureReason).toBe(GENERAL);
});
