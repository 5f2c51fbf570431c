// A payment is charged once: with an Idempotency-Key for any number of requests, and on a closed
// link for any number of customers. A customer with too many declined cards is limited.

import { randomUUID } from "node:crypto";
import type { Payment } from "../../../services/payment-links/payments/payment.model.ts";
import { openPaymentBooks, type PaymentBooks, scriptedAcquirer } from "../../support/payments.ts";
import { until } from "../../support/system.ts";
import { dataOf, startWorld, type TestLink, type World } from "../../support/world.ts";

let world: World;
let books: PaymentBooks;

beforeAll(async () => {
  world = await startWorld({ environment: { TRUST_PROXY: "127.0.0.1" } });
  books = await openPaymentBooks(world);
});

afterAll(async () => {
  await world.verifyBooks();
  await books.close();
  await world.stop();
});

const keyed = (key: string) => ({ "Idempotency-Key": key });

async function payments({ id: linkId }: TestLink) {
  return books.payments.find({ linkId }).toArray();
}

/** The number of charged cards of a link. */
async function chargesOf(link: TestLink): Promise<number> {
  const ids = (await payments(link)).map(({ _id }) => _id);
  const charged = books.charges.find({ _id: { $in: ids }, declined: { $exists: false } });
  return (await charged.toArray()).reduce((sum, { charges }) => sum + charges, 0);
}

test("two clicks with one key charge once, and both get the same payment", async () => {
  const link = await world.paymentLink(await world.business());
  const card = await world.cardToken();
  const key = randomUUID();
  const both = await Promise.all([
    world.pay(link, card, {}, keyed(key)),
    world.pay(link, card, {}, keyed(key)),
  ]);
  const statuses = both.map(({ status }) => status).toSorted((a, b) => a - b);
  expect([
    [200, 200],
    [200, 409],
  ]).toContainEqual(statuses);
  for (const { status, body } of both) {
    if (status === 409) {
      expect(body.message).toBe("A request with this Idempotency-Key is under way");
    }
  }
  const again = dataOf(await world.pay(link, card, {}, keyed(key)), 200);
  expect(again.status).toBe("SUCCEEDED");
  for (const { status, body } of both) if (status === 200) expect(body.data).toEqual(again);
  expect((await payments(link)).map(({ _id }) => _id)).toEqual([again.id]);
  expect(await chargesOf(link)).toBe(1);
});

test("the same key with another body is refused, and is free on another link", async () => {
  const business = await world.business();
  const link = await world.paymentLink(business);
  const card = await world.cardToken("0002");
  const key = `"${randomUUID()}"`;
  const first = dataOf(
    await world.pay(link, card, { fields: { a: "1", b: "2" } }, keyed(key)),
    200,
  );
  const customer = {
    email: "grace@example.com",
    firstName: "Grace",
    lastName: "Hopper",
    phone: "+1 555 0101",
  };
  for (const body of [
    { customer },
    { fields: { a: "2", b: "1" } },
    {},
    { paymentMethod: { type: "card", token: await world.cardToken() } },
  ]) {
    const { status, body: refusal } = await world.pay(link, card, body, keyed(key));
    expect([status, refusal.message]).toEqual([
      422,
      "The Idempotency-Key was used with another body",
    ]);
  }
  // The order of the fields does not matter.
  const same = await world.pay(link, card, { fields: { b: "2", a: "1" } }, keyed(key));
  expect(dataOf(same, 200)).toEqual(first);
  const elsewhere = await world.paymentLink(business);
  const other = dataOf(await world.pay(elsewhere, card, {}, keyed(key)), 200);
  expect(other.id).not.toBe(first.id);
  expect(await payments(link)).toHaveLength(1);
});

