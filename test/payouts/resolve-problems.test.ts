// An operator ends by hand a payout that a problem holds. A rail with decisions stores the decision
// first, so that its later answers are by it; a payout is never paid and refunded without a flag,
// also if the process dies in between.

import { randomUUID } from "node:crypto";
import type { DecideAnswer, Rail } from "../../partners/types.ts";
import type { Point } from "../../services/payouts/deps.ts";
import { type Keyed, openKeyed } from "../support/keyed.ts";
import { type Books, openBooks, scriptedRail, stopWorld } from "../support/payouts.ts";
import { settableClock } from "../support/settable-clock.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

type End = Parameters<NonNullable<Rail["decide"]>>[1];

const DAY_MS = 86_400_000;
const SUM = { amountMinor: 2_500, currency: "USD" } as const;
const LATER = { askAfterMs: DAY_MS };
const PROBLEM = "The bank refuses the file without a reason (NARR).";
const HELD = { kind: "accepted", ...LATER, problem: PROBLEM } as const;
const PAID_HELD = { kind: "settled", ...SUM, ...LATER, problem: PROBLEM } as const;

const { answers, timesAsked, rail, rails } = scriptedRail(30 * DAY_MS);
const clock = settableClock();
let losesDecision = false;

/** The rail's answers to decisions; by default it stores one where it has a problem. */
const decisions: { id: string; end: End }[] = [];
let decides: (id: string, end: End) => Promise<DecideAnswer>;

function storeDecision(id: string, end: End): DecideAnswer {
  const isHeld = "problem" in answers.query && answers.query.problem !== undefined;
  const known = decisions.find((each) => each.id === id);
  if (known) return known.end === end ? "decided" : "no";
  if (!isHeld) return "no";
  decisions.push({ id, end });
  answers.query =
    end === "settled"
      ? { kind: end, ...SUM, ...LATER }
      : end === "returned"
        ? { kind: end, code: "resolved", ...SUM }
        : { kind: end, code: "resolved" };
  return "decided";
}

const reached = (point: Point) => {
  if (losesDecision && point === "decision-stored") throw new Error("The process dies");
};

let world: World;
let books: Books;
let keyed: Keyed;
let business: TestBusiness;
const admin = randomUUID();

beforeAll(async () => {
  // The lost decisions are errors of the log.
  const environment = { LOG_LEVEL: "fatal" };
  world = await startWorld({ environment, payoutsInstead: [{ rails, clock, reached }] });
  books = await openBooks(world);
  keyed = await openKeyed(world);
  business = await world.business();
});

beforeEach(() => {
  clock.aheadMs = 0;
  losesDecision = false;
  decides = async (id, end) => storeDecision(id, end);
  rail.decide = (id, end) => decides(id, end);
  answers.submit = { kind: "accepted", ...LATER };
  answers.query = { kind: "unknown" };
  answers.cancel = "no";
});

afterAll(async () => {
  await keyed.close();
  await stopWorld(world, books, clock);
});

const ROUTING: Record<string, unknown> = { routingType: "WIRE" };

async function pay(submit: typeof answers.submit, step: "settle" | "watch") {
  answers.submit = submit;
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 1_000);
  const bank = await world.bank(business, wallet);
  const { id, fees } = dataOf(await world.withdraw(user, bank, ROUTING), 200);
  await books.step(id, step);
  const debited = (1_000 - 25 - Number(fees)).toFixed(2);
  return { id: id as string, debited, balance: () => world.balance(business, wallet) };
}

type Paid = Awaited<ReturnType<typeof pay>>;

/** A payout with a problem, before its end or after its settlement. */
const payHeld = () => pay(HELD, "settle");
const paySettledHeld = () => pay(PAID_HELD, "watch");

/** Asks again while a driver has the payout, as the answer says. */
function resolve(id: string, outcome: string, key?: string) {
  const body = { outcome, note: "The bank told us by phone" };
  return until(async () => {
    const answer = await world.http.post(`/v1/admin/transactions/${id}/resolve`, body, {
      token: world.tokens.admin(admin),
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
    });
    return answer.body.message === "The transaction is changing: ask again" ? null : answer;
  });
}

