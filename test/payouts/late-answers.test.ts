// A rail's answer that arrives after another answer has ended the payout. It never changes the end
// and moves no money. An answer that contradicts the end flags the payout. An `accepted` may be
// older than the rail's refusal, so payrail asks the rail again, and only the new answer may flag.

import { randomUUID } from "node:crypto";
import type { QueryAnswer, SubmitAnswer } from "../../partners/types.ts";
import type { Point } from "../../services/payouts/deps.ts";
import { nextStepAt } from "../../shared/resumable/document.ts";
import { freezer } from "../support/freezer.ts";
import { type Books, openBooks, scriptedRail, stopWorld } from "../support/payouts.ts";
import { settableClock } from "../support/settable-clock.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

const DAY_MS = 86_400_000;
const ACCEPTED = { kind: "accepted" } as const;
/** The sum of the payouts that `payHeld` makes. */
const SUM = { amountMinor: 2_500, currency: "USD" } as const;
const SETTLED = { kind: "settled", ...SUM } as const;
const REJECTED = { kind: "rejected", code: "account_not_found" } as const;

// Nothing comes back to this rail, so a payout is closed as soon as the rail answers after the end.
const { answers, timesAsked, rail, rails } = scriptedRail();
const clock = settableClock();
const { reached, freeze } = freezer<Point>();

let world: World;
let books: Books;
let business: TestBusiness;

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

/** Holds the answer to the next question. */
function holdNext<A extends SubmitAnswer | QueryAnswer>(operation: "submit" | "query") {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<A>();
  const { [operation]: usual } = rail;
  Object.assign(rail, {
    [operation]: () => {
      Object.assign(rail, { [operation]: usual });
      asked.resolve();
      return held.promise;
    },
  });
  return { asked: asked.promise, answer: held.resolve };
}

/** A payout whose first submit has no answer yet. */
async function payHeld(body: Record<string, unknown> = {}) {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const bank = await world.bank(business, wallet);
  const submit = holdNext<SubmitAnswer>("submit");
  const id: string = dataOf(await world.withdraw(user, bank, body), 200).id;
  await submit.asked;
  return { id, answerSubmit: submit.answer, balance: () => world.balance(business, wallet) };
}

/** A payout that the rail's books refuse, while its first submit has no answer yet. */
async function payRefused() {
  const paid = await payHeld();
  answers.query = REJECTED;
  const { v } = await clock.passDuring(books.step(paid.id, "closed"));
  return { ...paid, v };
}

/** Waits until payrail has compared an answer with the end, after this version of the payout. */
const judged = (id: string, v: number) =>
  until(() => books.payouts.findOne({ _id: id, step: "closed", v: { $gt: v } }), {
    awaited: `${id} judged`,
  });

const flagged = (id: string) =>
  until(() => books.payouts.findOne({ _id: id, needsAttention: true }), {
    awaited: `the flag of ${id}`,
  });

/** The end is decided once, and its money is back once; the books are verified after all tests. */
async function expectRefunded({ id, balance }: Awaited<ReturnType<typeof payHeld>>) {
  const { states } = (await books.payouts.findOne({ _id: id })) ?? {};
  expect(states?.map(({ status }) => status)).toEqual(["PENDING", "FAILED"]);
  expect(await balance()).toBe("100.00");
}

test("an `accepted` after the rail's refusal makes payrail ask again, and no flag", async () => {
  const paid = await payRefused();
  const { id } = paid;
  const asked = timesAsked("query", id);
  paid.answerSubmit(ACCEPTED);
  const after = await judged(id, paid.v);
  expect(timesAsked("query", id)).toBe(asked + 1);
  expect(after).toMatchObject({ status: "FAILED", needsAttention: false });
  expect(nextStepAt(after)).toBeUndefined();
  await expectRefunded(paid);
});

test.each([ACCEPTED, SETTLED])(
  "a rail that answers $kind anew after its refusal has its payout flagged",
  async (answer) => {
    const paid = await payRefused();
    answers.query = answer;
    paid.answerSubmit(ACCEPTED);
    expect(await judged(paid.id, paid.v)).toMatchObject({ needsAttention: true });
    await expectRefunded(paid);
  },
);

test("a rail that does not answer anew is asked until it does", async () => {
  const paid = await payRefused();
  const { id } = paid;
  answers.query = { kind: "unknown" };
  const asked = timesAsked("query", id);
  paid.answerSubmit(ACCEPTED);
  await clock.passDuring(until(() => timesAsked("query", id) >= asked + 2));
  const waiting = await books.step(id, "watch");
  expect(waiting).toMatchObject({ status: "FAILED", needsAttention: false });
  answers.query = SETTLED;
  expect(await clock.passDuring(judged(id, waiting.v))).toMatchObject({ needsAttention: true });
  await expectRefunded(paid);
});

