// The operators' attention list: flagged payouts of all businesses, by cursor, for admins only.

import { randomUUID } from "node:crypto";
import type { Payout } from "../../services/payouts/payout.model.ts";
import { systemClock } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import { type Books, openBooks, scriptedRail } from "../support/payouts.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

const DAY_MS = 86_400_000;

const { answers, rails } = scriptedRail(30 * DAY_MS);
let aheadMs = 0;
const clock = { ...systemClock, now: () => Date.now() + aheadMs };

let world: World;
let books: Books;
/** Newest first; the last one is of another business. */
let flagged: { id: string; businessId: string }[];
/** The lists before a day has passed. */
let early: Record<"unknown" | "flagged", { id: string; nextStepAt: string }[]>;
const admin = randomUUID();

beforeAll(async () => {
  world = await startWorld({ payoutsInstead: [{ rails, clock }] });
  books = await openBooks(world);
  const [first, second] = [await world.business(), await world.business()];
  flagged = [];
  for (const business of [first, second, second]) {
    const user = await world.user(business);
    const bank = await world.bank(business, await world.wallet(business, user, 100));
    const { id } = dataOf(await world.withdraw(user, bank), 200);
    flagged.unshift({ id, businessId: business.id });
  }
  await until(async () => (await books.payouts.countDocuments({ unknownSince: SET })) === 3);
  early = { unknown: (await list("&state=unknown")).body.data, flagged: (await list()).body.data };
  aheadMs = DAY_MS + 60_000;
  await until(async () => (await books.payouts.countDocuments({ needsAttention: true })) === 3);
});

afterAll(async () => {
  aheadMs = 0;
  await books?.bringBack();
  await world?.verifyBooks();
  await books?.close();
  await world?.stop();
});

const SET = { $exists: true };

function list(query = "", token = world.tokens.admin(admin)) {
  return world.http.get(`/v1/admin/attention?kind=payout${query}`, { token });
}

test("payouts of all businesses are listed newest first, with the time since which their outcome is unknown", async () => {
  const { body } = await list();
  expect(body.meta).toEqual({ nextCursor: null });
  expect(body.data).toEqual(
    flagged.map(({ id, businessId }) => ({
      kind: "payout",
      id,
      businessId,
      status: "PENDING",
      amount: "25.25",
      currency: "USD",
      unknownSince: expect.any(String),
      nextStepAt: expect.any(String),
      reason: "The rail has not reported the outcome",
    })),
  );
});

test("until a day has passed they are listed as unknown, and none is flagged", () => {
  const listed = early.unknown.map(({ id, nextStepAt }) => [id, nextStepAt]);
  expect(listed).toEqual(flagged.map(({ id }) => [id, expect.any(String)]));
  expect(early.flagged).toEqual([]);
});

test("a flagged payout is not listed as unknown, and nothing is overdue while the services work", async () => {
  for (const state of ["unknown", "overdue"]) {
    const { body } = await list(`&state=${state}`);
    expect([state, body]).toEqual([state, { success: true, data: [], meta: { nextCursor: null } }]);
  }
});

test("webhooks are never unknown or overdue", async () => {
  const token = world.tokens.admin(admin);
  for (const state of ["unknown", "overdue"]) {
    const path = `/v1/admin/attention?kind=webhook&state=${state}`;
    expect(dataOf(await world.http.get(path, { token }), 200)).toEqual([]);
  }
});

