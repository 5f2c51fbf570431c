// What nobody knows is never a failure: it is asked on, flagged for a person after a day, and resolved
// by one. A word that contradicts a stored end changes nothing; only a return does.

import { randomUUID } from "node:crypto";
import { systemClock } from "../shared/clock.ts";
import { type Books, openBooks, scriptedRail } from "./support/payouts.ts";
import { until } from "./support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "./support/world.ts";

const DAY_MS = 86_400_000;
const GENERAL = "Payment could not be processed.";

const { says, timesAsked, rails } = scriptedRail(30 * DAY_MS);
let aheadMs = 0;
const clock = { ...systemClock, now: () => Date.now() + aheadMs };

let world: World;
let books: Books;
let business: TestBusiness;
const admin = randomUUID();

beforeAll(async () => {
  world = await startWorld({ payoutsInstead: [{ rails, clock }] });
  books = await openBooks(world);
  business = await world.business();
});

beforeEach(() => {
  aheadMs = 0;
  says.submit = { kind: "unknown" };
  says.query = { kind: "unknown" };
});

afterAll(async () => {
  await world.verifyBooks();
  await books.close();
  await world.stop();
});

async function pay(body: Record<string, unknown> = {}) {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const bank = await world.bank(business, wallet);
  const { id } = dataOf(await world.withdraw(user, bank, body), 200);
  return { id: id as string, balance: () => world.balance(business, wallet) };
}

/** A payout that has been unknown for a day. */
async function payFlagged() {
  const paid = await pay();
  await until(() => books.payouts.findOne({ _id: paid.id, unknownSince: { $exists: true } }));
  aheadMs = DAY_MS + 60_000;
  await until(() => books.payouts.findOne({ _id: paid.id, needsAttention: true }));
  return paid;
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

test("it is asked again after 1, 2 and 4 seconds, and stays as it is", async () => {
  const { id, balance } = await pay();
  await until(() => timesAsked("query", id) >= 3);
  // The wait doubles with the time that nobody knew: 1 + 2 + 4 after the first three questions.
  await until(async () => {
    const { unknownSince = 0, nextAttemptAt = 0 } =
      (await books.payouts.findOne({ _id: id })) ?? {};
    return nextAttemptAt - unknownSince >= 15_000;
  });
  expect(await transactionOf(id)).toMatchObject({ status: "PENDING", needsAttention: false });
  expect(await balance()).toBe("74.75");
});

test("after a day it is flagged, listed so, and asked on; the rail's word clears it", async () => {
  const { id } = await payFlagged();
  const path = `/v1/business/${business.id}/transactions?needsAttention=true`;
  const { body } = await world.http.get(path, { token: business.token });
  expect(body.data.map((transaction: { id: string }) => transaction.id)).toContain(id);
  expect(await transactionOf(id)).toMatchObject({ status: "PENDING", needsAttention: true });
  says.query = { kind: "settled" };
  aheadMs += 300_000;
  expect(await world.status(business, id, "SUCCESS")).toMatchObject({ needsAttention: false });
});

test("an admin resolves it as failed: refunded, and the timeline says who", async () => {
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

  // The rail paid it after all: nothing changes, but a person should know.
  says.query = { kind: "settled" };
  aheadMs += DAY_MS;
  await until(async () => (await transactionOf(id)).needsAttention);
  expect(await transactionOf(id)).toMatchObject({ status: "FAILED" });
  expect(await balance()).toBe("100.00");
  // What is refunded cannot be made a success; that it failed can be confirmed.
  expect((await resolve(id, "SUCCESS")).status).toBe(409);
  const confirmed = await resolve(id, "FAILED", "Written off");
  expect(confirmed.body.data).toMatchObject({ status: "FAILED", needsAttention: false });
  expect((await statesOf(id)).at(-1)?.by).toBe(`admin ${admin}: Written off`);
});

test("an admin resolves it as paid; a return afterwards is the rail's, and refunds", async () => {
  const { id, balance } = await payFlagged();
  expect((await resolve(id, "SUCCESS")).body.data.status).toBe("SUCCESS");
  expect(await balance()).toBe("74.75");
  says.query = { kind: "returned", code: "returned" };
  aheadMs += DAY_MS;
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

test("what does not need attention, or is not there, is not resolved", async () => {
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

test("a refusal after the settlement contradicts it: nothing changes but the flag", async () => {
  says.submit = { kind: "settled" };
  const { id, balance } = await pay();
  await world.status(business, id, "SUCCESS");
  says.query = { kind: "rejected", code: "account_not_found" };
  aheadMs = DAY_MS;
  await until(async () => (await transactionOf(id)).needsAttention);
  expect((await transactionOf(id)).status).toBe("SUCCESS");
  expect(await balance()).toBe("74.75");
});

test("a return is heeded until the rail's window has passed, and not asked for after it", async () => {
  says.submit = { kind: "settled" };
  says.query = { kind: "settled" };
  const { id } = await pay();
  await books.step(id, "watch");
  aheadMs = 31 * DAY_MS;
  const closed = await books.step(id, "closed");
  expect(closed.nextAttemptAt).toBeUndefined();
});

test("a push has the rail asked now, and is not believed", async () => {
  says.submit = { kind: "accepted", askAfterMs: DAY_MS };
  const { id } = await pay();
  await world.status(business, id, "PROCESSING_PAY_OUT");
  says.query = { kind: "settled" };
  await world.call("payouts.railNotified", { id, method: "RTP" });
  await world.call("payouts.railNotified", { id: randomUUID(), method: "ACH" });
  await world.call("payouts.railNotified", { id, method: "ACH" });
  await world.status(business, id, "SUCCESS");
});

test("a return that is seen before the settlement goes to FAILED directly", async () => {
  says.submit = { kind: "accepted", askAfterMs: 1 };
  says.query = { kind: "returned", code: "account_not_found" };
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

test("settled at once, ACH comes by PROCESSING_PAY_OUT all the same", async () => {
  says.submit = { kind: "settled" };
  const { id } = await pay();
  await world.status(business, id, "SUCCESS");
  expect((await statesOf(id)).map(({ status }) => status)).toEqual([
    "PENDING",
    "PROCESSING_PAY_OUT",
    "SUCCESS",
  ]);
});

test("a duplicate is a refusal at the first submit, and no word at a later one", async () => {
  says.submit = { kind: "rejected", code: "duplicate" };
  const refused = await pay();
  expect((await world.status(business, refused.id, "FAILED")).failureReason).toBe(
    "Duplicate transaction detected.",
  );
  says.submit = { kind: "unknown" };
  says.query = { kind: "notFound" };
  const unseen = await pay();
  // The first submit has to have had its answer before the rail says something else.
  await until(() => timesAsked("submit", unseen.id) > 0);
  const asked = timesAsked("submit", unseen.id);
  says.submit = { kind: "rejected", code: "duplicate" };
  await until(() => timesAsked("submit", unseen.id) > asked);
  // Its own earlier submit, as the rail's books say.
  says.query = { kind: "settled" };
  await world.status(business, unseen.id, "SUCCESS");
});

test("an unknown code is a general failure", async () => {
  says.submit = { kind: "rejected", code: "toString" };
  const { id } = await pay();
  expect((await world.status(business, id, "FAILED")).failureReason).toBe(GENERAL);
});
