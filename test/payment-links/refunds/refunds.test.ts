// Refunds pay money from the collection account back to the customer and return the fee in
// proportion: never more than the charge, and once for each reference, with every outcome at the
// acquirer and the ledger.

import { randomUUID } from "node:crypto";
import type { PaymentLink } from "../../../services/payment-links/links/link.model.ts";
import type { Payment } from "../../../services/payment-links/payments/payment.model.ts";
import type { Refund } from "../../../services/payment-links/refunds/refund.model.ts";
import {
  allocate,
  computeShare,
  giveBack,
  MOST_EMPTY,
} from "../../../services/payment-links/refunds/refund-allocation.ts";
import { readBlock } from "../../../services/wallet-ledger/block-format.ts";
import type { StoredBlock } from "../../../services/wallet-ledger/journal.model.ts";
import { systemClock } from "../../../shared/clock.ts";
import { computeFee } from "../../../shared/fees.ts";
import { newId } from "../../../shared/ids.ts";
import { scriptedAcquirer } from "../../support/payments.ts";
import { type Paid, type RefundWorld, startRefundWorld } from "../../support/refunds.ts";
import { settableClock } from "../../support/settable-clock.ts";
import { until } from "../../support/system.ts";
import { seeded } from "../../support/traffic.ts";
import { dataOf, type TestHook, type World } from "../../support/world.ts";

const OF_WIRE = { $set: { "fee.kind": "WIRE" as const } };

let place: RefundWorld;
let world: World;

async function begin(options: Parameters<typeof startRefundWorld>[0] = {}) {
  place = await startRefundWorld(options);
  ({ world } = place);
}

const end = () => place.end();

/** The sums of the system accounts in the journal, over all partitions. */
async function systemSums(): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for await (const stored of place.db.collection<StoredBlock>("ledger_blocks").find()) {
    for (const { legs } of readBlock(stored).transfers) {
      for (const [account, change] of legs) {
        const name = account.split(":")[1];
        if (name) sums[name] = (sums[name] ?? 0) + change;
      }
    }
  }
  return sums;
}

/** The entries of a refund in the collection account, oldest first. */
const entriesOf = ({ accountId: walletId }: Paid, transactionId: string) =>
  world.call("wallet-ledger.entriesOf", { walletId, transactionId });

/** The payments; the first read shows another state. */
function readingFirst(shown: Payment | null): RefundWorld["payments"] {
  let isFirst = true;
  return new Proxy(place.payments, {
    get(target, name) {
      if (name !== "findOne" || !isFirst) return Reflect.get(target, name).bind(target);
      isFirst = false;
      return async () => shown;
    },
  });
}

const receivedEvents = (hook: TestHook, id: string) =>
  hook.received.filter(({ body }) => body.payload.refundId === id).map(({ body }) => body);