test("a repeat is answered after the link is used, and a day later the key is free", async () => {
  const link = await world.paymentLink(await world.business(), { isOpenLink: false });
  const card = await world.cardToken();
  const key = randomUUID();
  const paid = dataOf(await world.pay(link, card, {}, keyed(key)), 200);
  expect(dataOf(await world.pay(link, card, {}, keyed(key)), 200)).toEqual(paid);

  const open = await world.paymentLink(await world.business());
  const declining = await world.cardToken("0002");
  const { id } = dataOf(await world.pay(open, declining, {}, keyed(key)), 200);
  await until(() => books.payments.findOne({ _id: id, nextAttemptAt: { $exists: false } }));
  // Makes the payment a day old; its id has the time of its creation.
  const { idempotencyKey, ...rest } = (await books.payments.findOneAndDelete({
    _id: id,
  })) as Payment;
  const dayOld = `0198c0de${id.slice(8)}`;
  await books.payments.insertOne({ ...rest, idempotencyKey, _id: dayOld });
  const fresh = dataOf(await world.pay(open, card, {}, keyed(key)), 200);
  expect([fresh.id === dayOld, fresh.status]).toEqual([false, "SUCCEEDED"]);
  expect((await books.payments.findOne({ _id: dayOld }))?.idempotencyKey).toBeUndefined();
  expect(dataOf(await world.pay(open, card, {}, keyed(key)), 200)).toEqual(fresh);
  await books.payments.deleteOne({ _id: dayOld });
  await books.payments.insertOne(rest);
});

test("the key of a payment that is PENDING after a day is not free", async () => {
  const script = scriptedAcquirer();
  const slow = await startWorld({
    paymentLinksInstead: [{ acquirer: script.acquirer, outcomeWithinMs: 1_000 }],
  });
  const state = await openPaymentBooks(slow);
  try {
    const link = await slow.paymentLink(await slow.business());
    const { id } = dataOf(await slow.pay(link, "card", {}, keyed("a-day")), 200);
    const { _id, ...rest } = (await state.payments.findOneAndDelete({ _id: id })) as Payment;
    const dayOld = `0198c0de${_id.slice(8)}`;
    await state.payments.insertOne({ ...rest, _id: dayOld });
    const again = dataOf(await slow.pay(link, "card", {}, keyed("a-day")), 200);
    expect(again).toMatchObject({ id: dayOld, status: "PENDING" });
    expect(await state.payments.countDocuments({ linkId: link.id })).toBe(1);
  } finally {
    await state.close();
    await slow.stop();
  }
});

test.each(["", "two words", "ä", "x".repeat(256)])("%j is not a valid key", async (key) => {
  const link = await world.paymentLink(await world.business());
  const { status, body } = await world.pay(
    link,
    await world.cardToken(),
    {},
    {
      "Idempotency-Key": Buffer.from(key).toString("latin1"),
    },
  );
  expect([status, body.message]).toEqual([
    400,
    "idempotencyKey must be 1 to 255 visible ASCII characters",
  ]);
  expect(await payments(link)).toEqual([]);
});

test("of two concurrent customers of a closed link one is charged", async () => {
  const business = await world.business();
  const card = await world.cardToken();
  const refusals = ["Another payment of this link is under way", "The payment link cannot be paid"];
  for (let round = 0; round < 20; round++) {
    const link = await world.paymentLink(business, { isOpenLink: false });
    const answers = await Promise.all([
      world.pay(link, card, {}, keyed(randomUUID())),
      world.pay(link, card),
      world.pay(link, card),
    ]);
    const [paid, ...others] = answers.toSorted((a, b) => a.status - b.status);
    expect([round, paid?.status, paid?.body.data?.status]).toEqual([round, 200, "SUCCEEDED"]);
    for (const { status, body } of others) {
      expect([round, status]).toEqual([round, 409]);
      expect(refusals).toContain(body.message);
    }
    expect((await payments(link)).map(({ _id }) => _id)).toEqual([paid?.body.data.id]);
    expect([round, await chargesOf(link)]).toEqual([round, 1]);
  }
});

