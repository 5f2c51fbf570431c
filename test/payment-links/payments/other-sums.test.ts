// Answers of the acquirer that money was moved, and another sum than the asked one: by whatever way
// the answer comes, nothing is posted for it, the document is flagged with the sum, and an admin
// decides. The books are verified at the end.

import { randomUUID } from "node:crypto";
import type { Invoice } from "../../../services/payment-links/billing/invoice.model.ts";
import type { PaymentBooks } from "../../support/payments.ts";
import { until } from "../../support/system.ts";
import { expectNamed, tampered } from "../../support/tampering.ts";
import {
  CAPTURED,
  DECLINED,
  UNKNOWN,
  unansweredPayments,
  VOIDED,
} from "../../support/unanswered.ts";
import { dataOf, type TestBusiness, type TestLink, type World } from "../../support/world.ts";

const MINUTE_MS = 60_000;
const START = Date.parse("2030-01-01");
const NOT_RESOLVABLE = { type: "NOT_RESOLVABLE" };

const unanswered = unansweredPayments();
const { script } = unanswered;
let world: World;
let books: PaymentBooks;
let admin: { sub: string; role: "admin" };

beforeAll(async () => {
  ({ world, books } = await unanswered.start());
  admin = { sub: randomUUID(), role: "admin" };
});
afterAll(() => unanswered.stop());
beforeEach(() => unanswered.reset());

/** The asked sum of a payment is 26.06 USD, 25.00 of it for the merchant. */
const SUMS = [
  { of: "more", amountMinor: 51_000, currency: "USD", words: "510.00 USD" },
  { of: "less", amountMinor: 2_605, currency: "USD", words: "26.05 USD" },
  { of: "the sum without the fee", amountMinor: 2_500, currency: "USD", words: "25.00 USD" },
  { of: "nothing", amountMinor: 0, currency: "USD", words: "0.00 USD" },
  { of: "another currency", amountMinor: 2_606, currency: "EUR", words: "26.06 EUR" },
] as const;
type OtherSum = (typeof SUMS)[number];

const captured = ({ amountMinor, currency }: OtherSum) =>
  ({ kind: "captured", amountMinor, currency }) as const;

/** The ways on which the answer about another sum comes; each returns the payment's id. */
const WAYS: Record<string, (link: TestLink, sum: OtherSum) => Promise<string>> = {
  async "the request's charge"(link, sum) {
    script.answers.charge = async () => captured(sum);
    script.answers.void = async () => captured(sum);
    const { id, status } = dataOf(await world.pay(link, "card"), 200);
    expect(status).toBe("PENDING");
    return id;
  },
  async "a void"(link, sum) {
    script.answers.charge = async () => UNKNOWN;
    script.answers.void = async () => captured(sum);
    return dataOf(await world.pay(link, "card"), 200).id;
  },
  async "an outcome after a confirmation"(link, sum) {
    script.answers.charge = async () => ({ kind: "action", action: "confirm" });
    const { id } = dataOf(await world.pay(link, "card"), 200);
    script.answers.outcome = async () => captured(sum);
    const path = `/v1/checkout/${link.token}/payments/${id}/continue`;
    expect(dataOf(await world.http.post(path, {}), 200).status).toBe("PENDING");
    return id;
  },
};
const CASES = Object.keys(WAYS).flatMap((way) => SUMS.map((sum) => ({ way, ...sum })));

const balance = async (business: TestBusiness) =>
  world.balance(business, { id: await world.collectionAccount(business) });

function resolve(id: string, outcome: "SUCCESS" | "FAILED") {
  const params = { id, outcome, note: "The acquirer says so" };
  return world.call("payment-links.resolve", params, { meta: { actor: admin } });
}

async function reasonOf(id: string): Promise<string | null> {
  const { items } = await world.call("payment-links.attention", { limit: 100 });
  return items.find((item) => item.id === id)?.reason ?? null;
}

/** The flagged payment; its driver asks again in an hour, and not beside the test. */
async function flaggedBy(way: string, sum: OtherSum) {
  const business = await world.business();
  const link = await world.paymentLink(business, { isOpenLink: false });
  const id = await (WAYS[way] as (typeof WAYS)[string])(link, sum);
  await until(() => books.payments.findOne({ _id: id, needsAttention: true }), {
    awaited: "the flag",
  });
  const later = { nextAttemptAt: Date.now() + 60 * MINUTE_MS };
  await books.payments.updateOne({ _id: id }, { $set: later, $inc: { v: 1 } });
  return { business, link, id };
}

