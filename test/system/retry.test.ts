// Retries by operators. A retry only brings the next step forward: the rail or acquirer is asked at
// once, by the same id, and a retry alone never submits, charges or refunds anything again.

import { randomUUID } from "node:crypto";
import type { mongo } from "mongoose";
import { OUTCOME_WITHIN_MS } from "../../shared/contracts/payments.ts";
import type { Resumable } from "../../shared/resumable/document.ts";
import { openPaymentBooks, type PaymentBooks, scriptedAcquirer } from "../support/payments.ts";
import { type Books, openBooks } from "../support/payouts.ts";
import { refusal } from "../support/refusal.ts";
import { settableClock } from "../support/settable-clock.ts";
import { until } from "../support/system.ts";
import { OFTEN } from "../support/turns.ts";
import { CAPTURED, DECLINED, UNKNOWN } from "../support/unanswered.ts";
import { SENT } from "../support/unsent.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

const HOUR_MS = 3_600_000;
const NOTE = "The bank is back, case 4711";
const NO_NEXT_STEP = "The transaction has no next step";

const script = scriptedAcquirer();
const clock = settableClock();
let world: World;
let payouts: Books;
let books: PaymentBooks;
let admin: { sub: string; token: string };

beforeAll(async () => {
  const { acquirer } = script;
  world = await startWorld({ paymentLinksInstead: [{ acquirer, clock, turns: OFTEN }] });
  payouts = await openBooks(world);
  books = await openPaymentBooks(world);
});
afterAll(async () => {
  await payouts?.close();
  await books?.close();
  await world?.stop();
});
beforeEach(() => {
  const sub = randomUUID();
  admin = { sub, token: world.tokens.admin(sub) };
  clock.aheadMs = 0;
  script.answers.charge = async () => CAPTURED;
  script.answers.void = async () => UNKNOWN;
});
afterEach(() => world.verifyBooks());

function retry(id: string, body: object = { note: NOTE }, headers = {}) {
  const path = `/v1/admin/transactions/${id}/retry`;
  return world.http.post(path, body, { token: admin.token, headers });
}

async function expectRefusal(id: string, status: number, message: string): Promise<void> {
  const { status: found, body } = await retry(id);
  expect([found, body]).toEqual([status, refusal(message)]);
}

/** Waits until the outcome is unknown and all is told, and puts the next question off for an hour. */
async function postpone<T extends Resumable>(
  documents: mongo.Collection<T>,
  id: string,
): Promise<T> {
  const isUnknown = { _id: id, unknownSince: { $exists: true }, ...SENT } as mongo.Filter<T>;
  await until(() => documents.findOne(isUnknown), { awaited: `an unknown outcome of ${id}` });
  // The new version makes a driver that works on the document lose, as every change does.
  const later = { $set: { nextAttemptAt: clock.now() + HOUR_MS }, $inc: { v: 1 } };
  const update = later as unknown as mongo.UpdateFilter<T>;
  const options = { returnDocument: "after" } as const;
  return (await documents.findOneAndUpdate(isUnknown, update, options)) as T;
}

/** A payout to an account by whose last four digits its rail behaves. */
async function aPayout(lastFour: string) {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet, lastFour);
  const { id } = dataOf(await world.withdraw(user, bank), 200);
  return { id: id as string, business, wallet };
}

/** A payment of which the acquirer never tells the outcome; its customer has left. */
async function anUnknownPayment() {
  script.answers.charge = async () => UNKNOWN;
  const business = await world.business();
  const link = await world.paymentLink(business, { isOpenLink: false });
  const paying = world.pay(link, "card");
  const isUnknown = { linkId: link.id, unknownSince: { $exists: true } };
  await until(() => books.payments.findOne(isUnknown), { awaited: "an unknown outcome" });
  clock.aheadMs += OUTCOME_WITHIN_MS;
  const { id } = dataOf(await paying, 200);
  const { key } = await postpone(books.payments, id);
  return { business, id: id as string, key: key as string };
}