test.each([
  [REJECTED, false],
  [SETTLED, true],
])(
  "an `accepted` while the money goes back makes payrail ask after that: %j, flag %s",
  async (answer, needsAttention) => {
    const paid = await payHeld();
    const { id } = paid;
    const frozen = freeze("reversal-posted");
    answers.query = REJECTED;
    expect(await clock.passDuring(frozen.reached)).toBe(id);
    const asked = timesAsked("query", id);
    answers.query = answer;
    paid.answerSubmit(ACCEPTED);
    const { v } = await until(() => books.payouts.findOne({ _id: id, isDoubted: true }));
    expect(timesAsked("query", id)).toBe(asked);
    frozen.release();
    const after = await clock.passDuring(judged(id, v));
    expect(timesAsked("query", id)).toBe(asked + 1);
    expect(after).toMatchObject({ status: "FAILED", needsAttention });
    expect(after).not.toHaveProperty("isDoubted");
    await expectRefunded(paid);
  },
);

test("a late problem while the money goes back makes payrail ask after that, and flags", async () => {
  const paid = await payHeld();
  const { id } = paid;
  const frozen = freeze("reversal-posted");
  answers.query = REJECTED;
  expect(await clock.passDuring(frozen.reached)).toBe(id);
  const problem = "The bank has debited it, but it was rejected before";
  answers.query = { ...REJECTED, problem };
  paid.answerSubmit({ ...REJECTED, problem });
  await until(() => books.payouts.findOne({ _id: id, isDoubted: true }));
  frozen.release();
  await clock.passDuring(flagged(id));
  expect(await books.step(id, "watch")).toMatchObject({ status: "FAILED", problem });
  answers.query = REJECTED;
  await clock.passDuring(books.step(id, "closed"));
  await expectRefunded(paid);
});

test("an `accepted` that was under way during a cancel makes no flag", async () => {
  const paid = await payHeld({ routingType: "WIRE" });
  const { id } = paid;
  answers.cancel = "cancelled";
  answers.query = { kind: "rejected", code: "cancelled" };
  const path = `/v1/transactions/${id}/cancel`;
  const cancelled = await world.http.post(path, {}, { token: business.token });
  expect([cancelled.status, cancelled.body.data.status]).toEqual([200, "FAILED"]);
  const { v } = await books.step(id, "closed");
  paid.answerSubmit(ACCEPTED);
  expect(await judged(id, v)).toMatchObject({ needsAttention: false });
  await expectRefunded(paid);
});

test("a late `accepted` to a question that began after the refusal flags the payout", async () => {
  const paid = await payRefused();
  const { id } = paid;
  const query = holdNext<QueryAnswer>("query");
  await world.call("payouts.railNotified", { id, method: "ACH" });
  await query.asked;
  const { v } = (await books.payouts.findOne({ _id: id })) ?? { v: 0 };
  // payrail gives up the question, and the payout is closed again.
  await clock.passDuring(judged(id, v));
  const asked = timesAsked("query", id);
  query.answer(ACCEPTED);
  await flagged(id);
  expect(timesAsked("query", id)).toBe(asked);
  await expectRefunded(paid);
});

test("a late `accepted` contradicts an admin's FAILED", async () => {
  const paid = await payHeld();
  const { id } = paid;
  await clock.passDuring(
    until(() => books.payouts.findOne({ _id: id, unknownSince: { $exists: true } })),
  );
  clock.aheadMs += DAY_MS;
  await flagged(id);
  const fields = { outcome: "FAILED", note: "The bank told us by phone" };
  const token = world.tokens.admin(randomUUID());
  const path = `/v1/admin/transactions/${id}/resolve`;
  expect((await world.http.post(path, fields, { token })).status).toBe(200);
  expect(await books.step(id, "closed")).toMatchObject({ needsAttention: false });
  const asked = timesAsked("query", id);
  paid.answerSubmit(ACCEPTED);
  await flagged(id);
  expect(timesAsked("query", id)).toBe(asked);
  await expectRefunded(paid);
});

test("a late `settled` contradicts the rail's refusal", async () => {
  const paid = await payRefused();
  const asked = timesAsked("query", paid.id);
  paid.answerSubmit(SETTLED);
  await flagged(paid.id);
  expect(timesAsked("query", paid.id)).toBe(asked);
  await expectRefunded(paid);
});

test("a late `settled` does not contradict a return that was heard of first", async () => {
  const paid = await payHeld();
  const { id } = paid;
  answers.query = { kind: "returned", code: "returned", ...SUM };
  const { v } = await clock.passDuring(books.step(id, "closed"));
  paid.answerSubmit(SETTLED);
  // A push makes payrail ask after that: the push, the claim and the answer change the payout.
  await world.call("payouts.railNotified", { id, method: "ACH" });
  expect(await judged(id, v + 2)).toMatchObject({ needsAttention: false });
  await expectRefunded(paid);
});

test("the answer of a driver that lost the race is compared with the stored outcome", async () => {
  const paid = await payHeld();
  const { id } = paid;
  paid.answerSubmit({ ...ACCEPTED, askAfterMs: DAY_MS });
  await world.status(business, id, "PROCESSING_PAY_OUT");
  const query = holdNext<QueryAnswer>("query");
  await world.call("payouts.railNotified", { id, method: "ACH" });
  await query.asked;
  answers.query = SETTLED;
  await world.call("payouts.railNotified", { id, method: "ACH" });
  await world.status(business, id, "SUCCESS");
  query.answer(REJECTED);
  expect(await flagged(id)).toMatchObject({ status: "SUCCESS" });
  expect(await paid.balance()).toBe("74.75");
});
