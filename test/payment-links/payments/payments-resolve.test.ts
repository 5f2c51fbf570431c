// Resolving payments and refunds that need attention, and their list over all businesses. An
// admin's decision counts only if no money can be under way, and never reverses an outcome that
// payrail has already reported.

import { randomUUID } from "node:crypto";
import type { PaymentBooks } from "../../support/payments.ts";
import { until } from "../../support/system.ts";
import {
  CAPTURED,
  DECLINED,
  UNKNOWN,
  unansweredPayments,
  VOIDED,
} from "../../support/unanswered.ts";
import { dataOf, type TestBusiness, type World } from "../../support/world.ts";

const REFUNDED = { kind: "refunded" } as const;
const NOT_RESOLVABLE = { type: "NOT_RESOLVABLE" };
const MINUTE_MS = 60_000;
const START = Date.parse("2030-01-01");

const unanswered = unansweredPayments();
const { script, clock } = unanswered;
let world: World;
let books: PaymentBooks;
let admin: { sub: string; role: "admin" };

beforeAll(async () => {
  ({ world, books } = await unanswered.start());
  admin = { sub: randomUUID(), role: "admin" };
});
afterAll(() => unanswered.stop());
beforeEach(() => {
  unanswered.reset();
  script.answers.charge = async () => UNKNOWN;
  script.answers.refund = async () => UNKNOWN;
});

function resolve(id: string, outcome: "SUCCESS" | "FAILED") {
  const params = { id, outcome, note: "The bank says so" };
  return world.call("payment-links.resolve", params, { meta: { actor: admin } });
}

/** A payment after a day without an answer. */
async function unknownPayment() {
  const business = await world.business();
  const link = await world.paymentLink(business, { isOpenLink: false });
  const { id } = dataOf(await unanswered.payUnknown(link), 200);
  const { key } = await flag(id);
  clock.aheadMs = 0;
  return { business, link, id, key };
}

/** Flags the payment as the sweeper does after a day; the next query is due in an hour. */
async function flag(id: string) {
  const isAsked = { _id: id, unknownSince: { $exists: true } };
  await until(() => books.payments.findOne(isAsked), { awaited: "the first query" });
  const $set = { needsAttention: true, nextAttemptAt: Date.now() + 60 * MINUTE_MS };
  // The new version makes a driver that works on the payment lose, as every change does.
  const stored = await books.payments.findOneAndUpdate(
    { _id: id },
    { $set, $inc: { v: 1 } },
    { returnDocument: "after" },
  );
  return { key: stored?.key as string };
}

const balance = async (business: TestBusiness) =>
  world.balance(business, { id: await world.collectionAccount(business) });

async function statesOf({ token }: TestBusiness, id: string) {
  const { states } = dataOf(
    await world.http.get(`/v1/transactions/${id}/timeline`, { token }),
    200,
  );
  return states.map(({ status, by }: { status: string; by?: string }) => [status, by]);
}

const BY = () => `admin ${admin.sub}: The bank says so`;

