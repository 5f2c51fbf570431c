// A payout is stored whole before its debit is posted, and counts from the moment at which the
// ledger has its debit: until then nobody sees it, from then on everybody does, although nothing is
// written in between.

import mongoose from "mongoose";
import type { Point } from "../../services/payouts/deps.ts";
import { listWithdrawals } from "../../services/payouts/listing.ts";
import { type Payout, payoutSchema } from "../../services/payouts/payout.model.ts";
import { readStatistics } from "../../services/payouts/statistics.ts";
import { listPayouts } from "../../services/payouts/transaction-list.ts";
import { freezer } from "../support/freezer.ts";
import type { Answer } from "../support/http.ts";
import { type Books, openBooks, scriptedRail } from "../support/payouts.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

const { answers, timesAsked, rails } = scriptedRail();
const { reached, freeze } = freezer<Point>();

let world: World;
let books: Books;

beforeAll(async () => {
  // With a screening a payout is stored without a rail.
  world = await startWorld({
    environment: { SCREENING: "off" },
    payoutsInstead: [{ rails, reached }],
  });
  books = await openBooks(world);
});

beforeEach(() => {
  answers.submit = { kind: "settled" };
  answers.cancel = "cancelled";
});

afterAll(async () => {
  await world.verifyBooks();
  await books.close();
  await world.stop();
});

/** An end user with this balance and a bank account. */
async function payer(balance: number) {
  const { business, user, wallet } = await world.payer(balance);
  return { business, user, wallet, bank: await world.bank(business, wallet) };
}

/** A withdrawal of 25 from a wallet of 100, frozen at a point. */
async function frozenAt(point: Point) {
  const { business, user, wallet, bank } = await payer(100);
  const frozen = freeze(point);
  const ask = () => world.withdraw(user, bank, {}, { "idempotency-key": "once" });
  const asking = ask();
  const id = await frozen.reached;
  return { business, user, wallet, id, ask, asking, release: frozen.release };
}

/** What each reader sees of the payout. */
async function seen(business: TestBusiness, user: { token: string }, id: string) {
  const get = (path: string, { token }: { token: string } = business) =>
    world.http.get(path, { token });
  const status = async (path: string, as?: { token: string }) => (await get(path, as)).status;
  const listed = async (path: string, as?: { token: string }) =>
    dataOf(await get(path, as), 200).map((each: { id: string }) => each.id);
  const countOpen = async () =>
    dataOf(await get(`/v1/business/${business.id}/statistics`), 200).reduce(
      (sum: number, { open }: { open: number }) => sum + open,
      0,
    );
  const [single, timeline, own, list, ownList, ofKey, open] = await Promise.all([
    status(`/v1/transactions/${id}`),
    status(`/v1/transactions/${id}/timeline`),
    status(`/v1/ext/withdrawals/${id}`, user),
    listed(`/v1/business/${business.id}/transactions?flow=WITHDRAWAL`),
    listed("/v1/ext/withdrawals", user),
    listed("/v1/ext/withdrawals?idempotencyKey=once", user),
    countOpen(),
  ]);
  return { single, timeline, own, list, ownList, ofKey, open };
}

/** The answer names the payout, also if the request was frozen until its caller gave up. */
async function expectAnswer(asking: Promise<Answer>, id: string): Promise<void> {
  expect((await asking).body.data).toMatchObject({ id });
}

test("nobody sees a payout that the ledger has not debited, and it is open for an erasure", async () => {
  const { business, user, wallet, id, ask, asking, release } = await frozenAt("inserted");
  expect(await books.payouts.findOne({ _id: id })).toMatchObject({
    step: "debit",
    visible: true,
    rail: "scripted",
    states: [{ status: "PENDING" }],
  });
  const nothing = {
    single: 404,
    timeline: 404,
    own: 404,
    list: [],
    ownList: [],
    ofKey: [],
    open: 0,
  };
  await world.call("payouts.railNotified", { id, method: "ACH" });
  const ofUser = { businessId: business.id, entityId: user.id };
  const [repeat, cancelled, counted] = await Promise.all([
    ask(),
    world.http.post(`/v1/transactions/${id}/cancel`, {}, business),
    world.call("payouts.countOpen", ofUser),
  ]);
  expect([repeat.status, cancelled.status, counted]).toEqual([409, 404, { open: 1 }]);
  expect(await seen(business, user, id)).toEqual(nothing);

  release();
  await expectAnswer(asking, id);
  expect(await world.status(business, id, "SUCCESS")).toMatchObject({ amount: "25.25" });
  expect(await world.balance(business, wallet)).toBe("74.75");
});

test.each<Point>(["debit-answered", "accepted"])(
  "at %s everybody sees it as PENDING, and nothing is written",
  async (point) => {
    const { business, user, id, ask, asking, release } = await frozenAt(point);
    expect(await books.payouts.findOne({ _id: id })).toMatchObject({ step: "debit", v: 0 });
    expect(await seen(business, user, id)).toEqual({
      ...{ single: 200, timeline: 200, own: 200 },
      ...{ list: [id], ownList: [id], ofKey: [id], open: 1 },
    });
    const path = `/v1/transactions/${id}/timeline`;
    const timeline = dataOf(await world.http.get(path, business), 200);
    expect(timeline).toMatchObject({
      states: [{ status: "PENDING" }],
      entries: [{ kind: "payout", amount: "25.25" }],
    });
    expect(dataOf(await ask(), 200).id).toBe(id);

    release();
    await expectAnswer(asking, id);
    await world.status(business, id, "SUCCESS");
    expect(await books.payouts.findOne({ _id: id })).toMatchObject({ step: "closed" });
    const after = dataOf(await world.http.get(path, business), 200);
    expect(after.states[0]).toEqual(timeline.states[0]);
  },
);

