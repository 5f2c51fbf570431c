// Payments with an unknown outcome are never charged twice, never failed without the acquirer's answer
// and never lost, and they hold their link only until the outcome is known.

import { randomUUID } from "node:crypto";
import walletLedger from "../../../services/wallet-ledger/wallet-ledger.service.ts";
import { openPaymentBooks, type PaymentBooks, watchLink } from "../../support/payments.ts";
import { until } from "../../support/system.ts";
import {
  CAPTURED,
  DECLINED,
  startUnansweredPayments,
  UNKNOWN,
  type UnansweredPayments,
  VOIDED,
} from "../../support/unanswered.ts";
import { dataOf, startWorld, type TestLink, type World } from "../../support/world.ts";

const never = () => new Promise<never>(() => {});
const NOT_CHARGED = "The payment was not completed. Your card was not charged.";

let unanswered: UnansweredPayments;
let script: UnansweredPayments["script"];
let frozen: UnansweredPayments["frozen"];
let world: World;
let books: PaymentBooks;

beforeAll(async () => {
  unanswered = await startUnansweredPayments();
  ({ script, frozen, world, books } = unanswered);
});
beforeEach(() => unanswered.reset());
afterAll(() => unanswered.stop());

/** The payment as its customer sees it. */
async function stateOf({ token }: TestLink, id: string) {
  return dataOf(await world.http.get(`/v1/checkout/${token}/payments/${id}`), 200);
}

const BUSY = "Another payment of this link is under way";
const USED = "The payment link cannot be paid";

test("no answer in time is PENDING, the link held; found charged later it counts, once", async () => {
  const { link, balance, heard } = await watchLink(world);
  script.says.charge = never;
  const { id, ...pending } = dataOf(await world.pay(link, "card"), 200);
  expect(pending).toEqual({ status: "PENDING", redirectTo: null });
  await until(() => script.timesAsked("void", id) >= 2, { what: "it to be asked again" });
  expect(await stateOf(link, id)).toEqual({ id, ...pending });
  expect(await unanswered.payAgain(link)).toBe(BUSY);
  expect(await books.payments.findOne({ _id: id })).toMatchObject({
    step: "charge",
    holds: link.id,
    needsAttention: false,
  });

  script.says.void = async () => CAPTURED;
  await books.ended(id);
  expect(await stateOf(link, id)).toEqual({ id, status: "SUCCEEDED", redirectTo: null });
  expect(await unanswered.payAgain(link)).toBe(USED);
  expect(script.timesAsked("charge", id)).toBe(1);
  expect(await balance()).toBe("25.00");
  await until(() => heard().length > 0);
  expect(heard()).toEqual(["SUCCEEDED"]);
});

test.each([
  ["voided", VOIDED, NOT_CHARGED],
  ["declined", DECLINED, "Your card was declined."],
])("no answer in time, then %s: it fails and the link is free", async (_, word, reason) => {
  const { link, balance, heard } = await watchLink(world);
  script.says.charge = never;
  script.says.void = async () => word;
  const { id, status } = dataOf(await world.pay(link, "card"), 200);
  expect(status).toBe("PENDING");
  await books.ended(id);
  expect(await stateOf(link, id)).toEqual({ id, status: "FAILED", reason, redirectTo: null });
  expect(script.timesAsked("charge", id)).toBe(1);
  script.says.charge = async () => CAPTURED;
  expect(await unanswered.payAgain(link)).toBe("SUCCEEDED");
  expect(await balance()).toBe("25.00");
  await until(() => heard().length === 2);
  expect(new Set(heard())).toEqual(new Set(["FAILED", "SUCCEEDED"]));
});

test.each([
  ["an error", () => Promise.reject(new Error("connection reset"))],
  ["unknown", async () => UNKNOWN],
  ["a word that is none", async () => ({ kind: "paid" }) as never],
  ["a decline without a code", async () => ({ kind: "declined" }) as never],
  ["a duplicate", async () => ({ kind: "declined", code: "duplicate" }) as const],
  ["voided", async () => VOIDED as never],
  ["nothing", async () => undefined as never],
])(
  "the charge is answered with %s: a void decides, while its customer waits",
  async (_, answer) => {
    const { link } = await watchLink(world);
    script.says.charge = answer;
    script.says.void = async () => CAPTURED;
    const { id, status } = dataOf(await world.pay(link, "card"), 200);
    expect(status).toBe("SUCCEEDED");
    expect([script.timesAsked("charge", id), script.timesAsked("void", id)]).toEqual([1, 1]);
  },
);

test.each([
  ["captured", CAPTURED, VOIDED, "FAILED", "0.00"],
  ["declined", DECLINED, CAPTURED, "SUCCEEDED", "25.00"],
])(
  "a charge that answers %s too late only flags the payment, because the void decided",
  async (_, late, word, end, credited) => {
    const { link, balance, heard } = await watchLink(world);
    const answered = Promise.withResolvers<typeof late>();
    script.says.charge = () => answered.promise;
    script.says.void = async () => word;
    const { id } = dataOf(await world.pay(link, "card"), 200);
    expect((await books.ended(id)).needsAttention).toBe(false);
    answered.resolve(late);
    const flagged = () => books.payments.findOne({ _id: id, needsAttention: true });
    const { status, step, contradicted } = await until(flagged, { what: "the flag" });
    expect({ status, step, contradicted }).toEqual({
      status: end,
      step: "closed",
      contradicted: late.kind,
    });
    await until(() => heard().length > 0);
    expect(await balance()).toBe(credited);
    expect(heard()).toEqual([end]);
  },
);

test("the ledger is away while it is captured: asked on, never failed, credited once it is back", async () => {
  const { link, balance, heard } = await watchLink(world);
  const { reached, release } = frozen.freeze("charge-answered");
  const paying = world.pay(link, "card");
  const id = await reached;
  await world.broker.destroyService("wallet-ledger");
  release();
  expect(dataOf(await paying, 200)).toEqual({ id, status: "PENDING", redirectTo: null });
  const unknownSince = async () => (await books.payments.findOne({ _id: id }))?.unknownSince;
  await until(unknownSince, { what: "it to be asked again" });
  expect(await books.payments.findOne({ _id: id })).toMatchObject({ step: "post", holds: link.id });
  expect(heard()).toEqual([]);
  world.broker.createService(walletLedger(world.config));
  await world.broker.waitForServices("wallet-ledger", 10_000);
  await books.ended(id);
  expect(await stateOf(link, id)).toEqual({ id, status: "SUCCEEDED", redirectTo: null });
  expect(await balance()).toBe("25.00");
  await until(() => heard().length > 0);
  expect(heard()).toEqual(["SUCCEEDED"]);
});

test("what the ledger has not taken for a day is flagged, not failed, and credited once a person has helped", async () => {
  const { business, link, balance } = await watchLink(world);
  const right = (await books.links.findOne({ _id: link.id }))?.collectionAccountId as string;
  const wrong = { collectionAccountId: randomUUID() };
  await books.links.updateOne({ _id: link.id }, { $set: wrong });
  const { id, status } = dataOf(await world.pay(link, "card"), 200);
  expect(status).toBe("PENDING");
  const isAsked = { _id: id, unknownSince: { $exists: true } };
  await until(() => books.payments.findOne(isAsked), { what: "the ledger to be asked" });
  const yesterday = { unknownSince: Date.now() - 25 * 3_600_000, nextAttemptAt: 0 };
  // A driver that is at it now loses, as it does to every change.
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

test("the vault is away: nothing is stored, nobody is charged", async () => {
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

test("the sandbox's silent card, and no acquirer at all", async () => {
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