describe("a payment", () => {
  test("SUCCESS credits a payment, and the timeline names the admin", async () => {
    const { business, id } = await unknownPayment();
    expect(await resolve(id, "SUCCESS")).toMatchObject({
      id,
      status: "SUCCESS",
      flow: "COLLECTION",
    });
    expect(await balance(business)).toBe("25.00");
    expect(await statesOf(business, id)).toEqual([
      ["PENDING", undefined],
      ["SUCCESS", BY()],
    ]);
    await expect(resolve(id, "SUCCESS")).rejects.toMatchObject(NOT_RESOLVABLE);
  });

  test.each([VOIDED, DECLINED])("FAILED is accepted if the acquirer answers %j", async (answer) => {
    const { business, link, id, key } = await unknownPayment();
    script.answers.void = async () => answer;
    expect(await resolve(id, "FAILED")).toMatchObject({ status: "FAILED", needsAttention: false });
    expect(script.timesAsked("charge", key)).toBe(1);
    expect(await statesOf(business, id)).toEqual([
      ["PENDING", undefined],
      ["FAILED", BY()],
    ]);
    // The link is free.
    script.answers.charge = async () => CAPTURED;
    expect(dataOf(await world.pay(link, "card"), 200).status).toBe("SUCCEEDED");
  });

  test("FAILED is a 409 for a captured payment, which succeeds", async () => {
    const { business, id } = await unknownPayment();
    // The deadline is so old that FAILED would count without an answer of the acquirer.
    const passed = { deadline: Date.now() - 60 * MINUTE_MS };
    await books.payments.updateOne({ _id: id }, { $set: passed });
    script.answers.void = async () => CAPTURED;
    await expect(resolve(id, "FAILED")).rejects.toMatchObject(NOT_RESOLVABLE);
    expect((await books.ended(id)).status).toBe("SUCCEEDED");
    expect(await balance(business)).toBe("25.00");
  });

  test("FAILED without an answer counts ten minutes after the deadline", async () => {
    const { id } = await unknownPayment();
    await expect(resolve(id, "FAILED")).rejects.toMatchObject(NOT_RESOLVABLE);
    const passed = { deadline: Date.now() - 10 * MINUTE_MS };
    await books.payments.updateOne({ _id: id }, { $set: passed });
    expect(await resolve(id, "FAILED")).toMatchObject({ status: "FAILED" });
  });

  test("FAILED without an answer never counts for a renewal with a known acquirer", async () => {
    const business = await world.business();
    const subscriptionId = await world.subscription(business);
    const setting = world.testClock(business, START);
    const renewal = { "renewal.subscriptionId": subscriptionId };
    const { _id: id } = await until(() => books.payments.findOne(renewal));
    await flag(id);
    await expect(resolve(id, "FAILED")).rejects.toMatchObject(NOT_RESOLVABLE);
    await books.payments.updateOne({ _id: id }, { $set: { acquirer: "gone" }, $inc: { v: 1 } });
    await flag(id);
    expect(await resolve(id, "FAILED")).toMatchObject({ status: "FAILED" });
    script.answers.charge = async () => CAPTURED;
    await setting;
    expect(await world.ofSubscription(business, subscriptionId)).toMatchObject({
      status: "past_due",
    });
  });

  test("a stored outcome can be confirmed and not reversed", async () => {
    const business = await world.business();
    const link = await world.paymentLink(business);
    const late = Promise.withResolvers<typeof CAPTURED>();
    script.answers.void = async () => VOIDED;
    const { id } = dataOf(await unanswered.payTooLong(link, late.promise), 200);
    await books.ended(id);
    await expect(resolve(id, "FAILED")).rejects.toMatchObject(NOT_RESOLVABLE);
    late.resolve(CAPTURED);
    await until(() => books.payments.findOne({ _id: id, needsAttention: true }));
    const { token } = business;
    const path = `/v1/business/${business.id}/payments/${id}`;
    expect(dataOf(await world.http.get(path, { token }), 200).needsAttention).toBe(true);
    await expect(resolve(id, "SUCCESS")).rejects.toMatchObject(NOT_RESOLVABLE);
    expect(await resolve(id, "FAILED")).toMatchObject({ status: "FAILED", needsAttention: false });
    expect(await balance(business)).toBe("0.00");
  });

  test("an id of neither a payment nor a refund is not found", async () => {
    await expect(resolve(randomUUID(), "FAILED")).rejects.toMatchObject({
      type: "TRANSACTION_NOT_FOUND",
    });
  });

  test("of concurrent admins and the sweeper one decides, and the books agree", async () => {
    for (let round = 0; round < 5; round++) {
      script.answers.void = async () => UNKNOWN;
      const { business, id } = await unknownPayment();
      script.answers.void = async () => (round % 2 === 0 ? VOIDED : CAPTURED);
      await books.payments.updateOne(
        { _id: id },
        { $set: { nextAttemptAt: 0 }, $unset: { stepAt: "" } },
      );
      const outcomes = ["FAILED", "SUCCESS", "FAILED", "SUCCESS"] as const;
      const decided = await Promise.allSettled(outcomes.map((outcome) => resolve(id, outcome)));
      const { status, states } = await books.ended(id);
      expect(states).toHaveLength(1);
      expect(await balance(business)).toBe(status === "SUCCEEDED" ? "25.00" : "0.00");
      const won = decided.filter((each) => each.status === "fulfilled");
      expect(won.length).toBeLessThanOrEqual(1);
    }
  });
});

