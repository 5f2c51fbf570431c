// Payments with an unknown outcome: none is charged twice, none fails without the acquirer's
// answer, none is lost, and each holds its link until the outcome is known.

import { randomUUID } from "node:crypto";
import walletLedger from "../../../services/wallet-ledger/wallet-ledger.service.ts";
import { type PaymentBooks, watchLink } from "../../support/payments.ts";
import { until } from "../../support/system.ts";
import {
  CAPTURED,
  DECLINED,
  UNKNOWN,
  unansweredPayments,
  VOIDED,
} from "../../support/unanswered.ts";
import { dataOf, type TestLink, type World } from "../../support/world.ts";

const NOT_CHARGED = "The payment was not completed. Your card was not charged.";

const unanswered = unansweredPayments();
const { script, frozen, clock } = unanswered;
let world: World;
let books: PaymentBooks;

beforeAll(async () => {
  ({ world, books } = await unanswered.start());
});
beforeEach(() => unanswered.reset());
afterAll(() => unanswered.stop());

/** The payment as its customer sees it. */
async function stateOf({ token }: TestLink, id: string) {
  return dataOf(await world.http.get(`/v1/checkout/${token}/payments/${id}`), 200);
}

const BUSY = "Another payment of this link is under way";
const USED = "The payment link cannot be paid";

test("a payment without an answer in time holds its link, and is credited once", async () => {
  const { link, balance, received } = await watchLink(world);
  const { id, ...pending } = dataOf(await unanswered.payTooLong(link), 200);
  expect(pending).toEqual({ status: "PENDING", redirectTo: null });
  const isVoidedAgain = () => script.timesAsked("void", id) >= 2;
  await clock.passDuring(until(isVoidedAgain, { awaited: "a second void" }));
  expect(await stateOf(link, id)).toEqual({ id, ...pending });
  expect(await unanswered.payAgain(link)).toBe(BUSY);
  expect(await books.payments.findOne({ _id: id })).toMatchObject({
    step: "charge",
    holds: link.id,
    needsAttention: false,
  });

  script.answers.void = async () => CAPTURED;
  await clock.passDuring(books.ended(id));
  expect(await stateOf(link, id)).toMatchObject({ id, status: "SUCCEEDED", redirectTo: null });
  expect(await unanswered.payAgain(link)).toBe(USED);
  expect(script.timesAsked("charge", id)).toBe(1);
  expect(await balance()).toBe("25.00");
  await until(() => received().length > 0);
  expect(received()).toEqual(["SUCCEEDED"]);
});

test.each([
  ["voided", VOIDED, NOT_CHARGED],
  ["declined", DECLINED, "Your card was declined."],
])(
  "a payment without an answer in time that a void finds %s fails and frees its link",
  async (_, voidAnswer, reason) => {
    const { link, balance, received } = await watchLink(world);
    script.answers.void = async () => voidAnswer;
    const { id, status } = dataOf(await unanswered.payTooLong(link), 200);
    expect(status).toBe("PENDING");
    await books.ended(id);
    expect(await stateOf(link, id)).toEqual({ id, status: "FAILED", reason, redirectTo: null });
    expect(script.timesAsked("charge", id)).toBe(1);
    script.answers.charge = async () => CAPTURED;
    expect(await unanswered.payAgain(link)).toBe("SUCCEEDED");
    expect(await balance()).toBe("25.00");
    await until(() => received().length === 2);
    expect(new Set(received())).toEqual(new Set(["FAILED", "SUCCEEDED"]));
  },
);

test.each([
  ["an error", () => Promise.reject(new Error("connection reset"))],
  ["unknown", async () => UNKNOWN],
  ["an undefined kind", async () => ({ kind: "paid" }) as never],
  ["a decline without a code", async () => ({ kind: "declined" }) as never],
  ["a duplicate", async () => ({ kind: "declined", code: "duplicate" }) as const],
  ["voided", async () => VOIDED as never],
  ["nothing", async () => undefined as never],
])("after the charge answer `%s` a void decides while the customer waits", async (_, answer) => {
  const { link } = await watchLink(world);
  script.answers.charge = answer;
  script.answers.void = async () => CAPTURED;
  const { id, status } = dataOf(await world.pay(link, "card"), 200);
  expect(status).toBe("SUCCEEDED");
  expect([script.timesAsked("charge", id), script.timesAsked("void", id)]).toEqual([1, 1]);
});