test("an operator reads a payout that is not accepted yet, its merchant does not, and nobody a declined one", async () => {
  const [{ id: _id, businessId }] = flagged as [(typeof flagged)[number]];
  const stored = await books.payouts.findOne({ _id });
  const id = newId();
  // No sweep drives it during the test.
  const nextAttemptAt = clock.now() + DAY_MS;
  const begun = { ...stored, _id: id, step: "debit", visible: false, states: [], nextAttemptAt };
  await books.payouts.insertOne(begun as unknown as Payout);
  const read = (path: string, token: string) => world.http.get(path, { token });
  const own = `/v1/business/${businessId}/transactions/${id}`;
  const theirs = `/v1/admin/businesses/${businessId}/transactions/${id}`;
  for (const rest of ["", "/timeline"]) {
    expect((await read(own + rest, world.tokens.merchant(businessId))).status).toBe(404);
    expect((await read(theirs + rest, world.tokens.admin(admin))).status).toBe(200);
  }
  const elsewhere = theirs.replace(businessId, flagged[2]?.businessId as string);
  expect((await read(elsewhere, world.tokens.admin(admin))).status).toBe(404);
  const act = (what: string, body: object) =>
    world.http.post(`/v1/admin/transactions/${id}/${what}`, body, {
      token: world.tokens.admin(admin),
    });
  // Invariant: an operator decides nothing about a payout that is not accepted. A retry only makes
  // the sweeper void it sooner, so that nothing is debited.
  const note = "The ledger is back";
  expect((await act("resolve", { outcome: "SUCCESS", note })).status).toBe(409);
  expect((await act("retry", { note })).status).toBe(200);
  await books.step(id, "declined");
  expect((await list()).body.data).not.toContainEqual(expect.objectContaining({ id }));
  expect((await read(theirs, world.tokens.admin(admin))).status).toBe(404);
});

test("pages by cursor add up to the same list", async () => {
  const seen: string[] = [];
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null && pages < 3; pages++) {
    const { body } = await list(`&limit=1${cursor && `&cursor=${cursor}`}`);
    expect(body.data).toHaveLength(1);
    seen.push(body.data[0].id);
    cursor = body.meta.nextCursor;
  }
  expect(cursor).toBeNull();
  expect(seen).toEqual(flagged.map(({ id }) => id));
});

test("an index over all businesses serves the list", async () => {
  const explained = await books.payouts
    .find({ needsAttention: true })
    .sort({ _id: -1 })
    .hint({ needsAttention: 1, _id: 1 })
    .explain("executionStats");
  expect(explained.executionStats).toMatchObject({ totalKeysExamined: 3, totalDocsExamined: 3 });
  expect(JSON.stringify(explained.queryPlanner.winningPlan)).not.toContain('"SORT"');
});

test.each(["payouts:1", "payment-links:", "abc", ":"])(
  "the cursor %s of another list is a 400",
  async (cursor) => {
    const { status, body } = await list(`&cursor=${encodeURIComponent(cursor)}`);
    expect([status, body.message]).toEqual([400, "cursor must be a nextCursor of this list"]);
  },
);

test("a wrong kind or limit is a 400 that names it, and a merchant's token is a 401", async () => {
  const token = world.tokens.admin(admin);
  for (const [query, field] of [
    ["kind=invoice", "kind"],
    ["kind=payout&limit=101", "limit"],
    ["state=late", "state"],
  ]) {
    const { status, body } = await world.http.get(`/v1/admin/attention?${query}`, { token });
    expect([status, body.message]).toEqual([400, expect.stringContaining(`${field} must be`)]);
  }
  const merchant = world.tokens.merchant(flagged[0]?.businessId as string);
  expect((await list("", merchant)).status).toBe(401);
});

test("a resolved payout leaves the list, and returns if the rail contradicts it", async () => {
  const id = flagged[0]?.id as string;
  const token = world.tokens.admin(admin);
  const path = `/v1/admin/transactions/${id}/resolve`;
  // The resolution may ask the rail to cancel first.
  answers.cancel = "cancelled";
  const decision = { outcome: "FAILED", note: "The bank told us by phone" };
  expect(dataOf(await world.http.post(path, decision, { token }), 200)).toMatchObject({
    id,
    status: "FAILED",
  });
  const ids = async () => (await list()).body.data.map((item: { id: string }) => item.id);
  expect(await ids()).toEqual(flagged.slice(1).map((other) => other.id));

  // `settled` contradicts only this payout, because it has ended; the others end with it.
  answers.query = { kind: "settled" };
  aheadMs += DAY_MS;
  const contradicted = await until(async () => {
    const { body } = await list();
    return body.data.find((item: { status: string }) => item.status === "FAILED");
  });
  expect(contradicted).toMatchObject({
    id,
    unknownSince: null,
    reason: "An answer of the rail contradicts FAILED",
  });
});