test("over HTTP an admin finds flagged payments, page by page, and resolves one", async () => {
  const { business, id } = await unknownPayment();
  const token = world.tokens.admin(admin.sub);
  const found: string[] = [];
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null && pages < 20; pages++) {
    const query = `kind=payment&limit=1${cursor && `&cursor=${cursor}`}`;
    const { body } = await world.http.get(`/v1/admin/attention?${query}`, { token });
    found.push(...body.data.map((item: { id: string }) => item.id));
    cursor = body.meta.nextCursor;
  }
  expect(cursor).toBeNull();
  expect(found).toContain(id);
  expect(new Set(found).size).toBe(found.length);

  const path = `/v1/admin/transactions/${id}/resolve`;
  const decision = { outcome: "SUCCESS", note: "The bank says so" };
  expect((await world.http.post(path, decision, { token: business.token })).status).toBe(401);
  const resolved = dataOf(await world.http.post(path, decision, { token }), 200);
  expect(resolved).toMatchObject({ id, flow: "COLLECTION", status: "SUCCESS" });
  expect(await balance(business)).toBe("25.00");
});

describe("a refund", () => {
  /** A refund after a day without an answer. */
  async function unknownRefund() {
    script.answers.charge = async () => CAPTURED;
    const business = await world.business();
    const link = await world.paymentLink(business, { customerPays: false });
    const { id: paymentId } = dataOf(await world.pay(link, "card"), 200);
    const path = `/v1/business/${business.id}/payments/${paymentId}/refunds`;
    const { token } = business;
    const { id } = dataOf(await world.http.post(path, { reference: "one" }, { token }), 201);
    const $set = { needsAttention: true, nextAttemptAt: Date.now() + 60 * MINUTE_MS };
    const stored = await books.refunds.findOneAndUpdate(
      { _id: id },
      { $set, $unset: { stepAt: "" }, $inc: { v: 1 } },
    );
    const listed = async () => dataOf(await world.http.get(path, { token }), 200)[0];
    return { business, id, key: stored?.key as string, listed };
  }
  const closed = (id: string) =>
    until(() => books.refunds.findOne({ _id: id, step: "closed" }), { awaited: "the end" });

  test("a merchant sees the flag of a refund, and SUCCESS ends it", async () => {
    const { business, id, listed } = await unknownRefund();
    expect(await listed()).toMatchObject({ id, status: "PENDING", needsAttention: true });
    const resolved = await resolve(id, "SUCCESS");
    expect(resolved).toMatchObject({ id, flow: "REFUND", status: "SUCCESS", amount: "25.00" });
    expect(await listed()).toMatchObject({ status: "SUCCEEDED", needsAttention: false });
    expect(await balance(business)).toBe("0.00");
  });

  test("FAILED stops the queries and returns the money ten minutes later", async () => {
    const { business, id, key } = await unknownRefund();
    expect(await resolve(id, "FAILED")).toMatchObject({ status: "PENDING", needsAttention: true });
    const before = script.timesAsked("refund", key);
    // A driver resumes the refund too early, as after another change.
    await books.refunds.updateOne(
      { _id: id },
      { $set: { nextAttemptAt: 0 }, $unset: { stepAt: "" } },
    );
    const waits = { _id: id, nextAttemptAt: { $gt: Date.now() } };
    const waiting = await until(() => books.refunds.findOne(waits), {
      awaited: "the wait before the reversal",
    });
    expect(waiting.step).toBe("ask");
    expect(waiting.reverseAt).toBeGreaterThan(Date.now() + 9 * MINUTE_MS);
    expect(await balance(business)).toBe("0.00");
    await books.refunds.updateOne(
      { _id: id },
      { $set: { reverseAt: 0, nextAttemptAt: 0 }, $unset: { stepAt: "" } },
    );
    expect(await closed(id)).toMatchObject({ status: "FAILED", decidedBy: BY() });
    expect(await balance(business)).toBe("23.97");
    expect(script.timesAsked("refund", key)).toBe(before);
  });

  test("a late answer that a refund was paid overrides FAILED", async () => {
    const { business, id } = await unknownRefund();
    const late = Promise.withResolvers<typeof REFUNDED>();
    script.answers.refund = () => late.promise;
    await books.refunds.updateOne(
      { _id: id },
      { $set: { nextAttemptAt: 0 }, $unset: { stepAt: "" } },
    );
    const asked = { _id: id, nextAttemptAt: { $gt: 0 } };
    await until(() => books.refunds.findOne(asked), { awaited: "the query" });
    // The driver that queries the acquirer loses the refund to the admin.
    await until(() => resolve(id, "FAILED").catch(() => null), { awaited: "the admin's decision" });
    script.answers.refund = async () => REFUNDED;
    late.resolve(REFUNDED);
    expect(await closed(id)).toMatchObject({ status: "SUCCEEDED" });
    expect(await balance(business)).toBe("0.00");
  });

  test("FAILED counts at once if the refund's acquirer is no longer configured", async () => {
    const { business, id } = await unknownRefund();
    await books.refunds.updateOne({ _id: id }, { $set: { acquirer: "gone" } });
    expect(await resolve(id, "FAILED")).toMatchObject({ status: "FAILED" });
    expect(await balance(business)).toBe("23.97");
  });

  test("an answer that contradicts the outcome flags the refund for confirmation", async () => {
    const { id, key } = await unknownRefund();
    const late = Promise.withResolvers<{ kind: "refused"; code: string }>();
    const next = script.timesAsked("refund", key) + 1;
    // Drivers of other tests' refunds may call the acquirer too.
    script.answers.refund = async (asked) =>
      asked === key && script.timesAsked("refund", key) === next ? late.promise : REFUNDED;
    await books.refunds.updateOne(
      { _id: id },
      { $set: { nextAttemptAt: 0 }, $unset: { stepAt: "" } },
    );
    expect((await closed(id)).needsAttention).toBe(false);
    late.resolve({ kind: "refused", code: "no" });
    const flagged = () => books.refunds.findOne({ _id: id, needsAttention: true });
    expect(await until(flagged)).toMatchObject({ status: "SUCCEEDED", contradicted: "refused" });
    await expect(resolve(id, "FAILED")).rejects.toMatchObject(NOT_RESOLVABLE);
    expect(await resolve(id, "SUCCESS")).toMatchObject({ needsAttention: false });
  });
});

