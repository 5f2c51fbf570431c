// Answers that flag a payout without ending it: one about another sum than the payout's, which is
// never believed, and one with a problem. The flag and its sentence are gone with the rail's next
// answer without a problem; the flag of a contradiction stays. Merchants never read the sentence.

import { randomUUID } from "node:crypto";
import type { QueryAnswer, SubmitAnswer } from "../../partners/types.ts";
import { type Books, openBooks, payOut, scriptedRail, stopWorld } from "../support/payouts.ts";
import { settableClock } from "../support/settable-clock.ts";
import { until } from "../support/system.ts";
import { startWorld, type TestBusiness, type World } from "../support/world.ts";

const DAY_MS = 86_400_000;
const WINDOW_MS = 30 * DAY_MS;
/** The sum of the payouts that `pay` makes. */
const SUM = { amountMinor: 2_500, currency: "USD" } as const;
const PROBLEM = "The bank refuses the file without a reason (NARR).";
const LATER = { askAfterMs: DAY_MS };

const { answers, timesAsked, rail, rails } = scriptedRail(WINDOW_MS);
const clock = settableClock();

let world: World;
let books: Books;
let business: TestBusiness;
let admin: string;

beforeAll(async () => {
  world = await startWorld({ payoutsInstead: [{ rails, clock }] });
  books = await openBooks(world);
  business = await world.business();
  admin = world.tokens.admin(randomUUID());
});

beforeEach(() => {
  clock.aheadMs = 0;
  rail.returnWindowMs = WINDOW_MS;
  answers.submit = { kind: "accepted", ...LATER };
  answers.query = { kind: "unknown" };
  answers.cancel = "no";
});

afterAll(() => stopWorld(world, books, clock));

const pay = (body?: Record<string, unknown>) => payOut(world, business, body);

type Paid = Awaited<ReturnType<typeof pay>>;

/** Has the rail answer questions about the payout, and waits until the first answer is stored. */
async function answer(id: string, given: typeof answers.query) {
  answers.query = given;
  const asked = timesAsked("query", id);
  // The rail is asked again only after its answer is stored.
  const isStored = async () => {
    await world.call("payouts.railNotified", { id, method: "ACH" });
    return timesAsked("query", id) > asked + 1;
  };
  await until(isStored, { awaited: `two questions about ${id}` });
}

async function read(path: string, token: string) {
  const { status, text, body } = await world.http.get(path, { token });
  expect(status).toBe(200);
  return { text, data: body.data };
}

const timelineOf = (id: string) =>
  read(`/v1/admin/businesses/${business.id}/transactions/${id}/timeline`, admin);

/** The sentence that operators read; undefined if the payout is not flagged. */
async function shownToOperators(id: string): Promise<string | undefined> {
  const { data } = await read("/v1/admin/attention?kind=payout&limit=100", admin);
  const { reason } = data.find((item: { id: string }) => item.id === id) ?? {};
  expect((await timelineOf(id)).data.problem).toBe(reason);
  return reason;
}

/** Everything that the payout's merchant and end user read about it. */
async function shownToOthers({ id, user }: Paid): Promise<string> {
  const paths = [
    `/v1/transactions/${id}`,
    `/v1/transactions/${id}/timeline`,
    `/v1/transactions/${id}/webhook-payload`,
    `/v1/business/${business.id}/transactions?needsAttention=true&limit=100`,
  ];
  const texts = await Promise.all(paths.map((path) => read(path, business.token)));
  const own = await read(`/v1/ext/withdrawals/${id}`, user.token);
  return [...texts, own].map(({ text }) => text).join("\n");
}

async function expectFlagged(paid: Paid, sentence: string, status: string) {
  expect(await shownToOperators(paid.id)).toBe(sentence);
  const others = await shownToOthers(paid);
  expect(others).not.toContain(sentence);
  expect(others).not.toContain('"problem"');
  const { data } = await read(`/v1/transactions/${paid.id}`, business.token);
  expect(data).toMatchObject({ status, needsAttention: true });
}

async function expectUnflagged({ id }: Paid, status: string) {
  // A question that began before the last answer may end after it; the next one corrects it.
  const payout = await until(async () => {
    const stored = await books.payouts.findOne({ _id: id, needsAttention: false });
    return stored?.status === status && stored;
  });
  expect(payout).not.toHaveProperty("problem");
  expect(payout).not.toHaveProperty("staysFlagged");
  expect(await shownToOperators(id)).toBeUndefined();
}

