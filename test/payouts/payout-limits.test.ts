// Limits of what is paid out: exact under concurrency, with what was accepted before them, given back
// once and only when due.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import type { LimitCounter } from "../../services/payouts/limit-counter.model.ts";
import { countingFor, createLimitCounters } from "../../services/payouts/limit-counters.ts";
import { OF_BUSINESS, type Payout } from "../../services/payouts/payout.model.ts";
import { systemClock } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
let admin: string;
let connection: mongoose.Connection;

beforeAll(async () => {
  // Two processes of payouts decide together.
  world = await startWorld({ overNats: true, payoutsInstead: [{}, {}] });
  admin = world.tokens.admin(randomUUID());
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});
afterAll(async () => {
  await connection?.close();
  await world?.stop();
});
afterEach(() => world.verifyBooks());

interface Limit {
  scope: "business" | "entity";
  currency: string;
  per: "payout" | "day" | "month";
  amount?: string;
  count?: number;
  method?: string;
}

const ofDay = (more: Partial<Limit>): Limit => ({
  scope: "business",
  currency: "USD",
  per: "day",
  ...more,
});

async function setLimits(business: TestBusiness, limits: Limit[], by = "operator") {
  const isOperator = by === "operator";
  const path = isOperator
    ? `/v1/admin/businesses/${business.id}/limits`
    : `/v1/business/${business.id}/limits`;
  const token = isOperator ? admin : business.token;
  const body = { limits, ...(isOperator && { note: "The risk team asked" }) };
  expect(dataOf(await world.http.put(path, body, { token }), 200)).toEqual({ limits });
  expect(dataOf(await world.http.get(path, { token }), 200)).toEqual({ limits });
}

const limitsOf = async (token: string) =>
  dataOf(await world.http.get("/v1/ext/withdrawal-limits", { token }), 200);

/** Waits until every process knows so many limits. */
async function knownBy(token: string, count: number): Promise<void> {
  await until(async () => {
    const ask = () => world.http.get("/v1/ext/withdrawal-limits", { token });
    const answers = await Promise.all(Array.from({ length: 10 }, ask));
    // A process that has just heard nothing of the limits answers 503.
    return answers.every(({ body }) => body.data?.length === count);
  });
}

test("of 40 withdrawals at once exactly as many are accepted as the count allows", async () => {
  const { business, user, wallet } = await world.payer(1_000);
  const bank = await world.bank(business, wallet);
  dataOf(await world.withdraw(user, bank, { amount: 1 }), 200);
  await setLimits(business, [ofDay({ count: 11 })]);
  await knownBy(user.token, 1);
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => world.withdraw(user, bank, { amount: 1 })),
  );
  // The one from before the limit counts too.
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  const refused = answers.filter(({ status }) => status === 400);
  expect(refused).toHaveLength(30);
  expect(refused[0]?.body).toMatchObject({
    code: "limit_exceeded",
    limit: {
      scope: "business",
      method: null,
      currency: "USD",
      per: "day",
      max: 11,
      used: 11,
      resetsAt: expect.stringMatching(/T00:00:00\.000Z$/),
    },
  });
  expect(await limitsOf(user.token)).toMatchObject([{ max: 11, used: 11, left: 0 }]);
});

test("amounts count without fees, by method, and the lower of both sides holds", async () => {
  const { business, user, wallet } = await world.payer(1_000);
  const bank = await world.bank(business, wallet);
  await setLimits(business, [
    ofDay({ amount: "90.00" }),
    ofDay({ per: "payout", amount: "60.00" }),
    ofDay({ amount: "10.00", method: "RTP" }),
  ]);
  await setLimits(business, [ofDay({ scope: "entity", amount: "50.00" })], "merchant");
  await knownBy(user.token, 4);
  const withdraw = async (amount: number, routingType = "ACH") => {
    const { status, body } = await world.withdraw(user, bank, { amount, routingType });
    return status === 200 ? "accepted" : body.limit;
  };
  expect(await withdraw(60.01)).toMatchObject({ max: "60.00", used: "0.00", resetsAt: null });
  expect(await withdraw(50)).toBe("accepted");
  expect(await withdraw(0.01)).toMatchObject({ scope: "entity", max: "50.00", used: "50.00" });
  const other = await world.user(business);
  const theirs = await world.wallet(business, other, 500);
  const theirBank = await world.bank(business, theirs);
  const asOther = async (amount: number, routingType = "ACH") => {
    const { status, body } = await world.withdraw(other, theirBank, { amount, routingType });
    return status === 200 ? "accepted" : body.limit;
  };
  expect(await asOther(10, "RTP")).toBe("accepted");
  expect(await asOther(1, "RTP")).toMatchObject({ method: "RTP", max: "10.00", used: "10.00" });
  expect(await asOther(30)).toBe("accepted");
  expect(await asOther(0.01)).toMatchObject({ scope: "business", max: "90.00", used: "90.00" });

  // An operator reads what each of them has used.
  const asAdmin = (query = "") =>
    world.http.get(`/v1/admin/businesses/${business.id}/withdrawal-limits${query}`, {
      token: admin,
    });
  expect(dataOf(await asAdmin(), 200)).toEqual(await limitsOf(business.token));
  for (const { id, token } of [user, other]) {
    expect(dataOf(await asAdmin(`?entityId=${id}`), 200)).toEqual(await limitsOf(token));
  }
  const stranger = await world.user(await world.business());
  expect((await asAdmin(`?entityId=${stranger.id}`)).body.data).toEqual([]);
});