test("a cancel of a payout that only the ledger has accepted refunds it, and it is never paid", async () => {
  const { business, wallet, id, asking, release } = await frozenAt("accepted");
  const cancelled = await world.http.post(`/v1/transactions/${id}/cancel`, {}, business);
  expect(dataOf(cancelled, 200)).toMatchObject({ id, status: "FAILED" });
  expect(timesAsked("cancel", id)).toBe(1);
  expect(await world.balance(business, wallet)).toBe("100.00");
  // The rail refuses the submit of an id that it has cancelled.
  answers.submit = { kind: "rejected", code: "cancelled" };
  release();
  await expectAnswer(asking, id);
  expect(await world.balance(business, wallet)).toBe("100.00");
  expect(await books.payouts.findOne({ _id: id })).toMatchObject({ status: "FAILED" });
});

test("a rail's push asks it about a payout that only the ledger has accepted", async () => {
  const { business, id, asking, release } = await frozenAt("accepted");
  answers.query = { kind: "settled", amountMinor: 2_500, currency: "USD" };
  await world.call("payouts.railNotified", { id, method: "ACH" });
  await world.status(business, id, "SUCCESS");
  expect(timesAsked("submit", id)).toBe(0);
  release();
  await expectAnswer(asking, id);
});

test("a declined payout has no state, and nobody sees it", async () => {
  const { business, user, bank } = await payer(10);
  const answer = await world.withdraw(user, bank);
  expect(answer.status).toBe(400);
  const declined = (await books.payouts.findOne({ entityId: user.id })) as Payout;
  expect(declined).toMatchObject({ step: "declined", visible: false, states: [], relayed: 0 });
  for (const field of ["nextAttemptAt", "rail", "submittedAt"]) {
    expect(declined).not.toHaveProperty(field);
  }
  expect(await seen(business, user, declined._id)).toMatchObject({
    single: 404,
    list: [],
    open: 0,
  });
});

test("the pages of a list lose nothing while its newest payout is undecided", async () => {
  const { business, user, bank } = await payer(1_000);
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) {
    const { id } = dataOf(await world.withdraw(user, bank), 200);
    ids.unshift(id);
    await world.status(business, id, "SUCCESS");
  }
  const frozen = freeze("inserted");
  const asking = world.withdraw(user, bank);
  const undecided = await frozen.reached;
  for (const [filter, limit] of [
    ["&flow=WITHDRAWAL", 1],
    ["&flow=WITHDRAWAL", 2],
    ["", 1],
    ["", 2],
    ["", 3],
  ] as const) {
    const path = `/v1/business/${business.id}/transactions?limit=${limit}${filter}`;
    const found: string[] = [];
    let cursor = "";
    do {
      const { body } = await world.http.get(`${path}${cursor && `&cursor=${cursor}`}`, business);
      found.push(...body.data.map((each: { id: string }) => each.id));
      cursor = body.meta.nextCursor ?? "";
    } while (cursor);
    expect(found.filter((id) => ids.includes(id))).toEqual(ids);
  }
  frozen.release();
  await asking;
  await books.step(undecided, "closed", "declined");
});

test("verification beside an undecided payout, and one whose token was released, finds nothing", async () => {
  const { business, user, bank } = await payer(10);
  const path = `/v1/business/${business.id}/application-tokens`;
  const fields = { tokenType: "PAYOUT", entityId: user.id, currency: "USD", amount: 25 };
  const { token } = dataOf(await world.http.post(path, fields, business), 201);
  for (const point of ["inserted", "token-claimed", "debit-answered", "token-released"] as const) {
    const frozen = freeze(point);
    const headers: Record<string, string> =
      point === "inserted" ? {} : { "x-application-token": token };
    const asking = world.withdraw(user, bank, { amount: 25 }, headers);
    const id = await frozen.reached;
    await world.verifyBooks();
    frozen.release();
    await asking;
    await books.step(id, "declined");
  }
});

test("without the ledger lists leave an undecided payout out, and whoever asks for it is told", async () => {
  const { business, user, id, asking, release } = await frozenAt("accepted");
  const connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  try {
    const away = new Error("The ledger is away");
    const reading = {
      payouts: connection.model<Payout>("payouts", payoutSchema, "payouts"),
      isDebited: () => Promise.reject(away),
      findParties: () => Promise.reject(new Error("Not asked")),
    };
    const params = { businessId: business.id };
    expect((await listPayouts(reading, params)).items).toEqual([]);
    const actor = { sub: user.id, role: "user" } as never;
    expect((await listWithdrawals(reading, actor, {})).items).toEqual([]);
    const ofKey = listWithdrawals(reading, actor, { idempotencyKey: "once" });
    await expect(ofKey).rejects.toThrow(away);
    const rows = await readStatistics({ ...reading, payouts: books.payouts }, params, Date.now());
    expect(rows.every(({ open }) => open === 0)).toBe(true);
  } finally {
    await connection.close();
  }
  release();
  await expectAnswer(asking, id);
});