describe("with the sandbox's acquirer", () => {
  beforeAll(() => begin());
  afterAll(end);

  test("a whole refund returns the amount, the fees and the acquirer's money", async () => {
    const one = await place.paid({ amount: 25 });
    const hook = await world.hook(one.business, { eventTypes: ["REFUND"] });
    expect(await place.balance(one)).toBe("23.97");
    const before = await systemSums();
    const done = dataOf(await place.refund(one, { reference: "all of it" }), 201);
    const expected = {
      id: done.id,
      paymentId: one.id,
      status: "SUCCEEDED",
      amount: "25.00",
      feesReturned: "1.03",
      currency: "USD",
      reference: "all of it",
      reason: null,
      needsAttention: false,
      createdAt: done.createdAt,
    };
    expect(done).toEqual(expected);
    expect(await place.balance(one)).toBe("0.00");
    expect(await place.listed(one)).toEqual([expected]);
    expect(await place.refunded(one)).toBe("25.00");
    const after = await systemSums();
    expect((after.fees as number) - (before.fees as number)).toBe(-103);
    const clearing = "clearing-CARD_COLLECTION";
    expect((after[clearing] as number) - (before[clearing] as number)).toBe(2_500);

    await until(() => receivedEvents(hook, done.id).length === 1, { awaited: "the event" });
    expect(receivedEvents(hook, done.id)[0]).toEqual({
      eventType: "REFUND",
      status: "SUCCEEDED",
      payload: {
        refundId: done.id,
        paymentId: one.id,
        transactionId: one.id,
        paymentLinkId: one.linkId,
        amount: 25,
        feesReturned: "1.03",
        currency: "USD",
        timestamp: expect.any(Number),
        reference: "all of it",
        reason: "",
      },
    });
    expect(await entriesOf(one, done.id)).toMatchObject([
      { kind: "refund", entry: "DEBIT", amount: "23.97", balance: "0.00" },
    ]);
  });

  test.each([
    ["another kind", OF_WIRE, OF_WIRE, "WIRE"],
    [
      "no kind, of an earlier release",
      { $unset: { "fee.kind": "" } },
      { $unset: { fee: "" } },
      "CARD_COLLECTION",
    ],
  ] as const)(
    "the fee of a link with %s is posted and returned",
    async (_, ofLink, ofPaid, kind) => {
      const business = await world.business();
      const accountId = await world.collectionAccount(business);
      const link = await world.paymentLink(business);
      await place.db.collection<PaymentLink>("payment_links").updateOne({ _id: link.id }, ofLink);
      const sums = async () => {
        const { fees = 0, [`clearing-${kind}`]: clearing = 0 } = await systemSums();
        return { fees, clearing };
      };
      const before = await sums();
      const { id } = dataOf(await world.pay(link, await world.cardToken()), 200);
      const { fees, clearing } = await sums();
      expect([fees - before.fees, clearing - before.clearing]).toEqual([106, -2_606]);
      await place.payments.updateOne({ _id: id }, ofPaid);
      dataOf(await place.refund({ business, id, accountId, linkId: link.id }), 201);
      expect(await sums()).toEqual(before);
    },
  );

  test("of three refunds the last one returns the rest of the fee", async () => {
    const one = await place.paid({ amount: 100 });
    const parts = [];
    for (const amount of [33.33, 33.33, undefined]) {
      parts.push(dataOf(await place.refund(one, { amount }), 201));
    }
    expect(parts.map(({ amount, feesReturned }) => [amount, feesReturned])).toEqual([
      ["33.33", "1.07"],
      ["33.33", "1.07"],
      ["33.34", "1.06"],
    ]);
    expect(await place.balance(one)).toBe("0.00");
    expect((await place.refund(one)).status).toBe(400);
  });

  test("the timeline of a payment has the entries of its refunds", async () => {
    const one = await place.paid({ amount: 25 });
    const first = dataOf(await place.refund(one, { amount: 10 }), 201);
    const second = dataOf(await place.refund(one), 201);
    const path = `/v1/transactions/${one.id}/timeline`;
    const { states, entries } = dataOf(
      await world.http.get(path, { token: one.business.token }),
      200,
    );
    expect(states.map(({ status }: { status: string }) => status)).toEqual(["PENDING", "SUCCESS"]);
    expect(entries).toMatchObject([
      { transactionId: one.id, kind: "collection", entry: "CREDIT", amount: "23.97" },
      { transactionId: first.id, kind: "refund", entry: "DEBIT", amount: "9.59" },
      { transactionId: second.id, kind: "refund", entry: "DEBIT", amount: "14.38" },
    ]);
  });

  test("a repeated reference has the same result, and is a 409 with another amount", async () => {
    const one = await place.paid({ amount: 25 });
    const body = { reference: "once", amount: 10 };
    const answers = await Promise.all(Array.from({ length: 10 }, () => place.refund(one, body)));
    const first = dataOf(answers[0] as never, 201);
    for (const answer of answers) expect(dataOf(answer, 201)).toEqual(first);
    for (const amount of [9.99, 10.01, undefined]) {
      expect((await place.refund(one, { ...body, amount })).status).toBe(409);
    }
    expect(await place.refunded(one)).toBe("10.00");
    expect(await place.listed(one)).toHaveLength(1);
  });

  test("twenty concurrent refunds never exceed the charge", async () => {
    const one = await place.paid({ amount: 25 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => place.refund(one, { amount: 4 })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(6);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(14);
    expect(await place.refunded(one)).toBe("24.00");
    dataOf(await place.refund(one), 201);
    expect(await place.balance(one)).toBe("0.00");
  });

  test("each payment of a link is refunded separately", async () => {
    const one = await place.paid({ amount: 25 });
    const other = await place.payAgain(one.business, one.accountId, { amount: 25 });
    dataOf(await place.refund(one, { reference: "same" }), 201);
    dataOf(await place.refund(other, { reference: "same", amount: 5 }), 201);
    expect([await place.refunded(one), await place.refunded(other)]).toEqual(["25.00", "5.00"]);
  });

  test.each([
    ["more than the charge", { amount: 25.01 }, 400],
    ["an amount of 0", { amount: 0 }, 400],
    ["a negative amount", { amount: -1 }, 400],
    ["a part of a cent", { amount: 0.001 }, 400],
    ["a text", { amount: "5" }, 400],
    ["no reference", { reference: undefined }, 400],
  ])("%s is refused, and nothing is stored", async (_case, body, status) => {
    const one = await place.paid({ amount: 25 });
    expect((await place.refund(one, body)).status).toBe(status);
    expect(await place.refunds.countDocuments({ paymentId: one.id })).toBe(0);
    expect(await place.balance(one)).toBe("23.97");
  });

  test("a failed payment is not refunded", async () => {
    const business = await world.business();
    const link = await world.paymentLink(business);
    const { id } = dataOf(await world.pay(link, await world.cardToken("0002")), 200);
    const answer = await place.refund({ business, id, accountId: "", linkId: link.id });
    expect([answer.status, answer.body.message]).toEqual([
      400,
      "The payment cannot be refunded by this amount",
    ]);
  });

  test("another business's payment and an unknown payment are not found", async () => {
    const mine = await place.paid();
    const theirs = await place.paid();
    for (const id of [theirs.id, randomUUID()]) {
      const answer = await place.refund({ ...mine, id });
      expect([answer.status, answer.body.message]).toEqual([404, "Payment not found"]);
    }
    expect(await place.refunded(theirs)).toBe("0.00");
  });

  test("a refund above the balance is refused for good, and its part is free", async () => {
    const one = await place.paid({ amount: 25 });
    const { id: walletId } = await world.wallet(one.business, one.business);
    const transfers = `/v1/business/${one.business.id}/collection-accounts/${one.accountId}/transfers`;
    const out = { walletId, amount: 20, reference: "out" };
    dataOf(await world.http.post(transfers, out, { token: one.business.token }), 201);
    const tooMuch = { amount: 10, reference: "too much" };
    for (let i = 0; i < 2; i++) {
      const answer = await place.refund(one, tooMuch);
      expect([answer.status, answer.body.message]).toEqual([400, "Insufficient Funds #912"]);
    }
    expect([await place.refunded(one), await place.listed(one)]).toEqual(["0.00", []]);
    expect(await place.balance(one)).toBe("3.97");
    await world.collectionAccount(one.business, 21.03);
    dataOf(await place.refund(one), 201);
    expect(await place.balance(one)).toBe("1.03");
  });

  test("a refund that the acquirer refuses is reversed, with one event", async () => {
    const one = await place.paid({ amount: 25 }, "5126");
    const hook = await world.hook(one.business);
    const failed = dataOf(await place.refund(one, { reference: "refused" }), 201);
    expect(failed).toMatchObject({
      status: "FAILED",
      amount: "25.00",
      reason: "The refund was refused by the card's bank.",
    });
    expect(await place.balance(one)).toBe("23.97");
    expect(await place.refunded(one)).toBe("0.00");
    expect(dataOf(await place.refund(one, { reference: "refused" }), 201)).toEqual(failed);
    await until(() => receivedEvents(hook, failed.id).length === 1, { awaited: "the event" });
    expect(receivedEvents(hook, failed.id)[0]).toMatchObject({
      eventType: "REFUND",
      status: "FAILED",
      payload: { amount: 25, reason: failed.reason },
    });
    expect(await entriesOf(one, failed.id)).toMatchObject([
      { kind: "refund", entry: "DEBIT", amount: "23.97" },
      { kind: "refund-reversal", entry: "CREDIT", amount: "23.97" },
    ]);
  });

  test("refunds of single cents add up for a payment that is nearly all fee", async () => {
    const one = await place.paid({ amount: 0.5 });
    for (let i = 0; i < 3; i++) dataOf(await place.refund(one, { amount: 0.01 }), 201);
    dataOf(await place.refund(one), 201);
    expect(await place.balance(one)).toBe("0.00");
  });
});

describe("with a scripted acquirer", () => {
  const { answers, acquirer, timesAsked } = scriptedAcquirer();
  const clock = settableClock();
  beforeAll(() => begin({ paymentLinksInstead: [{ acquirer, clock }] }));
  afterAll(end);
  beforeEach(() => {
    clock.aheadMs = 0;
    answers.charge = async () => ({ kind: "captured" });
  });

  test("a refund with an unknown outcome is repeated under the same key until its end", async () => {
    const one = await place.paid({ amount: 25 });
    const hook = await world.hook(one.business);
    answers.refund = async () => ({ kind: "unknown" });
    const refunding = place.refund(one, { reference: "unknown" });
    const isUnknown = { paymentId: one.id, unknownSince: { $exists: true } };
    await until(() => place.refunds.findOne(isUnknown), { awaited: "the first answer" });
    const pending = await place.keyed(dataOf(await clock.passDuring(refunding), 201));
    expect(pending.status).toBe("PENDING");
    expect(await place.balance(one)).toBe("0.00");
    expect(receivedEvents(hook, pending.id)).toEqual([]);
    // The pending refund may succeed, so its part is not refunded again.
    expect((await place.refund(one)).status).toBe(400);
    const isRepeated = () => timesAsked("refund", pending.key) >= 3;
    await clock.passDuring(until(isRepeated, { awaited: "the third request" }));
    await world.verifyBooks();
    answers.refund = async () => ({ kind: "refunded" });
    const isDone = async () => (await place.listed(one))[0].status === "SUCCEEDED";
    await clock.passDuring(until(isDone, { awaited: "the end" }));
    expect(dataOf(await place.refund(one, { reference: "unknown" }), 201)).toMatchObject({
      id: pending.id,
      status: "SUCCEEDED",
    });
    await until(() => receivedEvents(hook, pending.id).length === 1, { awaited: "the event" });
  });

  test("a refund without a reserved part is never sent to the acquirer", async () => {
    const one = await place.paid({ amount: 25 });
    answers.refund = async () => ({ kind: "refunded" });
    const results = await Promise.all([place.refund(one), place.refund(one), place.refund(one)]);
    expect(results.filter(({ status }) => status === 201)).toHaveLength(1);
    const stored = await place.refunds.find({ paymentId: one.id }).toArray();
    const asked = stored.filter(({ key = "" }) => timesAsked("refund", key) > 0);
    expect(asked).toHaveLength(1);
  });

  test("a stale read of the payment declines no refund with a reserved part", async () => {
    const one = await place.paid({ amount: 25 });
    answers.refund = async () => ({ kind: "refused", code: "no" });
    const { id: first } = dataOf(await place.refund(one), 201);
    const stored = (await place.refunds.findOne({ _id: first })) as Refund;
    const other = { ...stored, _id: newId(), askedMinor: 2_500 };
    const before = (await place.payments.findOne({ _id: one.id })) as Payment;
    // Another node has reserved the part. For a moment after an election this node reads the
    // payment from before the return of the first refund, or does not see the payment.
    const stale = { ...before, refundedMinor: 2_500, refundedFeesMinor: 103 };
    const share = await allocate(
      { payments: { documents: place.payments }, clock: systemClock },
      other,
    );
    expect(share).toMatchObject({ amountMinor: 2_500 });
    const late = { payments: { documents: readingFirst(stale) }, clock: systemClock };
    expect(await allocate(late, other)).toEqual({ id: other._id, ...share });
    await expect(
      allocate({ ...late, payments: { documents: readingFirst(null) } }, other),
    ).rejects.toThrow("cannot be seen");
    await giveBack({ payments: { documents: place.payments } }, { ...other, ...share });
    expect(await place.refunded(one)).toBe("0.00");
    await place.payments.updateOne({ _id: one.id }, { $pull: { refunds: { id: other._id } } });
  });

  test("a declined refund leaves an entry, so that its late driver reserves nothing", async () => {
    const one = await place.paid({ amount: 25 });
    answers.refund = async () => ({ kind: "refunded" });
    const { id } = dataOf(await place.refund(one, { amount: 20 }), 201);
    const stored = (await place.refunds.findOne({ _id: id })) as Refund;
    const tooMuch = { ...stored, _id: newId(), askedMinor: 600 };
    const deps = { payments: { documents: place.payments }, clock: systemClock };
    expect(await allocate(deps, tooMuch)).toBeNull();
    await giveBack({ payments: { documents: place.payments } }, stored);
    expect(await allocate(deps, tooMuch)).toBeNull();
    const entry = { id: tooMuch._id, amountMinor: 0, feesMinor: 0 };
    const { refunds: entries } = (await place.payments.findOne({ _id: one.id })) as Payment;
    expect(entries?.at(-1)).toEqual(entry);
    // Restores the payment, so that the books are right.
    await place.payments.updateOne(
      { _id: one.id, "refunds.id": id },
      {
        $set: {
          refundedMinor: stored.amountMinor,
          refundedFeesMinor: stored.feesMinor,
          "refunds.$.amountMinor": stored.amountMinor,
          "refunds.$.feesMinor": stored.feesMinor,
        },
      },
    );
    await place.payments.updateOne({ _id: one.id }, { $pull: { refunds: { id: tooMuch._id } } });
  });

  test("after many declined refunds a payment is refunded, and its document is small", async () => {
    const one = await place.paid({ amount: 25 });
    answers.refund = async () => ({ kind: "refunded" });
    const declined = Array.from({ length: MOST_EMPTY }, () => ({
      id: newId(),
      amountMinor: 0,
      feesMinor: 0,
    }));
    await place.payments.updateOne({ _id: one.id }, { $set: { refunds: declined } });
    expect(dataOf(await place.refund(one), 201).status).toBe("SUCCEEDED");
    const { refunds: entries } = (await place.payments.findOne({ _id: one.id })) as Payment;
    expect(entries?.map(({ id }) => id).slice(0, -1)).toEqual(
      declined.slice(MOST_EMPTY / 2).map(({ id }) => id),
    );
    expect(await place.refunded(one)).toBe("25.00");
    await place.payments.updateOne(
      { _id: one.id },
      { $pull: { refunds: { amountMinor: { $eq: 0 } } } },
    );
  });

  test("a late reservation of a returned refund reserves nothing", async () => {
    const one = await place.paid({ amount: 25 });
    answers.refund = async () => ({ kind: "refused", code: "no" });
    const { id } = dataOf(await place.refund(one, { amount: 10 }), 201);
    const stored = (await place.refunds.findOne({ _id: id })) as Refund;
    expect(
      await allocate({ payments: { documents: place.payments }, clock: systemClock }, stored),
    ).toBeNull();
    await giveBack({ payments: { documents: place.payments } }, stored);
    expect(await place.refunded(one)).toBe("0.00");
  });
});

test("refunds in any order keep the sums exact, and refunding the rest leaves nothing", () => {
  const random = seeded();
  const between = (least: number, most: number) => least + random.below(most - least + 1);
  const fee = { fixed: 30, basisPoints: 290, min: 0, max: null };
  for (let round = 0; round < 2_000; round++) {
    const totalMinor = between(50, random.oneOf([60, 500, 100_000]));
    const feesMinor = Math.min(computeFee(fee, totalMinor), totalMinor);
    const live: { amountMinor: number; feesMinor: number }[] = [];
    const sum = (of: "amountMinor" | "feesMinor") => live.reduce((all, each) => all + each[of], 0);
    const paymentNow = () => ({
      status: "SUCCEEDED" as const,
      totalMinor,
      feesMinor,
      refundedMinor: sum("amountMinor"),
      refundedFeesMinor: sum("feesMinor"),
    });
    for (let i = 0; i < 30; i++) {
      if (live.length > 0 && random.below(3) === 0) {
        live.splice(random.below(live.length), 1);
        continue;
      }
      const share = computeShare(paymentNow(), between(1, Math.ceil(totalMinor / 3)));
      if (share) live.push(share);
    }
    const rest = computeShare(paymentNow(), null);
    if (rest) live.push(rest);
    for (const each of live) {
      expect(each.feesMinor).toBeGreaterThanOrEqual(0);
      expect(each.feesMinor).toBeLessThanOrEqual(each.amountMinor);
    }
    expect([sum("amountMinor"), sum("feesMinor")]).toEqual([totalMinor, feesMinor]);
  }
});

test("a payment has a bounded number of refunds, and each stays in its document", () => {
  const entries = Array.from({ length: 200 }, (_, i) => ({
    id: String(i),
    amountMinor: 1,
    feesMinor: 0,
  }));
  const now = (count: number) => ({
    status: "SUCCEEDED" as const,
    totalMinor: 2_500,
    feesMinor: 103,
    refundedMinor: count,
    refundedFeesMinor: 0,
    refunds: entries.slice(0, count),
  });
  expect(computeShare(now(199), 1)).toMatchObject({ amountMinor: 1 });
  expect(computeShare(now(200), 1)).toBeNull();
  // Returned refunds do not count.
  const givenBack = entries.map(({ id }) => ({ id, amountMinor: 0, feesMinor: 0 }));
  expect(computeShare({ ...now(0), refunds: givenBack }, 1)).toMatchObject({ amountMinor: 1 });
});
