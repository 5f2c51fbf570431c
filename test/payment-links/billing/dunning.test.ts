// Renewals that fail: the schedule of retries, its end, and a change of the card. Also renewals
// with an unknown outcome, which have not failed.

import mongoose from "mongoose";
import { newId } from "../../../shared/ids.ts";
import { digest } from "../../../shared/security/secrets.ts";
import { type BillingBooks, DAY_MS, openBillingBooks, silenceable } from "../../support/billing.ts";
import { settableClock } from "../../support/settable-clock.ts";
import { until } from "../../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../../support/world.ts";

let world: World;
let books: BillingBooks;
const bank = silenceable();
const clock = settableClock();

beforeAll(async () => {
  world = await startWorld({ paymentLinksInstead: [{ acquirer: bank.acquirer, clock }] });
  books = await openBillingBooks(world);
  bank.open(books);
});

afterAll(async () => {
  await books.close();
  await world.stop();
});

afterEach(() => {
  clock.aheadMs = 0;
  return world.verifyBooks();
});

const START = Date.parse("2030-01-01");
const day = (days: number) => new Date(START + days * DAY_MS).toISOString();
const account = async (business: TestBusiness) =>
  world.balance(business, { id: await world.collectionAccount(business) });

/** Saves a card with these last four digits through a payment-method link. */
async function changeCard(business: TestBusiness, id: string, lastFour: string) {
  const made = await world.toSubscription(business, id, "payment-method-link");
  const token = (dataOf(made, 201).url as string).split("/").at(-1) as string;
  return dataOf(await world.setup({ token }, await world.cardToken(lastFour)), 200);
}

/** The only invoice of a subscription. */
async function invoiceOf(business: TestBusiness, id: string) {
  const [invoice, ...more] = await world.ofSubscription(business, id, "/invoices");
  expect(more).toEqual([]);
  return invoice;
}

const statuses = (invoice: { attempts: { status: string }[] }) =>
  invoice.attempts.map(({ status }) => status);