test("a captured payment is credited after the ledger returns, and never fails", async () => {
  const { link, balance, received } = await watchLink(world);
  const { reached, release } = frozen.freeze("charge-answered");
  const paying = world.pay(link, "card");
  const id = await reached;
  await world.broker.destroyService("wallet-ledger");
  release();
  const unknownSince = async () => (await books.payments.findOne({ _id: id }))?.unknownSince;
  await until(unknownSince, { awaited: "a posting without an answer" });
  unanswered.endWaits();
  expect(dataOf(await paying, 200)).toEqual({ id, status: "PENDING", redirectTo: null });
  expect(await books.payments.findOne({ _id: id })).toMatchObject({ step: "post", holds: link.id });
  expect(received()).toEqual([]);
  world.broker.createService(walletLedger(world.config));
  await world.broker.waitForServices("wallet-ledger", 60_000, 20);
  await clock.passDuring(books.ended(id));
  expect(await stateOf(link, id)).toMatchObject({ id, status: "SUCCEEDED", redirectTo: null });
  expect(await balance()).toBe("25.00");
  await until(() => received().length > 0);
  expect(received()).toEqual(["SUCCEEDED"]);
});

test("a voided payment fails after the ledger returns, because it may be posted", async () => {
  const { link, balance, received } = await watchLink(world);
  script.answers.void = async () => VOIDED;
  await world.broker.destroyService("wallet-ledger");
  const { id, status } = dataOf(await unanswered.payTooLong(link), 200);
  expect(status).toBe("PENDING");
  const isAsked = { _id: id, unknownSince: { $exists: true } };
  await until(() => books.payments.findOne(isAsked), { awaited: "a void" });
  expect(await books.payments.findOne({ _id: id })).toMatchObject({ step: "charge" });
  world.broker.createService(walletLedger(world.config));
  await world.broker.waitForServices("wallet-ledger", 60_000, 20);
  await clock.passDuring(books.ended(id));
  expect(await stateOf(link, id)).toMatchObject({ status: "FAILED", reason: NOT_CHARGED });
  await until(() => received().length > 0);
  expect([received(), await balance()]).toEqual([["FAILED"], "0.00"]);
});

test("a payment without a posting for a day is flagged, and credited after a repair", async () => {
  const { business, link, balance } = await watchLink(world);
  const right = (await books.links.findOne({ _id: link.id }))?.collectionAccountId as string;
  const wrong = { collectionAccountId: randomUUID() };
  await books.links.updateOne({ _id: link.id }, { $set: wrong });
  const { id, status } = dataOf(await unanswered.payUnknown(link), 200);
  expect(status).toBe("PENDING");
  const yesterday = { unknownSince: Date.now() - 25 * 3_600_000, nextAttemptAt: 0 };
  // The new version makes a driver that works on the payment lose, as every change does.
  await books.payments.updateOne({ _id: id }, { $set: yesterday, $inc: { v: 1 } });
  const path = `/v1/business/${business.id}/transactions?needsAttention=true`;
  const flagged = await until(async () => {
    const found = dataOf(await world.http.get(path, { token: business.token }), 200);
    return found.length > 0 && found;
  });
  expect(flagged).toMatchObject([{ id, status: "PENDING", needsAttention: true }]);
  expect(await unanswered.payAgain(link)).toBe(BUSY);
  const set = { collectionAccountId: right };
  await books.links.updateOne({ _id: link.id }, { $set: set });
  await books.payments.updateOne(
    { _id: id },
    { $set: { ...set, nextAttemptAt: 0 }, $inc: { v: 1 } },
  );
  expect(await books.ended(id)).toMatchObject({ status: "SUCCEEDED", needsAttention: false });
  expect(await balance()).toBe("25.00");
});

test("without the vault a payment is a 503, and neither stored nor charged", async () => {
  const { link } = await watchLink(world);
  const { tokenInfo } = script.acquirer;
  script.acquirer.tokenInfo = () => Promise.reject(new Error("connection refused"));
  const refused = await world.pay(link, "card");
  expect([refused.status, refused.body.message]).toEqual([
    503,
    "Temporarily unavailable. Please try again.",
  ]);
  script.acquirer.tokenInfo = tokenInfo;
  expect(await books.payments.countDocuments({ linkId: link.id })).toBe(0);
  expect(await unanswered.payAgain(link)).toBe("SUCCEEDED");
});
