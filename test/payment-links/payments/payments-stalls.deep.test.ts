// A node stalls at a point of a payment: the payment is charged at most once and credited once, and
// an answer that the node received but could not store flags the payment.

import { openPaymentBooks, type PaymentBooks, watchLink } from "../../support/payments.ts";
import { until } from "../../support/system.ts";
import { CAPTURED, DECLINED, unansweredPayments, VOIDED } from "../../support/unanswered.ts";
import { dataOf, startWorld, type World } from "../../support/world.ts";

const USED = "The payment link cannot be paid";

const unanswered = unansweredPayments();
const { script, frozen } = unanswered;
let world: World;
let books: PaymentBooks;

beforeAll(async () => {
  ({ world, books } = await unanswered.start());
});
beforeEach(() => unanswered.reset());
afterAll(() => unanswered.stop());

test.each([
  ["captured", CAPTURED, VOIDED, "FAILED"],
  ["declined", DECLINED, CAPTURED, "SUCCEEDED"],
])(
  "a driver that receives `%s` after another driver's decision flags the payment",
  async (_, late, voidAnswer, end) => {
    const { link } = await watchLink(world);
    script.answers.charge = async () => late;
    script.answers.void = async () => voidAnswer;
    const { reached, release } = frozen.freeze("charge-answered");
    const paying = world.pay(link, "card");
    const id = await reached;
    unanswered.endWaits();
    await paying;
    expect(await books.ended(id)).toMatchObject({ status: end, needsAttention: false });
    release();
    const flagged = () => books.payments.findOne({ _id: id, needsAttention: true });
    expect((await until(flagged, { awaited: "the flag" })).status).toBe(end);
  },
);

test("a node that stalls before the charge does not charge after the request", async () => {
  const { link, balance } = await watchLink(world);
  script.answers.void = async () => VOIDED;
  const { reached, release } = frozen.freeze("payment-inserted");
  const paying = world.pay(link, "card");
  const id = await reached;
  unanswered.endWaits();
  expect(dataOf(await paying, 200)).toEqual({ id, status: "PENDING", redirectTo: null });
  expect((await books.ended(id)).status).toBe("FAILED");
  release();
  script.answers.charge = async () => CAPTURED;
  expect(await unanswered.payAgain(link)).toBe("SUCCEEDED");
  expect(script.timesAsked("charge", id)).toBe(0);
  expect(await balance()).toBe("25.00");
});

test("a payment is credited once if its node stalls before or after the posting", async () => {
  script.answers.void = async () => CAPTURED;
  for (const point of ["charge-answered", "collection-posted"] as const) {
    const { link, balance, received } = await watchLink(world);
    const { reached, release } = frozen.freeze(point);
    const paying = world.pay(link, "card");
    const id = await reached;
    unanswered.endWaits();
    expect(dataOf(await paying, 200).status).toBe("PENDING");
    expect((await books.ended(id)).status).toBe("SUCCEEDED");
    release();
    await until(() => received().length > 0);
    expect([point, received(), await balance()]).toEqual([point, ["SUCCEEDED"], "25.00"]);
    expect(await unanswered.payAgain(link)).toBe(USED);
    expect(script.timesAsked("charge", id)).toBe(1);
  }
});

test("a posted payment that its acquirer then voids has succeeded, and is flagged", async () => {
  const { link, balance, received } = await watchLink(world);
  script.answers.void = async () => VOIDED;
  const { reached, release } = frozen.freeze("collection-posted");
  const paying = world.pay(link, "card");
  const id = await reached;
  unanswered.endWaits();
  expect(dataOf(await paying, 200).status).toBe("PENDING");
  const flagged = { status: "SUCCEEDED", needsAttention: true, contradicted: "voided" };
  expect(await books.ended(id)).toMatchObject(flagged);
  release();
  await until(() => received().length > 0);
  expect([received(), await balance()]).toEqual([["SUCCEEDED"], "25.00"]);
  expect(await books.ended(id)).toMatchObject(flagged);
});

test("a posted renewal that its acquirer then declines has succeeded, and is flagged", async () => {
  const business = await world.business();
  const subscriptionId = await world.subscription(business);
  const { reached, release } = frozen.freeze("collection-posted");
  const billing = world.testClock(business, Date.parse("2030-01-01"));
  const id = await reached;
  script.answers.charge = async () => DECLINED;
  script.answers.void = async () => VOIDED;
  await books.payments.updateOne({ _id: id }, { $set: { nextAttemptAt: 0 }, $inc: { v: 1 } });
  const flagged = { status: "SUCCEEDED", needsAttention: true, contradicted: "declined" };
  expect(await books.ended(id)).toMatchObject(flagged);
  release();
  await billing;
  const [invoice] = await world.ofSubscription(business, subscriptionId, "/invoices");
  expect(invoice.status).toBe("paid");
  const account = await world.collectionAccount(business);
  expect(await world.balance(business, { id: account })).toBe("23.97");
});

test.each([
  ["captured 26.06 USD", CAPTURED, VOIDED, "FAILED", "0.00"],
  ["declined", DECLINED, CAPTURED, "SUCCEEDED", "25.00"],
])(
  "a charge that answers %s too late only flags the payment, because the void decided",
  async (words, late, voidAnswer, end, credited) => {
    const { link, balance, received } = await watchLink(world);
    const answered = Promise.withResolvers<typeof late>();
    script.answers.void = async () => voidAnswer;
    const { id } = dataOf(await unanswered.payTooLong(link, answered.promise), 200);
    expect((await books.ended(id)).needsAttention).toBe(false);
    answered.resolve(late);
    const flagged = () => books.payments.findOne({ _id: id, needsAttention: true });
    const { status, step, contradicted } = await until(flagged, { awaited: "the flag" });
    expect({ status, step, contradicted }).toEqual({
      status: end,
      step: "closed",
      contradicted: words,
    });
    await until(() => received().length > 0);
    expect(await balance()).toBe(credited);
    expect(received()).toEqual([end]);
  },
);

test("a silent card succeeds later, and without an acquirer a payment is a 503", async () => {
  const sandbox = await startWorld({ paymentLinksInstead: [{ outcomeWithinMs: 3_000 }] });
  const none = await startWorld({ paymentLinksInstead: [{ acquirer: null }] });
  try {
    const link = await sandbox.paymentLink(await sandbox.business());
    const paid = dataOf(await sandbox.pay(link, await sandbox.cardToken("0119")), 200);
    expect(paid.status).toBe("PENDING");
    const state = await openPaymentBooks(sandbox);
    expect((await state.ended(paid.id)).status).toBe("SUCCEEDED");
    expect((await state.charges.findOne({ _id: paid.id }))?.charges).toBe(1);
    await state.close();
    await sandbox.verifyBooks();

    const unpaid = await none.paymentLink(await none.business());
    expect((await none.pay(unpaid, "card")).status).toBe(503);
  } finally {
    await sandbox.stop();
    await none.stop();
  }
});