const OTHER_SUMS = [
  { amountMinor: 2_499, currency: "USD" },
  { amountMinor: 2_501, currency: "USD" },
  { amountMinor: 2_525, currency: "USD" },
  { amountMinor: 250_000, currency: "USD" },
  { amountMinor: 0, currency: "USD" },
  { amountMinor: Number.MAX_SAFE_INTEGER, currency: "USD" },
  { amountMinor: 2_500, currency: "EUR" },
  { amountMinor: 25, currency: "NGN" },
] as const;

const inWords = (kind: string, { amountMinor, currency }: (typeof OTHER_SUMS)[number]) => {
  const amount = `${BigInt(amountMinor) / 100n}.${String(amountMinor % 100).padStart(2, "0")}`;
  return `The rail answers ${kind} for ${amount} ${currency}, and the payout is of 25.00 USD.`;
};

describe("an answer about another sum", () => {
  test.each(OTHER_SUMS)("$amountMinor $currency of a submit settles nothing", async (sum) => {
    answers.submit = { kind: "settled", ...sum };
    const paid = await pay();
    await books.step(paid.id, "settle");
    await expectFlagged(paid, inWords("settled", sum), "PROCESSING_PAY_OUT");
    expect(await paid.balance()).toBe("74.75");
    await answer(paid.id, { kind: "settled", ...SUM });
    await expectUnflagged(paid, "SUCCESS");
  });

  test.each(OTHER_SUMS)("$amountMinor $currency that came back gives nothing back", async (sum) => {
    const paid = await pay();
    await books.step(paid.id, "settle");
    await answer(paid.id, { kind: "returned", code: "R03", ...sum });
    await expectFlagged(paid, inWords("returned", sum), "PROCESSING_PAY_OUT");
    expect(await paid.balance()).toBe("74.75");
    await answer(paid.id, { kind: "returned", code: "R03", ...SUM });
    await world.status(business, paid.id, "FAILED");
    await expectUnflagged(paid, "FAILED");
    expect(await paid.balance()).toBe("100.00");
  });

  test("gives nothing back after the settlement, and the whole return does so once", async () => {
    answers.submit = { kind: "settled", ...SUM, ...LATER };
    const paid = await pay();
    await world.status(business, paid.id, "SUCCESS");
    const [sum] = OTHER_SUMS;
    await answer(paid.id, { kind: "returned", code: "R03", ...sum });
    await expectFlagged(paid, inWords("returned", sum), "SUCCESS");
    expect(await paid.balance()).toBe("74.75");
    await answer(paid.id, { kind: "settled", ...SUM });
    await expectUnflagged(paid, "SUCCESS");
    await answer(paid.id, { kind: "returned", code: "R03", ...SUM });
    await world.status(business, paid.id, "FAILED");
    expect(await paid.balance()).toBe("100.00");
  });

  test("keeps the payout asked, also at a rail to which nothing comes back", async () => {
    rail.returnWindowMs = 0;
    answers.submit = { kind: "settled", ...SUM };
    const paid = await pay();
    await books.step(paid.id, "closed");
    await answer(paid.id, { kind: "settled", ...OTHER_SUMS[1] });
    const asked = timesAsked("query", paid.id);
    await clock.passDuring(until(() => timesAsked("query", paid.id) > asked + 1));
    await expectFlagged(paid, inWords("settled", OTHER_SUMS[1]), "SUCCESS");
    answers.query = { kind: "settled", ...SUM };
    await clock.passDuring(books.step(paid.id, "closed"));
    await expectUnflagged(paid, "SUCCESS");
  });

  test("that is late flags a refunded payout for good", async () => {
    const held = Promise.withResolvers<SubmitAnswer>();
    const isAsked = Promise.withResolvers<void>();
    const { submit } = rail;
    rail.submit = () => {
      rail.submit = submit;
      isAsked.resolve();
      return held.promise;
    };
    const paid = await pay();
    await isAsked.promise;
    answers.query = { kind: "rejected", code: "account_not_found" };
    await clock.passDuring(world.status(business, paid.id, "FAILED"));
    held.resolve({ kind: "settled", ...OTHER_SUMS[0] });
    await until(() => books.payouts.findOne({ _id: paid.id, needsAttention: true }));
    await expectFlagged(paid, inWords("settled", OTHER_SUMS[0]), "FAILED");
    clock.aheadMs = 0;
    await answer(paid.id, { kind: "rejected", code: "account_not_found" });
    expect(await books.payouts.findOne({ _id: paid.id })).toMatchObject({ needsAttention: true });
    expect(await paid.balance()).toBe("100.00");
  });

  test.each<[string, unknown]>([
    ["no sum", {}],
    ["a fraction", { amountMinor: 2_500.5, currency: "USD" }],
    ["a text", { amountMinor: "2500", currency: "USD" }],
    ["an unknown currency", { amountMinor: 2_500, currency: "JPY" }],
  ])("with %s is no answer", async (_name, sum) => {
    const paid = await pay();
    await books.step(paid.id, "settle");
    const { query } = rail;
    let asked = 0;
    rail.query = async () => {
      asked += 1;
      return { kind: "settled", ...(sum as typeof SUM) };
    };
    await world.call("payouts.railNotified", { id: paid.id, method: "ACH" });
    await until(() => books.payouts.findOne({ _id: paid.id, unknownSince: { $exists: true } }));
    expect(asked).toBeGreaterThan(0);
    rail.query = query;
    expect(await paid.balance()).toBe("74.75");
    await answer(paid.id, { kind: "settled", ...SUM });
    await expectUnflagged(paid, "SUCCESS");
  });
});

