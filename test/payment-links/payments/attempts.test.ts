// Attempts that a client has lost: it finds them by their Idempotency-Key, or, without a key,
// payrail remembers its customer (`once`). Either way the customer pays once.

import { randomUUID } from "node:crypto";
import { REMEMBERED_MS } from "../../../services/payment-links/payments/payment-claims.ts";
import type { PaymentBooks } from "../../support/payments.ts";
import {
  CAPTURED,
  DECLINED,
  UNKNOWN,
  unansweredPayments,
  VOIDED,
} from "../../support/unanswered.ts";
import { dataOf, startWorld, type TestLink, type World } from "../../support/world.ts";

const ada = { email: "ada@example.com", firstName: "Ada", lastName: "L", phone: "+1 555 0100" };
const keyed = (key: string) => ({ "idempotency-key": key });

describe("an attempt by its key", () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.stop());

  const attempt = (link: { token: string }, key: string) =>
    world.http.get(`/v1/checkout/${link.token}/attempts/${encodeURIComponent(key)}`);

  test("has the payment that it made, as the payment is now", async () => {
    const link = await world.paymentLink(await world.business());
    const key = `"${randomUUID()}"/?%`;
    const paid = dataOf(await world.pay(link, await world.cardToken(), {}, keyed(key)), 200);
    expect(dataOf(await attempt(link, key), 200)).toEqual({ payment: paid });
    expect(JSON.stringify((await attempt(link, key)).body)).not.toContain("ada@");
  });

  test("is not found by a key that can be guessed", async () => {
    const link = await world.paymentLink(await world.business());
    const key = "order-1042".padEnd(31, "0");
    expect((await world.pay(link, await world.cardToken(), {}, keyed(key))).status).toBe(200);
    const { status, body } = await attempt(link, key);
    expect([status, body.message]).toEqual([400, expect.stringContaining("32 to 255")]);
    await world.pay(link, await world.cardToken(), {}, keyed(`${key}0`));
    expect((await attempt(link, `${key}0`)).status).toBe(200);
  });

  test("has the subscription, or the card, that it saved", async () => {
    const business = await world.business();
    const link = await world.recurringLink(business);
    const key = randomUUID();
    const made = dataOf(await world.setup(link, await world.cardToken(), {}, keyed(key)), 200);
    expect(dataOf(await attempt(link, key), 200)).toEqual({ setup: made });
    const other = await world.toSubscription(business, made.subscriptionId, "payment-method-link");
    const token = dataOf(other, 201).url.split("/").at(-1) as string;
    expect((await attempt({ token }, key)).status).toBe(404);
    const saved = await world.setup({ token }, await world.cardToken(), {}, keyed(key));
    expect(dataOf(await attempt({ token }, key), 200)).toEqual({ setup: dataOf(saved, 200) });
  });

  test("is unknown with another key, at another link, and if it made nothing", async () => {
    const business = await world.business();
    const link = await world.paymentLink(business);
    const key = randomUUID();
    await world.pay(link, "no such token", {}, keyed(key));
    expect((await attempt(link, key)).body).toMatchObject({ code: "attempt_not_found" });
    await world.pay(link, await world.cardToken(), {}, keyed(key));
    expect((await attempt(link, randomUUID())).status).toBe(404);
    expect((await attempt(await world.paymentLink(business), key)).status).toBe(404);
    const nowhere = await attempt({ token: "nowhere" }, key);
    expect(nowhere.body).toMatchObject({ code: "payment_link_not_found" });
  });

  test("a further subscription with `once` is refused for the same customer only", async () => {
    const link = await world.recurringLink(await world.business());
    const card = await world.cardToken();
    const setUp = (body: object) => world.setup(link, card, { once: true, ...body });
    expect((await setUp({ customer: ada })).status).toBe(200);
    const again = await setUp({ customer: { ...ada, email: "ADA@Example.com" } });
    expect(again.body).toMatchObject({ code: "payment_link_used_recently" });
    expect((await setUp({ customer: { ...ada, email: "grace@example.com" } })).status).toBe(200);
    expect((await setUp({ customer: ada, once: false })).status).toBe(200);
  });
});