const driveNow = (id: string) =>
  books.payments.updateOne({ _id: id }, { $set: { nextAttemptAt: 0 }, $inc: { v: 1 } });

test.each(CASES)("$of, told by $way, posts nothing and holds the link", async ({ way, ...sum }) => {
  const { business, link, id } = await flaggedBy(way, sum);
  expect(await books.payments.findOne({ _id: id })).toMatchObject({
    step: "charge",
    status: "PENDING",
    totalMinor: 2_606,
    holds: link.id,
    contradicted: `captured ${sum.words}`,
  });
  const reason = `The acquirer answered "captured ${sum.words}" to the charge of 26.06 USD.`;
  expect(await reasonOf(id)).toBe(reason);
  expect(await balance(business)).toBe("0.00");
  expect((await world.pay(link, "card")).status).toBe(409);
});

test.each([VOIDED, { kind: "declined", code: "card_declined" } as const])(
  "an answer %j after another captured sum does not fail the payment",
  async (answer) => {
    const { id } = await flaggedBy("a void", SUMS[0]);
    script.answers.void = async () => answer;
    const { v } = (await books.payments.findOne({ _id: id })) ?? { v: 0 };
    await driveNow(id);
    const again = { _id: id, v: { $gt: v + 1 }, nextAttemptAt: { $gt: 0 } };
    await until(() => books.payments.findOne(again), { awaited: "the next question" });
    expect(await books.payments.findOne({ _id: id })).toMatchObject({
      status: "PENDING",
      contradicted: "captured 510.00 USD",
    });
    expect(await resolve(id, "FAILED")).toMatchObject({ status: "FAILED" });
  },
);

test("an answer of the asked sum ends the payment, which stays flagged for an admin", async () => {
  const { business, id } = await flaggedBy("a void", SUMS[1]);
  script.answers.void = async () => CAPTURED;
  await driveNow(id);
  expect(await books.ended(id)).toMatchObject({ status: "SUCCEEDED", needsAttention: true });
  expect(await balance(business)).toBe("25.00");
  expect(await resolve(id, "SUCCESS")).toMatchObject({ needsAttention: false });
});

test.each([
  { sum: SUMS[0], credited: "494.91", refunded: "510.00" },
  { sum: SUMS[1], credited: "24.99", refunded: "26.05" },
])("SUCCESS takes the captured sum: $credited", async ({ sum, credited, refunded }) => {
  const { business, id } = await flaggedBy("a void", sum);
  script.answers.void = async () => UNKNOWN;
  await expect(resolve(id, "SUCCESS")).rejects.toMatchObject(NOT_RESOLVABLE);
  script.answers.void = async () => captured(sum);
  expect(await resolve(id, "SUCCESS")).toMatchObject({ status: "SUCCESS", needsAttention: false });
  expect(await balance(business)).toBe(credited);
  // Its refund is of the captured sum, and gives the whole fee back.
  script.answers.refund = async () => ({ kind: "refunded" });
  const path = `/v1/business/${business.id}/payments/${id}/refunds`;
  const { token } = business;
  const refund = dataOf(await world.http.post(path, { reference: "all" }, { token }), 201);
  expect(refund).toMatchObject({ status: "SUCCEEDED", amount: refunded });
  expect(await balance(business)).toBe("0.00");
});

describe("another sum after the asked one was posted", () => {
  /** The request posts the asked sum and dies, and the acquirer names another one to a void. */
  async function postedBefore() {
    const { reached, release } = unanswered.frozen.freeze("collection-posted");
    script.answers.void = async () => captured(SUMS[0]);
    const business = await world.business();
    const paying = world.pay(await world.paymentLink(business), "card");
    const id = await reached;
    unanswered.endWaits();
    expect(dataOf(await paying, 200).status).toBe("PENDING");
    await driveNow(id);
    const flagged = { _id: id, contradicted: "captured 510.00 USD" };
    await until(() => books.payments.findOne(flagged), { awaited: "the flag" });
    release();
    return { business, id };
  }

  test.each(["SUCCESS", "FAILED"] as const)("%s keeps the posted one, and flags", async (said) => {
    const { business, id } = await postedBefore();
    // The driver that asks the acquirer may win first. FAILED is refused, because the money came.
    const decided = { _id: id, step: { $ne: "charge" as const } };
    const decide = async () => {
      await resolve(id, said).catch(() => null);
      return books.payments.findOne(decided);
    };
    await until(decide, { awaited: "the decision" });
    expect(await books.ended(id)).toMatchObject({
      status: "SUCCEEDED",
      totalMinor: 2_606,
      amountMinor: 2_500,
      needsAttention: true,
    });
    expect(await balance(business)).toBe("25.00");
    expect(await resolve(id, "SUCCESS")).toMatchObject({ needsAttention: false });
    expect(await books.payments.findOne({ _id: id })).not.toHaveProperty("askedMinor");
  });
});