describe("a problem", () => {
  test("flags a payout before its end, through unknown answers, until it is gone", async () => {
    const paid = await pay();
    await books.step(paid.id, "settle");
    await answer(paid.id, { kind: "accepted", ...LATER, problem: PROBLEM });
    await expectFlagged(paid, PROBLEM, "PROCESSING_PAY_OUT");
    for (const given of [{ kind: "unknown" }, { kind: "notFound" }] satisfies QueryAnswer[]) {
      await answer(paid.id, given);
      await expectFlagged(paid, PROBLEM, "PROCESSING_PAY_OUT");
    }
    await answer(paid.id, { kind: "accepted", ...LATER, problem: "Another one." });
    await expectFlagged(paid, "Another one.", "PROCESSING_PAY_OUT");
    await answer(paid.id, { kind: "accepted", ...LATER });
    await expectUnflagged(paid, "PROCESSING_PAY_OUT");
  });

  test("of a submit flags the payout, and a refusal ends it without a flag", async () => {
    answers.submit = { kind: "accepted", ...LATER, problem: PROBLEM };
    const paid = await pay({ routingType: "WIRE" });
    await books.step(paid.id, "settle");
    await expectFlagged(paid, PROBLEM, "PENDING");
    answers.query = { kind: "rejected", code: "AC01" };
    await world.call("payouts.railNotified", { id: paid.id, method: "WIRE" });
    await world.status(business, paid.id, "FAILED");
    await expectUnflagged(paid, "FAILED");
    expect(await paid.balance()).not.toBe("74.75");
  });

  test("comes with the settlement or after it, and is gone with the next answer", async () => {
    const paid = await pay();
    await books.step(paid.id, "settle");
    await answer(paid.id, { kind: "settled", ...SUM, ...LATER, problem: PROBLEM });
    await expectFlagged(paid, PROBLEM, "SUCCESS");
    await answer(paid.id, { kind: "settled", ...SUM, ...LATER });
    await expectUnflagged(paid, "SUCCESS");
    await answer(paid.id, { kind: "accepted", ...LATER, problem: PROBLEM });
    await expectFlagged(paid, PROBLEM, "SUCCESS");
    await answer(paid.id, { kind: "settled", ...SUM, ...LATER });
    await expectUnflagged(paid, "SUCCESS");
    expect(await paid.balance()).toBe("74.75");
  });

  test("that is gone leaves the flag of a contradiction", async () => {
    answers.submit = { kind: "settled", ...SUM, ...LATER };
    const paid = await pay();
    await world.status(business, paid.id, "SUCCESS");
    await answer(paid.id, { kind: "settled", ...SUM, ...LATER, problem: PROBLEM });
    await answer(paid.id, { kind: "rejected", code: "AC01" });
    await answer(paid.id, { kind: "settled", ...SUM, ...LATER, problem: PROBLEM });
    await expectFlagged(paid, PROBLEM, "SUCCESS");
    await answer(paid.id, { kind: "settled", ...SUM, ...LATER });
    const { data } = await read("/v1/admin/attention?kind=payout&limit=100", admin);
    const { reason } = data.find((item: { id: string }) => item.id === paid.id);
    expect(reason).toBe("An answer of the rail contradicts SUCCESS");
  });

  test.each<[string, unknown]>([
    ["that is empty", ""],
    ["that is too long", "x".repeat(501)],
    ["with a control character", "a\u0007b"],
    ["that is no text", { text: PROBLEM }],
  ])("%s is dropped, and the answer counts", async (_name, problem) => {
    const paid = await pay();
    await books.step(paid.id, "settle");
    await answer(paid.id, { kind: "settled", ...SUM, ...LATER, problem: problem as string });
    await expectUnflagged(paid, "SUCCESS");
  });
});