describe("a payment with `once` at an open link", () => {
  const unanswered = unansweredPayments();
  const { script } = unanswered;
  let world: World;
  let books: PaymentBooks;

  beforeAll(async () => {
    ({ world, books } = await unanswered.start());
  });
  beforeEach(() => unanswered.reset());
  afterAll(async () => {
    await world.verifyBooks();
    await unanswered.stop();
  });

  const openLink = async () => world.paymentLink(await world.business());
  const pay = (link: TestLink, body: object = {}) =>
    world.pay(link, "card", { customer: ada, once: true, ...body });
  const charges = async ({ id: linkId }: TestLink) => {
    const payments = await books.payments.find({ linkId }).toArray();
    return payments.reduce((sum, { _id }) => sum + script.timesAsked("charge", _id), 0);
  };

  /** Leaves the customer's first payment without an outcome. */
  async function leaveUnknown(link: TestLink): Promise<string> {
    script.answers.charge = async () => UNKNOWN;
    script.answers.void = async () => UNKNOWN;
    const first = pay(link);
    unanswered.endWaits();
    const { id, status } = dataOf(await first, 200);
    expect(status).toBe("PENDING");
    return id;
  }

  test("of two at the same time charges one", async () => {
    const link = await openLink();
    const answers = await Promise.all([pay(link), pay(link), pay(link)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(await charges(link)).toBe(1);
  });

  test("is refused while an earlier one has no outcome, and names it", async () => {
    const link = await openLink();
    const id = await leaveUnknown(link);
    const customer = { ...ada, email: "ADA@EXAMPLE.COM", phone: "+1 555 0199" };
    const { status, body } = await pay(link, { customer });
    expect([status, body.code, body.data]).toEqual([409, "payment_link_busy", { id }]);
    expect(await charges(link)).toBe(1);
    // Other customers, and other links, are free.
    script.answers.charge = async () => CAPTURED;
    const grace = { ...ada, email: "grace@example.com" };
    expect((await pay(link, { customer: grace })).body.data.status).toBe("SUCCEEDED");
    expect((await pay(await openLink())).body.data.status).toBe("SUCCEEDED");
    script.answers.void = async () => VOIDED;
    await books.ended(id);
    expect((await pay(link)).body.data.status).toBe("SUCCEEDED");
  });

  test("names no payment to another network address", async () => {
    const link = await openLink();
    const id = await leaveUnknown(link);
    await books.payments.updateOne({ _id: id }, { $set: { address: "elsewhere" } });
    const { status, body } = await pay(link);
    expect([status, body.data]).toEqual([409, undefined]);
  });

  test("is refused for ten minutes after a success, unless it is meant", async () => {
    const link = await openLink();
    const { id } = dataOf(await pay(link), 200);
    const again = await pay(link);
    expect([again.status, again.body.code]).toEqual([409, "payment_link_used_recently"]);
    expect(again.body.data).toEqual({ id });
    expect((await pay(link, { once: false })).body.data.status).toBe("SUCCEEDED");
    const paid = await books.ended(id);
    const endedAt = (at: number) =>
      books.payments.updateOne({ _id: id }, { $set: { "states.0.at": at } });
    const { at = 0 } = paid.states[0] ?? {};
    await endedAt(at - REMEMBERED_MS);
    expect((await pay(link)).body.data.status).toBe("SUCCEEDED");
    await endedAt(at);
  });

  test("is free after a decline", async () => {
    const link = await openLink();
    script.answers.charge = async () => DECLINED;
    expect((await pay(link)).body.data.status).toBe("FAILED");
    script.answers.charge = async () => CAPTURED;
    expect((await pay(link)).body.data.status).toBe("SUCCEEDED");
  });
});