test("items that need attention are listed over all businesses, page by page", async () => {
  // Clears the flags of the tests above.
  const seen = { $set: { needsAttention: false } };
  await books.payments.updateMany({ needsAttention: true }, seen);
  await books.refunds.updateMany({ needsAttention: true }, seen);
  const payments = [await unknownPayment(), await unknownPayment()];
  const subscribed = await world.business();
  const subscriptionId = await world.subscription(subscribed);
  const subscriptions = books.db.collection("subscriptions");
  const $set = { needsAttention: true, unknownSince: 0 };
  await subscriptions.updateOne({ _id: subscriptionId as never }, { $set });
  const listed = [];
  let cursor: string | undefined;
  do {
    const page = await world.call("payment-links.attention", {
      limit: 1,
      ...(cursor && { cursor }),
    });
    expect(page.items.length).toBeLessThanOrEqual(1);
    listed.push(...page.items);
    cursor = page.meta.nextCursor ?? undefined;
  } while (cursor);
  const ofPayment = ({ id, business }: (typeof payments)[number]) => ({
    kind: "payment",
    id,
    businessId: business.id,
    status: "PENDING",
    amount: "26.06",
    currency: "USD",
    unknownSince: expect.any(String),
    nextStepAt: expect.any(String),
    reason: "The acquirer has not reported the outcome of the charge.",
  });
  expect(listed).toEqual([
    ...payments.toReversed().map(ofPayment),
    {
      kind: "subscription",
      id: subscriptionId,
      businessId: subscribed.id,
      status: "trialing",
      amount: null,
      currency: "USD",
      unknownSince: new Date(0).toISOString(),
      nextStepAt: expect.any(String),
      reason: "The outcome of the payment of its open invoice is unknown.",
    },
  ]);
  for (const { id } of payments) await resolve(id, "SUCCESS");
  await subscriptions.updateOne(
    { _id: subscriptionId as never },
    { $set: { needsAttention: false }, $unset: { unknownSince: "" } },
  );
  const bad = world.call("payment-links.attention", { cursor: "invoice:1" });
  await expect(bad).rejects.toMatchObject({ type: "VALIDATION" });
});