test("a decline, a cancel and a failure give back, a return after SUCCESS does not", async () => {
  const { business, user, wallet } = await world.payer(20);
  const bank = await world.bank(business, wallet);
  const failing = await world.bank(business, wallet, "0004");
  const returned = await world.bank(business, wallet, "0007");
  await setLimits(business, [ofDay({ amount: "25.00" })]);
  await knownBy(user.token, 1);
  const used = async () => (await limitsOf(user.token))[0].used;
  // With its fee it is more than there is.
  expect((await world.withdraw(user, bank, { amount: 20 })).body.code).toBe("insufficient_funds");
  expect(await used()).toBe("0.00");
  const { id } = dataOf(await world.withdraw(user, failing, { amount: 5 }), 200);
  await world.status(business, id, "FAILED");
  expect(await used()).toBe("0.00");
  const late = dataOf(await world.withdraw(user, returned, { amount: 6 }), 200).id;
  await world.status(business, late, "FAILED");
  expect(await used()).toBe("6.00");
});

test("a limit counts what another limit, or none, has let through in its window", async () => {
  const { business, user, wallet } = await world.payer(1_000);
  const bank = await world.bank(business, wallet);
  await setLimits(business, [ofDay({ amount: "100.00" })]);
  await knownBy(user.token, 1);
  dataOf(await world.withdraw(user, bank, { amount: 10 }), 200);
  await setLimits(business, []);
  await knownBy(user.token, 0);
  const failing = await world.bank(business, wallet, "0004");
  const { id } = dataOf(await world.withdraw(user, failing, { amount: 5 }), 200);
  await world.status(business, id, "FAILED");
  dataOf(await world.withdraw(user, bank, { amount: 7 }), 200);
  await setLimits(business, [ofDay({ amount: "50.00" }), ofDay({ per: "month", count: 3 })]);
  await knownBy(user.token, 2);
  dataOf(await world.withdraw(user, bank, { amount: 3 }), 200);
  expect(await limitsOf(user.token)).toMatchObject([{ used: "20.00" }, { used: 3 }]);
  expect((await world.withdraw(user, bank, { amount: 3 })).body.limit).toMatchObject({ used: 3 });
});

test("a person's limit decides first, so what it refuses takes nothing of the business's", async () => {
  const { business, user, wallet } = await world.payer(20);
  const bank = await world.bank(business, wallet);
  await setLimits(business, [ofDay({ count: 2 }), ofDay({ scope: "entity", count: 1 })]);
  await knownBy(user.token, 2);
  const { id } = dataOf(await world.withdraw(user, bank, { amount: 1 }), 200);
  const stored = await connection.collection<Payout>("payouts").findOne({ _id: id });
  expect(stored?.counted).toMatchObject([/:entity:/, /:business:/].map(expect.stringMatching));
});

test("a counter keeps no mark of payouts that are refused, or that say it themselves", async () => {
  const { business, user, wallet } = await world.payer(20);
  const bank = await world.bank(business, wallet);
  const failing = await world.bank(business, wallet, "0004");
  await setLimits(business, [ofDay({ scope: "entity", count: 9 }), ofDay({ amount: "15.00" })]);
  await knownBy(user.token, 2);
  for (let i = 0; i < 5; i++) {
    const { body } = await world.withdraw(user, bank, { amount: 16 });
    expect(body.code).toBe("limit_exceeded");
  }
  const { id } = dataOf(await world.withdraw(user, failing, { amount: 5 }), 200);
  await world.status(business, id, "FAILED");
  const counters = connection.collection<LimitCounter>("payout_limit_counters");
  await until(async () => {
    await world.withdraw(user, bank, { amount: 16 });
    const found = await counters.find({}).toArray();
    const own = found.filter(({ _id }) => _id.includes(business.id) || _id.includes(user.id));
    // Each process removes a mark with its next change of the counter.
    return own.length === 2 && own.every(({ marks }) => Object.keys(marks).length <= 2);
  });
  expect(await limitsOf(user.token)).toMatchObject([{ used: 0 }, { used: "0.00" }]);
});