test.each([SUMS[3], SUMS[4]])("SUCCESS cannot take $of", async (sum) => {
  const { id } = await flaggedBy("a void", sum);
  await expect(resolve(id, "SUCCESS")).rejects.toMatchObject(NOT_RESOLVABLE);
  expect(await resolve(id, "FAILED")).toMatchObject({ status: "FAILED" });
});

test("FAILED says that the sum was given back, and frees the link", async () => {
  const { business, link, id } = await flaggedBy("the request's charge", SUMS[0]);
  expect(await resolve(id, "FAILED")).toMatchObject({
    status: "FAILED",
    needsAttention: false,
    failureReason: "The payment was not completed. It is paid back.",
  });
  expect(await balance(business)).toBe("0.00");
  script.answers.charge = async () => CAPTURED;
  expect(dataOf(await world.pay(link, "card"), 200).status).toBe("SUCCEEDED");
});

test("a late answer about another sum flags a payment that has succeeded", async () => {
  const business = await world.business();
  const link = await world.paymentLink(business);
  const late = Promise.withResolvers<ReturnType<typeof captured>>();
  script.answers.void = async () => CAPTURED;
  const { id } = dataOf(await unanswered.payTooLong(link, late.promise), 200);
  await books.ended(id);
  late.resolve(captured(SUMS[0]));
  await until(() => books.payments.findOne({ _id: id, needsAttention: true }));
  expect(await reasonOf(id)).toBe(
    'The acquirer answered "captured 510.00 USD" to the charge after another outcome was stored.',
  );
  expect(await resolve(id, "SUCCESS")).toMatchObject({ needsAttention: false });
  expect(await balance(business)).toBe("25.00");
});

describe("a renewal", () => {
  async function flaggedRenewal(sum: OtherSum) {
    const business = await world.business();
    const subscriptionId = await world.subscription(business);
    script.answers.charge = async () => captured(sum);
    const setting = world.testClock(business, START);
    const ofIt = { "renewal.subscriptionId": subscriptionId, needsAttention: true };
    const { _id: id } = await until(() => books.payments.findOne(ofIt), { awaited: "the flag" });
    return { business, subscriptionId, id, setting };
  }

  test("of another sum is not billed, and SUCCESS takes that sum for its invoice", async () => {
    const { business, subscriptionId, id, setting } = await flaggedRenewal(SUMS[0]);
    expect(await balance(business)).toBe("0.00");
    const [open] = await world.ofSubscription(business, subscriptionId, "/invoices");
    expect(open).toMatchObject({ status: "open", nextAttemptAt: null });
    script.answers.void = async () => captured(SUMS[0]);
    await until(() => resolve(id, "SUCCESS").catch(() => null), { awaited: "the decision" });
    await setting;
    const [paid] = await world.ofSubscription(business, subscriptionId, "/invoices");
    expect(paid).toMatchObject({ status: "paid", total: open.total, charged: "510.00" });
    expect(await balance(business)).toBe("494.91");
    await world.verifyBooks();
    // A wrong fee that agrees with its document.
    const $set = { feesMinor: 1, amountMinor: 50_999 };
    const ofPayment = await tampered(books.connection, books.payments, id, { $set });
    expectNamed(ofPayment, "renewals", id, "charges 51000 less 1 and not 1509");
    const collection = books.db.collection<Invoice>("invoices");
    const ofInvoice = await tampered(books.connection, collection, paid.id, { $set });
    expectNamed(ofInvoice, "invoices", paid.id, "charges 51000 less 1");
  });

  test("tells of a declined attempt with the sum that it asked for", async () => {
    const business = await world.business();
    const subscriptionId = await world.subscription(business);
    script.answers.charge = async () => DECLINED;
    await world.testClock(business, START);
    script.answers.charge = async () => captured(SUMS[0]);
    const setting = world.testClock(business, START + 24 * 60 * MINUTE_MS);
    const ofIt = { "renewal.subscriptionId": subscriptionId, needsAttention: true };
    const { _id: id } = await until(() => books.payments.findOne(ofIt), { awaited: "the flag" });
    script.answers.void = async () => captured(SUMS[0]);
    await until(() => resolve(id, "SUCCESS").catch(() => null), { awaited: "the decision" });
    await setting;
    const [invoice] = await world.ofSubscription(business, subscriptionId, "/invoices");
    expect(invoice).toMatchObject({ status: "paid", charged: "510.00" });
    // The events are verified, too: the first one says what was asked.
    await until(
      () =>
        world.verifyBooks().then(
          () => true,
          () => false,
        ),
      { awaited: "the events" },
    );
  });

  test("of another sum fails once it is given back, and is tried again under another key", async () => {
    const { business, subscriptionId, id, setting } = await flaggedRenewal(SUMS[0]);
    script.answers.void = async () => captured(SUMS[0]);
    await until(() => resolve(id, "FAILED").catch(() => null), { awaited: "the decision" });
    await setting;
    const shown = await world.ofSubscription(business, subscriptionId);
    expect(shown.status).toBe("past_due");
    script.answers.charge = async () => CAPTURED;
    await world.testClock(business, START + 24 * 60 * MINUTE_MS);
    const [invoice] = await world.ofSubscription(business, subscriptionId, "/invoices");
    const statuses = invoice.attempts.map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(["FAILED", "SUCCEEDED"]);
  });
});