describe("a declined renewal", () => {
  test("is retried after 1, 3, 5 and 7 days; then the subscription is cancelled", async () => {
    const business = await world.business();
    const hook = await world.hook(business);
    const id = await world.subscription(business, {}, "0341");
    await world.testClock(business, START);
    expect(await world.ofSubscription(business, id)).toMatchObject({ status: "past_due" });
    const first = await invoiceOf(business, id);
    expect(first).toMatchObject({
      status: "failed",
      nextAttemptAt: day(1),
      paidAt: null,
      attempts: [{ status: "FAILED", at: day(0), reason: "Your card was declined." }],
    });

    await world.testClock(business, START + 7 * DAY_MS - 1);
    const before = await invoiceOf(business, id);
    expect(before).toMatchObject({ status: "failed", nextAttemptAt: day(7) });
    expect(statuses(before)).toEqual(Array(4).fill("FAILED"));

    await world.testClock(business, START + 400 * DAY_MS);
    expect(await world.ofSubscription(business, id)).toMatchObject({
      status: "cancelled",
      cancelledAt: day(7),
      cancelReason: "unpaid",
      nextInvoiceAt: null,
      openInvoiceId: null,
    });
    const last = await invoiceOf(business, id);
    expect(last).toMatchObject({ status: "void", nextAttemptAt: null });
    const tried = last.attempts.map((attempt: { at: string }) => attempt.at);
    expect(tried).toEqual([0, 1, 3, 5, 7].map(day));
    const ids = last.attempts.map((attempt: { paymentId: string }) => attempt.paymentId);
    expect(new Set(ids).size).toBe(5);
    expect(await account(business)).toBe("0.00");
    const events = () => hook.received.map(({ body }) => `${body.eventType} ${body.status}`);
    await until(() => events().length >= 8, { awaited: "events" });
    expect(events().toSorted()).toEqual([
      ...Array(5).fill("INVOICE failed"),
      "SUBSCRIPTION cancelled",
      "SUBSCRIPTION created",
      "SUBSCRIPTION past_due",
    ]);
  });

  test("is paid at once with another card, and later periods are billed in order", async () => {
    const business = await world.business();
    const recurringCharge = { interval: { type: "day", count: 1 } };
    const id = await world.subscription(business, { recurringCharge }, "0341");
    await world.testClock(business, START + 4 * DAY_MS);
    expect(statuses(await invoiceOf(business, id))).toEqual(Array(3).fill("FAILED"));

    await changeCard(business, id, "4242");
    const paid = await books.paid(id, 5);
    expect(paid.map(({ number, occasion }) => [number, occasion])).toEqual(
      [0, 1, 2, 3, 4].map((period) => [period + 1, `period:${period}`]),
    );
    // Time never goes back: the later periods' invoices are issued when the first one is paid.
    expect(paid.slice(1).map(({ issuedAt }) => issuedAt)).toEqual(
      Array(4).fill(START + 4 * DAY_MS),
    );
    expect(paid[0]?.attempts.map(({ status }) => status)).toEqual([
      "FAILED",
      "FAILED",
      "FAILED",
      "SUCCEEDED",
    ]);
    expect(await world.ofSubscription(business, id)).toMatchObject({
      status: "active",
      card: { last4: "4242" },
      nextInvoiceAt: day(5),
    });
    expect(Object.values(await books.chargedOf(id))).toEqual([1, 1, 1, 1, 1]);
    expect(await account(business)).toBe((5 * 23.97).toFixed(2));
  });

  test("is paid with another card, and a change of seats sets no time back", async () => {
    const business = await world.business();
    const recurringCharge = { type: "seating", interval: { type: "day", count: 1 } };
    const id = await world.subscription(business, { recurringCharge }, "0341");
    await world.testClock(business, START + 4 * DAY_MS);
    await changeCard(business, id, "4242");
    dataOf(await world.toSubscription(business, id, "seats", { seats: 5 }), 200);
    const paid = await books.paid(id, 5);
    const now = START + 4 * DAY_MS;
    expect(paid.slice(1).map(({ issuedAt, paidAt }) => [issuedAt, paidAt])).toEqual(
      Array(4).fill([now, now]),
    );
  });

  test("keeps its schedule of retries after a decline of another card", async () => {
    const business = await world.business();
    const id = await world.subscription(business, {}, "0341");
    await world.testClock(business, START + DAY_MS / 2);
    await changeCard(business, id, "0341");
    const tried = await invoiceOf(business, id);
    expect(statuses(tried)).toEqual(["FAILED", "FAILED"]);
    expect(tried.nextAttemptAt).toBe(day(1));
    await world.testClock(business, START + 30 * DAY_MS);
    const last = await invoiceOf(business, id);
    expect(last.status).toBe("void");
    const at = last.attempts.map((attempt: { at: string }) => attempt.at);
    expect(at).toEqual([0, 0.5, 1, 3, 5, 7].map(day));
    expect((await world.ofSubscription(business, id)).cancelledAt).toBe(day(7));
  });

  test("is paid by a retry: the subscription is active and the next period on time", async () => {
    const business = await world.business();
    const id = await world.subscription(business, {}, "9995");
    await world.testClock(business, START + 2 * DAY_MS);
    expect((await world.ofSubscription(business, id)).status).toBe("past_due");
    // The same card has money again, so the saved card does not change.
    await books.cards.updateMany({ last4: "9995" }, { $set: { last4: "4242" } });
    await world.testClock(business, "2030-02-01");
    const [first, second] = await world.ofSubscription(business, id, "/invoices");
    expect(first).toMatchObject({ status: "paid", paidAt: day(3) });
    expect(statuses(first)).toEqual(["FAILED", "FAILED", "SUCCEEDED"]);
    expect(second).toMatchObject({ status: "paid", paidAt: day(31) });
    expect((await world.ofSubscription(business, id)).status).toBe("active");
  });
});

