// The screening of payouts: nothing leaves without an ALLOW, what is held waits for a person, and one
// decision counts, whatever comes twice, late or after a death.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import type { Screened, ScreeningAnswer } from "../../partners/types.ts";
import type { Payout } from "../../services/payouts/payout.model.ts";
import { settableClock } from "../support/settable-clock.ts";
import { until } from "../support/system.ts";
import { UNSENT } from "../support/unsent.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

const HOUR_MS = 3_600_000;
const note = "Asked the business";
const clock = settableClock();

let world: World;
let admin: string;
let connection: mongoose.Connection;
/** The screening's answer to a name; no answer if it never resolves. */
let answerTo: (asked: Screened) => unknown;
let asked: Screened[];
/** What a payout waits for right after the screening's answer. */
let beforeStore: Promise<unknown> | undefined;
/** What it waits for right before its submit. */
let beforeSubmit: Promise<unknown> | undefined;

beforeAll(async () => {
  const screening = {
    name: "lists",
    screen(given: Screened) {
      asked.push(given);
      return answerTo(given) as Promise<ScreeningAnswer>;
    },
  };
  const reached = (point: string) =>
    ({ screened: beforeStore, "submitting-stored": beforeSubmit })[point] as Promise<void>;
  world = await startWorld({ overNats: true, payoutsInstead: [{ clock, screening, reached }] });
  admin = world.tokens.admin(randomUUID());
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});
afterAll(async () => {
  await connection?.close();
  await world?.stop();
});
beforeEach(() => {
  clock.aheadMs = 0;
  asked = [];
  answerTo = async () => ({ decision: "allow" });
  beforeStore = undefined;
  beforeSubmit = undefined;
});
afterEach(async () => {
  // What is stored by a clock that is ahead of verify's is right only once nothing is under way.
  const moving = { step: { $nin: ["closed", "declined"] }, reviewSince: { $exists: false } };
  const payouts = connection.collection("payouts");
  await until(async () => (await payouts.findOne({ $or: [moving, UNSENT] })) === null);
  await world.verifyBooks();
});

const stored = (id: string) =>
  connection.collection<Payout>("payouts").findOne({ _id: id }) as Promise<Payout>;

const submitsOf = async (id: string) => {
  const books = connection.collection<{ _id: string; submits: number }>("sandbox_rail");
  return (await books.findOne({ _id: id }))?.submits ?? 0;
};