const endsAt = (id: string) => decisions.filter((each) => each.id === id).map(({ end }) => end);

/** Has the rail asked again, and waits for its answer. A push is lost while a node has it. */
async function askAgain(id: string): Promise<void> {
  const asked = timesAsked("query", id);
  await until(async () => {
    await world.call("payouts.railNotified", { id, method: "WIRE" });
    return timesAsked("query", id) > asked;
  });
}

async function expectEnded({ id, debited, balance }: Paid, status: "SUCCESS" | "FAILED") {
  await world.status(business, id, status);
  const payout = await books.step(id, "watch", "closed");
  expect(payout).toMatchObject({ status, needsAttention: false });
  expect(payout).not.toHaveProperty("problem");
  expect(await balance()).toBe(status === "SUCCESS" ? debited : "1000.00");
}

async function lastBy(id: string): Promise<string | undefined> {
  const path = `/v1/admin/businesses/${business.id}/transactions/${id}/timeline`;
  const options = { token: world.tokens.admin(admin) };
  return dataOf(await world.http.get(path, options), 200).states.at(-1)?.by;
}

describe("a rail with decisions stores", () => {
  test.each<[string, string, () => Promise<Paid>, "SUCCESS" | "FAILED", End]>([
    ["a settlement", "before the end", payHeld, "SUCCESS", "settled"],
    ["a failure", "before the end", payHeld, "FAILED", "rejected"],
    ["a confirmation", "after the settlement", paySettledHeld, "SUCCESS", "settled"],
    ["a return", "after the settlement", paySettledHeld, "FAILED", "returned"],
  ])("%s %s, and its later answer agrees", async (_what, _when, make, outcome, end) => {
    const paid = await make();
    answers.query = answers.submit;
    const { status, body } = await resolve(paid.id, outcome);
    expect([status, body.data]).toEqual([
      200,
      expect.objectContaining({ id: paid.id, status: outcome, needsAttention: false }),
    ]);
    expect(endsAt(paid.id)).toEqual([end]);
    expect(timesAsked("cancel", paid.id)).toBe(0);
    expect(await lastBy(paid.id)).toBe(`admin ${admin}: The bank told us by phone`);
    await askAgain(paid.id);
    await expectEnded(paid, outcome);
    expect((await resolve(paid.id, outcome)).status).toBe(409);
  });

  test("nothing of a payout that it has paid and payrail has refunded", async () => {
    const paid = await payHeld();
    answers.query = HELD;
    expect((await resolve(paid.id, "FAILED")).status).toBe(200);
    await expectEnded(paid, "FAILED");
    // The bank books it nevertheless.
    answers.query = PAID_HELD;
    await askAgain(paid.id);
    await until(() => books.payouts.findOne({ _id: paid.id, needsAttention: true }));
    expect((await resolve(paid.id, "SUCCESS")).status).toBe(409);
    expect(await paid.balance()).toBe("1000.00");
  });
});

describe("a payout that is not flagged", () => {
  test("is ended if its rail has a problem with it by now", async () => {
    const paid = await pay({ kind: "accepted", ...LATER }, "settle");
    answers.query = HELD;
    expect((await resolve(paid.id, "FAILED")).status).toBe(200);
    expect(endsAt(paid.id)).toEqual(["rejected"]);
    await expectEnded(paid, "FAILED");
  });

  test.each([
    { kind: "accepted", ...LATER },
    { kind: "settled", ...SUM },
    { kind: "unknown" },
  ] as const)("stays as it is if its rail answers $kind", async (given) => {
    const paid = await pay({ kind: "accepted", ...LATER }, "settle");
    answers.query = given;
    for (const outcome of ["SUCCESS", "FAILED"]) {
      const { status, body } = await resolve(paid.id, outcome);
      expect([status, body.message]).toEqual([409, "The transaction does not need attention"]);
    }
    expect(endsAt(paid.id)).toEqual([]);
    expect(await books.payouts.findOne({ _id: paid.id })).toMatchObject({ step: "settle" });
    expect(await paid.balance()).toBe(paid.debited);
  });
});