test("declined and other customers race on a closed link: it is charged exactly once", async () => {
  const business = await world.business();
  const [good, bad] = [await world.cardToken(), await world.cardToken("0002")];
  for (let round = 0; round < 10; round++) {
    const link = await world.paymentLink(business, { isOpenLink: false });
    await Promise.all([bad, good, bad, good].map((card) => world.pay(link, card)));
    expect([200, 409]).toContain((await world.pay(link, good)).status);
    expect([round, await chargesOf(link)]).toEqual([round, 1]);
    const held = (await payments(link)).filter(({ holds }) => holds !== undefined);
    expect(held.map(({ status }) => status)).toEqual(["SUCCEEDED"]);
  }
});

test("after ten declines of a link and address a payment is a 429", async () => {
  const business = await world.business();
  const link = await world.paymentLink(business);
  const other = await world.paymentLink(business);
  const [bad, good] = [await world.cardToken("0002"), await world.cardToken()];
  const from = (address: string) => ({ "X-Forwarded-For": address });
  const mine = { ...from("192.0.2.1"), ...keyed("mine") };
  const paid = dataOf(await world.pay(link, good, {}, mine), 200);
  for (let i = 0; i < 10; i++) {
    const answer = await world.pay(link, bad, {}, from("192.0.2.1"));
    expect([i, answer.status, answer.body.data?.status]).toEqual([i, 200, "FAILED"]);
  }
  const refused = await world.pay(link, good, {}, from("192.0.2.1"));
  expect([refused.status, refused.body.message]).toEqual([429, "Too many requests"]);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(500);
  expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(600);
  expect(dataOf(await world.pay(link, good, {}, from("192.0.2.2")), 200).status).toBe("SUCCEEDED");
  expect(dataOf(await world.pay(other, good, {}, from("192.0.2.1")), 200).status).toBe("SUCCEEDED");
  // A repeat of an accepted request is answered.
  expect(dataOf(await world.pay(link, good, {}, mine), 200)).toEqual(paid);
  // The payment does not contain the address.
  const [one] = await payments(link);
  expect(JSON.stringify(one)).not.toContain("192.0.2");
});

test("a burst of cards from one address is limited before the first decline", async () => {
  const link = await world.paymentLink(await world.business());
  const bad = await world.cardToken("0002");
  const burst = await Promise.all(Array.from({ length: 120 }, () => world.pay(link, bad)));
  const refused = burst.filter(({ status }) => status === 429);
  expect(refused.every(({ headers }) => headers["retry-after"] !== undefined)).toBe(true);
  const charged = await payments(link);
  expect(charged.length + refused.length).toBe(120);
  expect(refused.length).toBeGreaterThan(0);
});

test("before the acquirer's answer the key is running and the closed link is busy", async () => {
  const script = scriptedAcquirer();
  const slow = await startWorld({ paymentLinksInstead: [{ acquirer: script.acquirer }] });
  try {
    const answered = Promise.withResolvers<{ kind: "captured" }>();
    script.answers.charge = () => answered.promise;
    const link = await slow.paymentLink(await slow.business(), { isOpenLink: false });
    const waiting = slow.pay(link, "card", {}, keyed("one"));
    const state = await openPaymentBooks(slow);
    await until(() => state.payments.findOne({ linkId: link.id }), { awaited: "the insert" });
    const messages = async (headers: Record<string, string>) => {
      const { status, body } = await slow.pay(link, "card", {}, headers);
      return [status, body.message];
    };
    expect(await messages(keyed("one"))).toEqual([
      409,
      "A request with this Idempotency-Key is under way",
    ]);
    expect(await messages(keyed("two"))).toEqual([
      409,
      "Another payment of this link is under way",
    ]);
    expect(await messages({})).toEqual([409, "Another payment of this link is under way"]);
    answered.resolve({ kind: "captured" });
    const paid = dataOf(await waiting, 200);
    expect(paid.status).toBe("SUCCEEDED");
    expect(dataOf(await slow.pay(link, "card", {}, keyed("one")), 200)).toEqual(paid);
    expect(await messages(keyed("two"))).toEqual([409, "The payment link cannot be paid"]);
    expect(script.timesAsked("charge", paid.id)).toBe(1);
    await state.close();
    await slow.verifyBooks();
  } finally {
    await slow.stop();
  }
});