async function payer() {
  const made = await world.payer(100);
  const bank = await world.bank(made.business, made.wallet);
  const withdraw = async (): Promise<string> =>
    dataOf(await world.withdraw(made.user, bank, { amount: 10 }), 200).id;
  return { ...made, bank, withdraw };
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
async function reviews(): Promise<any[]> {
  return dataOf(await world.http.get("/v1/admin/reviews?limit=100", { token: admin }), 200);
}

const held = (id: string) =>
  until(async () => (await reviews()).find((each) => each.id === id), { awaited: "the review" });

const decide = (id: string, decision: string, token = admin) =>
  world.http.post(`/v1/admin/transactions/${id}/review`, { decision, note }, { token });

const cancel = ({ token }: TestBusiness, id: string) =>
  world.http.post(`/v1/transactions/${id}/cancel`, {}, { token });

const historyOf = async ({ id: businessId }: TestBusiness, id: string) => {
  const path = `/v1/admin/businesses/${businessId}/transactions/${id}/timeline`;
  return dataOf(await world.http.get(path, { token: admin }), 200).screening;
};

async function decisionsAbout(business: TestBusiness, id: string): Promise<string[]> {
  const history: { decision: string }[] = await historyOf(business, id);
  return history.map(({ decision }) => decision);
}

const review = async () => ({ decision: "review", reasons: ["On a list"] });

// First, because processes see a stop late after their clock was set back.
test("a first submit asks again more than 24 hours after an ALLOW, and not before", async () => {
  const controls = async ({ id }: TestBusiness, status: string) => {
    const path = `/v1/admin/businesses/${id}/controls`;
    dataOf(await world.http.put(path, { status, note }, { token: admin }), 200);
  };
  /** A payout that is allowed, and that a stop holds before its submit. */
  const allowed = async () => {
    const { business, user, bank, withdraw } = await payer();
    const submit = Promise.withResolvers<void>();
    beforeSubmit = submit.promise;
    const id = await withdraw();
    await until(async () => (await stored(id)).step === "submitting");
    await controls(business, "PAYOUTS_PAUSED");
    // A stop is refused before a lack of funds.
    const probe = () => world.withdraw(user, bank, { amount: 1_000 });
    await until(async () => (await probe()).body.code === "payouts_paused");
    submit.resolve();
    await until(async () => (await stored(id)).heldSince !== undefined);
    return { business, id };
  };
  const [first, second] = [await allowed(), await allowed()];
  beforeSubmit = undefined;
  for (const [{ business, id }, hours, times] of [
    [first, 23, 1],
    [second, 2, 2],
  ] as const) {
    clock.aheadMs += hours * HOUR_MS;
    await controls(business, "ACTIVE");
    await world.status(business, id, "SUCCESS");
    expect(asked.filter((each) => each.id === id)).toHaveLength(times);
    expect(await submitsOf(id)).toBe(1);
  }
});

test("the screening is asked once, with what it needs, and an allowed payout leaves once", async () => {
  const { business, user, bank, withdraw } = await payer();
  const id = await withdraw();
  await world.status(business, id, "SUCCESS");
  expect(asked).toEqual([
    {
      id,
      kind: "payout",
      businessId: business.id,
      entityId: user.id,
      method: "ACH",
      amountMinor: 1_000,
      currency: "USD",
      party: { name: expect.any(String), email: expect.stringContaining("@") },
      destination: {
        optionType: "bank",
        bankName: expect.any(String),
        country: "US",
        lastFour: expect.stringMatching(/^\d{4}$/),
      },
    },
  ]);
  expect(bank.currency).toBe("USD");
  expect(await submitsOf(id)).toBe(1);
  expect((await decide(id, "ALLOW")).status).toBe(409);
  expect((await decide(randomUUID(), "ALLOW")).status).toBe(404);
});

test("a held payout waits as PENDING, and a person's ALLOW lets it leave", async () => {
  const { business, withdraw, user } = await payer();
  answerTo = review;
  const id = await withdraw();
  const item = await held(id);
  expect(item).toMatchObject({
    businessId: business.id,
    entityId: user.id,
    amount: "10.25",
    currency: "USD",
    method: "BANK_TRANSFER_ACH",
    reasons: ["On a list"],
    history: [{ decision: "REVIEW", reasons: ["On a list"], by: "lists" }],
  });
  const { token } = business;
  const shown = dataOf(await world.http.get(`/v1/transactions/${id}`, { token }), 200);
  expect(shown).toMatchObject({ status: "PENDING", needsAttention: false, failureCode: null });
  const timeline = await world.http.get(`/v1/transactions/${id}/timeline`, { token });
  expect(JSON.stringify(timeline.body)).not.toMatch(/list|screen|review/i);
  expect((await decide(id, "ALLOW", business.token)).status).toBe(401);
  expect(await submitsOf(id)).toBe(0);
  expect((await decide(id, "MAYBE")).status).toBe(400);
  expect(dataOf(await decide(id, "ALLOW"), 200).status).toBe("PENDING");
  await world.status(business, id, "SUCCESS");
  expect(asked).toHaveLength(1);
  expect(await submitsOf(id)).toBe(1);
  expect((await reviews()).some((each) => each.id === id)).toBe(false);
  expect(await historyOf(business, id)).toMatchObject([
    { decision: "REVIEW", by: "lists" },
    { decision: "ALLOW", reasons: [note], by: expect.not.stringMatching("lists") },
  ]);
});

test.each(["the screening", "a person"])(
  "a DENY of %s ends it FAILED, refunded once",
  async (by) => {
    const { business, wallet, withdraw } = await payer();
    answerTo = by === "a person" ? review : async () => ({ decision: "deny", code: "sanctions" });
    const id = await withdraw();
    if (by === "a person") {
      await held(id);
      // Two persons at once: one decides.
      const answers = await Promise.all([decide(id, "DENY"), decide(id, "ALLOW")]);
      const won = answers.findIndex(({ status }) => status === 200);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
      if (won === 1) return;
    }
    const failed = await world.status(business, id, "FAILED");
    expect(failed).toMatchObject({
      failureReason: "Transaction declined for compliance reasons.",
      failureCode: "compliance",
    });
    expect(await world.balance(business, wallet)).toBe("100.00");
    expect(await submitsOf(id)).toBe(0);
    expect((await decide(id, "DENY")).status).toBe(409);
    const { token } = business;
    const timeline = await world.http.get(`/v1/transactions/${id}/timeline`, { token });
    expect(JSON.stringify(timeline.body)).not.toMatch(/sanctions|lists|Asked/);
  },
);

test("a DENY after a cancel changes nothing: the money is back once", async () => {
  const { business, wallet, withdraw } = await payer();
  answerTo = review;
  const waiting = await withdraw();
  await held(waiting);
  expect(dataOf(await cancel(business, waiting), 200).status).toBe("FAILED");
  expect((await decide(waiting, "DENY")).status).toBe(409);
  expect((await reviews()).some(({ id }) => id === waiting)).toBe(false);

  const answer = Promise.withResolvers<unknown>();
  answerTo = () => answer.promise;
  const under = await withdraw();
  await until(() => asked.some(({ id }) => id === under));
  expect(dataOf(await cancel(business, under), 200).status).toBe("FAILED");
  answer.resolve({ decision: "deny", code: "sanctions" });
  for (const id of [waiting, under]) {
    const { failureReason } = await world.status(business, id, "FAILED");
    expect(failureReason).toBe("Payment was cancelled.");
  }
  expect(await world.balance(business, wallet)).toBe("100.00");
});

test("while the screening is away nothing leaves; then all that it allows leaves, once", async () => {
  const { business, wallet, withdraw } = await payer();
  const faults = [
    () => Promise.reject(new Error("It is away")),
    async () => ({ decision: "yes" }),
    async () => ({ decision: "deny" }),
    async () => ({ decision: "review", reasons: "many" }),
    async () => undefined,
    () => new Promise(() => {}),
  ];
  const ids: string[] = [];
  for (const fault of faults) {
    answerTo = fault;
    const id = await withdraw();
    ids.push(id);
    const { reasons } = await held(id);
    expect(reasons).toEqual(["The screening has not answered"]);
  }
  answerTo = faults[0] as typeof answerTo;
  clock.aheadMs += HOUR_MS;
  const before = asked.length;
  // All were asked about again, in vain.
  await until(() => ids.every((id) => asked.slice(before).some((each) => each.id === id)));
  for (const id of ids) expect(await submitsOf(id)).toBe(0);
  const [denied, reviewed, ...allowed] = ids as [string, string, ...string[]];
  answerTo = async ({ id }) => {
    if (id === denied) return { decision: "deny", code: "sanctions" };
    return id === reviewed ? review() : { decision: "allow" };
  };
  clock.aheadMs += HOUR_MS;
  for (const id of allowed) {
    await world.status(business, id, "SUCCESS");
    expect(await submitsOf(id)).toBe(1);
    expect(await decisionsAbout(business, id)).toEqual(["REVIEW", "ALLOW"]);
  }
  await world.status(business, denied, "FAILED");
  // A review of the screening's own waits for a person, and for nothing else.
  await until(async () => (await decisionsAbout(business, reviewed)).length === 2);
  await until(async () => (await stored(reviewed)).nextAttemptAt === undefined);
  dataOf(await decide(reviewed, "DENY"), 200);
  await world.status(business, reviewed, "FAILED");
  expect(await submitsOf(denied)).toBe(0);
  expect(await submitsOf(reviewed)).toBe(0);
  expect(await world.balance(business, wallet)).toBe("59.00");
});

test("a person decides while the screening is asked again: its answer changes nothing", async () => {
  const { business, withdraw } = await payer();
  answerTo = () => Promise.reject(new Error("It is away"));
  const id = await withdraw();
  await held(id);
  const answer = Promise.withResolvers<unknown>();
  answerTo = () => answer.promise;
  clock.aheadMs += HOUR_MS;
  await until(() => asked.filter((each) => each.id === id).length === 2);
  dataOf(await decide(id, "ALLOW"), 200);
  answer.resolve({ decision: "deny", code: "sanctions" });
  await world.status(business, id, "SUCCESS");
  expect(await submitsOf(id)).toBe(1);
  expect(await decisionsAbout(business, id)).toEqual(["REVIEW", "ALLOW"]);
});

test("a death between the answer and its store: it is asked again, and leaves once", async () => {
  const { business, withdraw } = await payer();
  const dead = Promise.withResolvers<void>();
  beforeStore = dead.promise;
  const id = await withdraw();
  await until(() => asked.some((each) => each.id === id));
  beforeStore = undefined;
  // Another driver takes it after the lease.
  clock.aheadMs += HOUR_MS;
  await world.status(business, id, "SUCCESS");
  // The first answer comes a second time, and its write comes too late.
  dead.resolve();
  expect(asked).toHaveLength(2);
  expect((await historyOf(business, id)).length).toBe(1);
  expect(await submitsOf(id)).toBe(1);
});