describe("a rail that does not store the decision", () => {
  test("refuses it: nothing changes, and the rail is not asked to cancel", async () => {
    const paid = await payHeld();
    answers.query = HELD;
    decides = async () => "no";
    const { status, body } = await resolve(paid.id, "SUCCESS");
    expect([status, body.message]).toEqual([409, "The rail cannot have ended the payment so"]);
    expect(await books.payouts.findOne({ _id: paid.id })).toMatchObject({
      status: "PENDING",
      needsAttention: true,
      problem: PROBLEM,
    });
    expect(timesAsked("cancel", paid.id)).toBe(0);
    expect(await paid.balance()).toBe(paid.debited);
  });

  test("does not answer: the same request ends it once the rail does", async () => {
    const paid = await payHeld();
    answers.query = HELD;
    decides = async () => {
      throw new Error("The rail is away");
    };
    const key = randomUUID();
    const { status, body, headers } = await resolve(paid.id, "FAILED", key);
    expect([status, body.message, headers["retry-after"]]).toEqual([
      409,
      "The rail has not said whether it stored the decision: ask again",
      "10",
    ]);
    expect(await paid.balance()).toBe(paid.debited);
    decides = async (id, end) => storeDecision(id, end);
    await until(async () => (await resolve(paid.id, "FAILED", key)).status === 200);
    await expectEnded(paid, "FAILED");
  });

  test("has stored it without saying so: its next answer ends the payout", async () => {
    const paid = await payHeld();
    answers.query = HELD;
    decides = async (id, end) => {
      storeDecision(id, end);
      return "unknown";
    };
    expect((await resolve(paid.id, "FAILED")).status).toBe(409);
    await expectEnded(paid, "FAILED");
    expect(endsAt(paid.id)).toEqual(["rejected"]);
  });
});

describe("a process that dies after the rail has stored the decision", () => {
  test.each([
    ["SUCCESS", payHeld],
    ["FAILED", payHeld],
    ["SUCCESS", paySettledHeld],
    ["FAILED", paySettledHeld],
  ] as const)("has the repeat of %s end the payout, %p", async (outcome, make) => {
    const paid = await make();
    answers.query = answers.submit;
    losesDecision = true;
    const key = randomUUID();
    expect((await resolve(paid.id, outcome, key)).status).toBe(500);
    losesDecision = false;
    await keyed.passLeases();
    const { status, body } = await resolve(paid.id, outcome, key);
    expect([status, body.data.status]).toEqual([200, outcome]);
    await expectEnded(paid, outcome);
    expect(endsAt(paid.id)).toHaveLength(1);
    expect((await resolve(paid.id, outcome, key)).body).toEqual(body);
  });

  test.each(["SUCCESS", "FAILED"] as const)(
    "has the rail's own answer end it as %s, and the repeat agrees",
    async (outcome) => {
      const paid = await payHeld();
      answers.query = HELD;
      losesDecision = true;
      const key = randomUUID();
      expect((await resolve(paid.id, outcome, key)).status).toBe(500);
      losesDecision = false;
      await askAgain(paid.id);
      await expectEnded(paid, outcome);
      await keyed.passLeases();
      const { status, body } = await resolve(paid.id, outcome, key);
      expect([status, body.data.status]).toEqual([200, outcome]);
      await expectEnded(paid, outcome);
    },
  );

  test("refuses the opposite decision afterwards", async () => {
    const paid = await payHeld();
    answers.query = HELD;
    losesDecision = true;
    expect((await resolve(paid.id, "FAILED")).status).toBe(500);
    losesDecision = false;
    expect((await resolve(paid.id, "SUCCESS")).status).toBe(409);
    await expectEnded(paid, "FAILED");
  });
});