describe("a payout", () => {
  const submits = async (id: string) => (await payouts.rail.findOne({ _id: id }))?.submits;
  const stored = (id: string) => payouts.payouts.findOne({ _id: id });

  test("whose outcome is unknown is asked for at once, and not submitted again", async () => {
    const { id, business, wallet } = await aPayout("0010");
    const before = await postpone(payouts.payouts, id);
    const shown = dataOf(await world.http.get(`/v1/transactions/${id}`, business), 200);
    expect(dataOf(await retry(id), 200)).toEqual(shown);
    // The retry, the claim of the driver, and the answer to its question.
    const asked = await until(async () => {
      const payout = await stored(id);
      return payout && payout.v >= before.v + 3 && payout;
    });
    const { step, states, submittedAt, needsAttention, nextAttemptAt } = before;
    expect(asked).toMatchObject({ step, states, submittedAt, needsAttention });
    expect(asked.nextAttemptAt).toBeLessThan(nextAttemptAt as number);
    expect(await submits(id)).toBe(1);
    expect(await world.balance(business, wallet)).toBe("74.75");
  });

  test("whose rail is back ends at once, paid once", async () => {
    const { id, business, wallet } = await aPayout("0010");
    await postpone(payouts.payouts, id);
    await payouts.rail.updateOne({ _id: id }, { $set: { lastFour: "6789" } });
    dataOf(await retry(id), 200);
    await world.status(business, id, "SUCCESS");
    expect(await submits(id)).toBe(1);
    expect(await world.balance(business, wallet)).toBe("74.75");
  });

  test("of ten retries at once is submitted once", async () => {
    const { id } = await aPayout("0010");
    const before = await postpone(payouts.payouts, id);
    const answers = await Promise.all(Array.from({ length: 10 }, () => retry(id)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    await until(async () => ((await stored(id))?.v ?? 0) >= before.v + 3);
    expect(await submits(id)).toBe(1);
  });

  test("that a driver has in hand is left alone", async () => {
    const { id } = await aPayout("0010");
    const { v } = await postpone(payouts.payouts, id);
    const soon = { nextAttemptAt: Date.now() + 15_000 };
    await payouts.payouts.updateOne({ _id: id, v }, { $set: soon });
    dataOf(await retry(id), 200);
    expect(await stored(id)).toMatchObject({ v, ...soon });
  });

  test.each([
    ["6789", "SUCCESS", "74.75"],
    ["0004", "FAILED", "100.00"],
  ])("to %s that has ended in %s is a 409, and changes nothing", async (last, status, balance) => {
    const { id, business, wallet } = await aPayout(last);
    await world.status(business, id, status);
    const before = await until(() =>
      payouts.payouts.findOne({
        _id: id,
        step: "closed",
        nextAttemptAt: { $exists: false },
      }),
    );
    await expectRefusal(id, 409, NO_NEXT_STEP);
    expect(await stored(id)).toEqual(before);
    expect(await submits(id)).toBe(1);
    expect(await world.balance(business, wallet)).toBe(balance);
  });

  test("is retried once under one Idempotency-Key", async () => {
    const { id } = await aPayout("0010");
    const before = await postpone(payouts.payouts, id);
    const key = { "idempotency-key": "retry" };
    const first = await retry(id, undefined, key);
    await until(async () => ((await stored(id))?.v ?? 0) >= before.v + 3);
    const again = await postpone(payouts.payouts, id);
    expect((await retry(id, undefined, key)).text).toBe(first.text);
    expect((await stored(id))?.v).toBe(again.v);
    expect((await retry(id, { note: "Another" }, key)).status).toBe(422);
  });
});

describe("a payment", () => {
  test("whose outcome is unknown is asked for at once, and not charged again", async () => {
    const { business, id, key } = await anUnknownPayment();
    const voids = script.timesAsked("void", key);
    expect(dataOf(await retry(id), 200)).toMatchObject({ id, status: "PENDING" });
    await until(() => script.timesAsked("void", key) > voids);
    await postpone(books.payments, id);
    script.answers.void = async () => CAPTURED;
    dataOf(await retry(id), 200);
    await world.status(business, id, "SUCCESS");
    expect(script.timesAsked("charge", key)).toBe(1);
    await expectRefusal(id, 409, NO_NEXT_STEP);
  });

  test("whose customer still waits is left to the customer's request", async () => {
    const answer = Promise.withResolvers<typeof CAPTURED>();
    script.answers.charge = () => answer.promise;
    const business = await world.business();
    const link = await world.paymentLink(business);
    const paying = world.pay(link, "card");
    const ofLink = { linkId: link.id };
    const { _id: id, key } = await until(() => books.payments.findOne(ofLink));
    await until(() => script.timesAsked("charge", key as string) === 1);
    const before = await books.payments.findOne({ _id: id });
    expect(dataOf(await retry(id), 200)).toMatchObject({ id, status: "PENDING" });
    expect(await books.payments.findOne({ _id: id })).toEqual(before);
    answer.resolve(CAPTURED);
    expect(dataOf(await paying, 200)).toMatchObject({ id, status: "SUCCEEDED" });
    expect(script.timesAsked("void", key as string)).toBe(0);
  });
});

test("a refund whose outcome is unknown is asked for at once, by the same key", async () => {
  const business = await world.business();
  const account = { id: await world.collectionAccount(business) };
  const link = await world.paymentLink(business, { customerPays: false });
  const { id: paid } = dataOf(await world.pay(link, "card"), 200);
  script.answers.refund = async () => UNKNOWN;
  const path = `/v1/business/${business.id}/payments/${paid}/refunds`;
  const answer = await world.http.post(path, { reference: "once" }, { token: business.token });
  const { id } = dataOf(answer, 201);
  const { key } = await postpone(books.refunds, id);
  const asked = script.timesAsked("refund", key as string);
  expect(dataOf(await retry(id), 200)).toMatchObject({ id, flow: "REFUND", status: "PENDING" });
  await until(() => script.timesAsked("refund", key as string) > asked);
  await postpone(books.refunds, id);
  script.answers.refund = async () => ({ kind: "refunded" });
  dataOf(await retry(id), 200);
  await until(() => books.refunds.findOne({ _id: id, status: "SUCCEEDED" }));
  expect(await books.refunds.countDocuments({ paymentId: paid })).toBe(1);
  expect(await world.balance(business, account)).toBe("0.00");
  await expectRefusal(id, 409, NO_NEXT_STEP);
});

describe("a renewal", () => {
  const subscriptions = () => books.db.collection<Resumable>("subscriptions");
  const attempts = (subscriptionId: string) =>
    books.payments.find({ "renewal.subscriptionId": subscriptionId }).toArray();

  test("whose outcome is unknown is asked for at once: the attempt stays the only one", async () => {
    const business = await world.business();
    const subscription = await world.subscription(business);
    script.answers.charge = async () => UNKNOWN;
    const billing = world.testClock(business, "2030-01-01");
    await until(async () => (await attempts(subscription)).length === 1);
    await postpone(subscriptions(), subscription);
    const [attempt] = await attempts(subscription);
    const { _id: id, key } = await postpone(books.payments, attempt?._id as string);
    const charges = script.timesAsked("charge", key as string);
    dataOf(await retry(id), 200);
    await until(() => script.timesAsked("charge", key as string) > charges);
    await postpone(books.payments, id);
    script.answers.charge = async () => CAPTURED;
    dataOf(await retry(id), 200);
    await books.ended(id);
    const now = { $set: { nextAttemptAt: clock.now() }, $inc: { v: 1 } };
    await subscriptions().updateOne({ _id: subscription }, now);
    await billing;
    expect(await attempts(subscription)).toHaveLength(1);
    const [invoice] = await world.ofSubscription(business, subscription, "/invoices");
    expect(invoice).toMatchObject({ status: "paid", attempts: [{ paymentId: id }] });
  });

  test("that was declined is a 409: the next attempt waits for its day", async () => {
    const business = await world.business();
    const subscription = await world.subscription(business);
    script.answers.charge = async () => DECLINED;
    await world.testClock(business, "2030-01-01");
    const [attempt] = await attempts(subscription);
    await expectRefusal(attempt?._id as string, 409, NO_NEXT_STEP);
    await expectRefusal(subscription, 404, "Transaction not found");
    expect(await attempts(subscription)).toHaveLength(1);
  });
});

test("an id that is no payout, payment or refund is not found", async () => {
  const { business } = await world.payer(100);
  const path = `/v1/business/${business.id}/transactions?flow=FUNDING`;
  const [funding] = dataOf(await world.http.get(path, { token: business.token }), 200);
  for (const id of [funding.id, business.id, randomUUID(), "x"]) {
    await expectRefusal(id, 404, "Transaction not found");
  }
});

test("the note is required and in the audit log, and only an admin retries", async () => {
  const { id, business } = await aPayout("0010");
  const before = await postpone(payouts.payouts, id);
  for (const body of [{}, { note: "" }, { note: "x".repeat(513) }, { note: { $ne: "" } }]) {
    const { status, body: refused } = await retry(id, body);
    expect([status, refused.errors[0].field]).toEqual([400, "note"]);
  }
  const path = `/v1/admin/transactions/${id}/retry`;
  const asMerchant = await world.http.post(path, { note: NOTE }, { token: business.token });
  expect(asMerchant.status).toBe(401);
  expect((await payouts.payouts.findOne({ _id: id }))?.v).toBe(before.v);
  dataOf(await retry(id), 200);
  const log = `/v1/admin/audit-log?by=${admin.sub}&limit=1`;
  const [entry] = dataOf(await world.http.get(log, { token: admin.token }), 200);
  expect(entry).toMatchObject({
    action: "retryTransaction",
    subjectId: id,
    request: { note: NOTE },
    status: 200,
  });
});