test("the base is read in a limit's first seconds and after them, then it only falls", async () => {
  const businessId = randomUUID();
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => Date.now() + aheadMs };
  const stored = connection.collection<LimitCounter>("base_counters");
  const payouts = connection.collection<Payout>("base_payouts");
  await payouts.createIndex(OF_BUSINESS, { partialFilterExpression: { visible: true } });
  const counters = createLimitCounters(stored, payouts, clock);
  const limit = { ...ofDay({ count: 100 }), since: Date.now() } as never;
  const counting = countingFor(limit, { businessId, entityId: businessId }, Date.now());
  if (!counting) throw new Error("A limit of a day has a counter");
  const { counterId } = counting;
  const before = { businessId, currency: "USD", visible: true, flow: "PAYOUT", amountMinor: 500 };
  const letThrough = async () => {
    const payout = { ...before, _id: newId(), step: "watch", status: "SUCCESS" } as Payout;
    await payouts.insertOne(payout);
    return { payoutId: payout._id, amountMinor: 500 };
  };
  const count = () => counters.count(counting, { payoutId: newId(), amountMinor: 100 });
  const used = () => counters.read(counting);
  const [failing] = [await letThrough(), await letThrough()];
  await count();
  expect(await used()).toEqual({ count: 3, usedMinor: 1_100 });
  await letThrough();
  aheadMs = 10_000;
  await count();
  expect(await used()).toEqual({ count: 5, usedMinor: 1_700 });
  await letThrough();
  aheadMs = 40_000;
  await count();
  expect(await used()).toEqual({ count: 7, usedMinor: 2_300 });

  for (const _twice of [1, 2]) await counters.giveBack(counterId, failing, "in base");
  expect(await used()).toEqual({ count: 6, usedMinor: 1_800 });
  await payouts.updateOne({ _id: failing.payoutId }, { $set: { status: "FAILED" } });
  counters.forget(counterId, failing.payoutId, "out");
  await count();
  await counters.giveBack(counterId, failing, "in base");
  expect(await used()).toEqual({ count: 7, usedMinor: 1_900 });
  // Every process knows the limit, so no payout without it is let through.
  await letThrough();
  await count();
  expect(await used()).toEqual({ count: 8, usedMinor: 2_000 });
});

test("a payout from before a limit that fails frees what it used", async () => {
  const { business, user, wallet } = await world.payer(100);
  const slow = await world.bank(business, wallet, "0004");
  const bank = await world.bank(business, wallet);
  dataOf(await world.withdraw(user, bank, { amount: 7 }), 200);
  const { id } = dataOf(await world.withdraw(user, slow, { amount: 5 }), 200);
  await setLimits(business, [ofDay({ amount: "50.00" })]);
  await knownBy(user.token, 1);
  await world.status(business, id, "FAILED");
  dataOf(await world.withdraw(user, bank, { amount: 3 }), 200);
  expect(await limitsOf(user.token)).toMatchObject([{ used: "10.00" }]);
});

test("a token is judged before the limits, and a payout above one leaves it unspent", async () => {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet);
  await setLimits(business, [ofDay({ per: "payout", amount: "20.00" })]);
  await knownBy(user.token, 1);
  const withdraw = async (amount: number, token: string) =>
    (await world.withdraw(user, bank, { amount }, { "x-application-token": token })).body;
  expect(await withdraw(21, randomUUID())).toMatchObject({ code: "application_token_invalid" });
  const terms = { tokenType: "PAYOUT", amount: 21 };
  const token = await world.applicationToken(business, user, terms);
  expect(await withdraw(21, token)).toMatchObject({ code: "limit_exceeded" });
  await setLimits(business, []);
  await knownBy(user.token, 0);
  expect(await withdraw(21, token)).toMatchObject({ success: true });
});

test("limits that say nothing, or too much, are refused", async () => {
  const business = await world.business();
  const path = `/v1/business/${business.id}/limits`;
  const put = async (limit: object) =>
    (await world.http.put(path, { limits: [limit] }, { token: business.token })).status;
  expect(await put(ofDay({}))).toBe(400);
  expect(await put(ofDay({ per: "payout", count: 1 }))).toBe(400);
  expect(await put(ofDay({ amount: "1.001" }))).toBe(400);
  expect(await put({ ...ofDay({ count: 0 }) })).toBe(400);
  const limits = Array.from({ length: 51 }, () => ofDay({ count: 1 }));
  expect((await world.http.put(path, { limits }, { token: business.token })).status).toBe(400);
  expect((await world.http.put(path, { limits: [] }, { token: business.token })).status).toBe(200);
});