describe.each([
  ["refusal", { kind: "rejected", code: "AC04" }],
  ["return", { kind: "returned", code: "AC04", ...SUM }],
] as const)("a %s of the rail with a problem", (_name, failed) => {
  test.each([
    ["SUCCESS", "settled"],
    ["FAILED", "rejected"],
  ] as const)("gives no money back, and an operator ends it as %s", async (outcome, end) => {
    const paid = await pay({ kind: "accepted", ...LATER }, "settle");
    answers.query = { ...failed, problem: PROBLEM };
    await askAgain(paid.id);
    await until(() => books.payouts.findOne({ _id: paid.id, needsAttention: true }));
    expect(await books.step(paid.id, "settle")).toMatchObject({ problem: PROBLEM });
    expect(await paid.balance()).toBe(paid.debited);
    expect((await resolve(paid.id, outcome)).status).toBe(200);
    await expectEnded(paid, outcome);
    expect(endsAt(paid.id)).toEqual([end]);
  });

  test("flags a payout that has failed, for as long as the rail has the problem", async () => {
    const paid = await pay({ kind: "accepted", ...LATER }, "settle");
    answers.query = failed;
    await askAgain(paid.id);
    await world.status(business, paid.id, "FAILED");
    answers.query = { ...failed, problem: PROBLEM };
    const flagged = { _id: paid.id, needsAttention: true };
    expect(await clock.passDuring(until(() => books.payouts.findOne(flagged)))).toMatchObject({
      status: "FAILED",
      problem: PROBLEM,
    });
    expect((await resolve(paid.id, "SUCCESS")).status).toBe(409);
    answers.query = failed;
    await clock.passDuring(
      until(() => books.payouts.findOne({ ...flagged, needsAttention: false })),
    );
    await expectEnded(paid, "FAILED");
    expect(endsAt(paid.id)).toEqual([]);
  });
});

test("a return with a problem leaves a success, which an operator confirms or takes back", async () => {
  for (const outcome of ["SUCCESS", "FAILED"] as const) {
    const paid = await pay({ kind: "settled", ...SUM, ...LATER }, "watch");
    answers.query = { kind: "returned", code: "AC04", ...SUM, problem: PROBLEM };
    await askAgain(paid.id);
    await until(() => books.payouts.findOne({ _id: paid.id, needsAttention: true }));
    expect(await paid.balance()).toBe(paid.debited);
    expect((await resolve(paid.id, outcome)).status).toBe(200);
    await expectEnded(paid, outcome);
    expect(endsAt(paid.id)).toEqual([outcome === "SUCCESS" ? "settled" : "returned"]);
  }
});

describe("a rail that answers about another sum", () => {
  const OTHER = { amountMinor: 2_000, currency: "USD" } as const;

  test.each([
    ["with decisions", true],
    ["without decisions", false],
  ])("%s: it was paid, and came back, by the operator's word", async (_name, hasDecisions) => {
    if (!hasDecisions) delete rail.decide;
    const paid = await pay({ kind: "settled", ...OTHER }, "settle");
    answers.query = { kind: "settled", ...OTHER, ...LATER };
    const refused = await resolve(paid.id, "FAILED");
    expect([refused.status, refused.body.message]).toEqual([
      409,
      "The rail does not cancel the payment: it may be paid",
    ]);
    // The refused request makes payrail ask again.
    await until(async () => (await resolve(paid.id, "SUCCESS")).status === 200);
    expect(await paid.balance()).toBe(paid.debited);
    await askAgain(paid.id);
    await until(() => books.payouts.findOne({ _id: paid.id, needsAttention: true }));
    expect((await resolve(paid.id, "FAILED")).status).toBe(200);
    await world.status(business, paid.id, "FAILED");
    expect(await paid.balance()).toBe("1000.00");
    // Its money is back, and the rail says that it is not.
    await until(() => books.payouts.findOne({ _id: paid.id, needsAttention: true }));
    expect((await resolve(paid.id, "FAILED")).status).toBe(200);
    expect(await books.payouts.findOne({ _id: paid.id })).toMatchObject({
      step: "closed",
      needsAttention: false,
    });
    expect(await paid.balance()).toBe("1000.00");
  });

  test("that came back is given back whole by the operator's word, without a cancel", async () => {
    const paid = await pay({ kind: "accepted", ...LATER }, "settle");
    answers.query = { kind: "returned", code: "R03", ...OTHER };
    await askAgain(paid.id);
    await until(() => books.payouts.findOne({ _id: paid.id, needsAttention: true }));
    expect((await resolve(paid.id, "FAILED")).status).toBe(200);
    await world.status(business, paid.id, "FAILED");
    expect(await paid.balance()).toBe("1000.00");
  });
});