describe("a refund", () => {
  const OTHER = { kind: "refunded", amountMinor: 500, currency: "USD" } as const;
  const NOT_ALL = 'The acquirer answered "refunded 5.00 USD" to the refund of 25.00 USD.';

  async function flaggedRefund() {
    const business = await world.business();
    const link = await world.paymentLink(business, { customerPays: false });
    const { id: paymentId } = dataOf(await world.pay(link, "card"), 200);
    script.answers.refund = async () => OTHER;
    const path = `/v1/business/${business.id}/payments/${paymentId}/refunds`;
    const { token } = business;
    const refund = dataOf(await world.http.post(path, { reference: "one" }, { token }), 201);
    return { business, ...refund };
  }

  test("of another sum stays under way, flagged with the sum", async () => {
    const { business, id, status } = await flaggedRefund();
    expect(status).toBe("PENDING");
    expect(await reasonOf(id)).toBe(NOT_ALL);
    // The account stays debited, so that the merchant cannot spend the money meanwhile.
    expect(await balance(business)).toBe("0.00");
    script.answers.refund = async () => ({ kind: "refused", code: "no" });
    const { v } = (await books.refunds.findOne({ _id: id })) ?? { v: 0 };
    await books.refunds.updateOne(
      { _id: id },
      { $set: { nextAttemptAt: 0 }, $unset: { stepAt: "" } },
    );
    await until(() => books.refunds.findOne({ _id: id, v: { $gt: v }, nextAttemptAt: { $gt: 0 } }));
    expect(await reasonOf(id)).toBe(NOT_ALL);
    expect(await resolve(id, "SUCCESS")).toMatchObject({
      status: "SUCCESS",
      needsAttention: false,
    });
    expect(await balance(business)).toBe("0.00");
  });

  test("of another sum goes back to the account if an admin says FAILED", async () => {
    const { business, id } = await flaggedRefund();
    expect(await resolve(id, "FAILED")).toMatchObject({ status: "PENDING", needsAttention: true });
    await books.refunds.updateOne(
      { _id: id },
      { $set: { reverseAt: 0, nextAttemptAt: 0 }, $unset: { stepAt: "" } },
    );
    const closed = { _id: id, step: "closed" as const };
    const failed = await until(() => books.refunds.findOne(closed), { awaited: "the end" });
    expect(failed).toMatchObject({ status: "FAILED", needsAttention: false });
    expect(await balance(business)).toBe("23.97");
  });

  test("of the asked sum after another one succeeds, and stays flagged for an admin", async () => {
    const { id } = await flaggedRefund();
    script.answers.refund = async () => ({ kind: "refunded" });
    await books.refunds.updateOne(
      { _id: id },
      { $set: { nextAttemptAt: 0 }, $unset: { stepAt: "" } },
    );
    const closed = { _id: id, step: "closed" as const };
    const ended = await until(() => books.refunds.findOne(closed), { awaited: "the end" });
    expect(ended).toMatchObject({ status: "SUCCEEDED", needsAttention: true });
    expect(await resolve(id, "SUCCESS")).toMatchObject({ needsAttention: false });
  });
});