describe("a renewal with an unknown outcome", () => {
  test("has not failed: the same charge is repeated, and no retry schedule begins", async () => {
    const business = await world.business();
    const hook = await world.hook(business);
    const id = await world.subscription(business);
    const before = bank.asked.length;
    bank.silence(true);
    const setting = world.testClock(business, START + 40 * DAY_MS);
    await until(() => bank.asked.length > before, { awaited: "the charge" });
    const repeated = () => bank.asked.length >= before + 2;
    await clock.passDuring(until(repeated, { awaited: "two charges" }));
    expect(await world.ofSubscription(business, id)).toMatchObject({ status: "active" });
    const open = await invoiceOf(business, id);
    expect(open).toMatchObject({
      status: "open",
      nextAttemptAt: null,
      attempts: [{ status: "PENDING", reason: null }],
    });
    bank.silence(false);
    await clock.passDuring(setting);
    const [first, second, ...more] = await world.ofSubscription(business, id, "/invoices");
    expect(more).toEqual([]);
    expect(first).toMatchObject({ id: open.id, status: "paid", paidAt: day(0) });
    expect(second).toMatchObject({ status: "paid", paidAt: day(31) });
    const asked = new Set(bank.asked.slice(before));
    const made = [first.attempts[0].paymentId, second.attempts[0].paymentId];
    expect([...asked]).toEqual(await books.keysOf(made));
    expect(Object.values(await books.chargedOf(id))).toEqual([1, 1]);
    const events = () => hook.received.map(({ body }) => `${body.eventType} ${body.status}`);
    await until(() => events().length >= 3, { awaited: "events" });
    expect(events().toSorted()).toEqual(["INVOICE paid", "INVOICE paid", "SUBSCRIPTION created"]);
  });

  test("is found captured after a lost answer of the bank, and is charged once", async () => {
    const business = await world.business();
    const id = await world.subscription(business, {}, "0119");
    const before = bank.asked.length;
    const setting = world.testClock(business, START);
    await until(() => bank.asked.length > before, { awaited: "the charge" });
    // The bound of the bank's answer is over.
    clock.aheadMs += 5_000;
    await setting;
    const invoice = await invoiceOf(business, id);
    expect(invoice).toMatchObject({ status: "paid", attempts: [{ status: "SUCCEEDED" }] });
    const [key = ""] = await books.keysOf([invoice.attempts[0].paymentId]);
    const entry = await books.charges.findOne({ _id: key });
    // payrail repeated the charge with the same key, and the bank captured it once.
    expect(entry?.charges).toBeGreaterThan(1);
    expect(entry).toMatchObject({ last4: "0119", amountMinor: 2_500 });
    expect(await books.payments.countDocuments({ "renewal.subscriptionId": id })).toBe(1);
    expect(await account(business)).toBe("23.97");
  });
});

test("a changed card is kept after a lost answer and the creation of another link", async () => {
  const business = await world.business();
  const id = await world.subscription(business);
  const made = await world.toSubscription(business, id, "payment-method-link");
  const token = (dataOf(made, 201).url as string).split("/").at(-1) as string;
  const { prototype } = mongoose.mongo.Db;
  const { command } = prototype;
  const lost = jest.spyOn(prototype, "command").mockImplementation(async function (
    this: typeof prototype,
    ...asked
  ) {
    const reply = await command.apply(this, asked);
    const isChange = /"methodLink":\{[^}]*"methodId"/.test(JSON.stringify(asked[0]));
    if (!isChange || reply.n === 0) return reply;
    // The change that another node writes for another link.
    const methodLink = { tokenHash: digest(newId()), expiresAt: Date.now() + DAY_MS };
    const another = { $inc: { v: 1 }, $set: { writtenBy: newId(), methodLink } };
    await books.subscriptions.updateOne({ _id: id }, another);
    throw new Error("The connection is lost");
  });
  try {
    dataOf(await world.setup({ token }, await world.cardToken("1881")), 200);
  } finally {
    lost.mockRestore();
  }
  expect(await books.methods.countDocuments({ subscriptionId: id })).toBe(2);
  await world.testClock(business, START);
  expect(await invoiceOf(business, id)).toMatchObject({ status: "paid" });
  expect((await world.ofSubscription(business, id)).card.last4).toBe("1881");
});
