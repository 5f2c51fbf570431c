// Payments at Stripe from the API on: captured, declined, confirmed with 3-D Secure, refunded, and
// decided after a death at every step. payrail's books and Stripe's agree each time.

import { randomUUID } from "node:crypto";
import { Stripe } from "stripe";
import type { Point } from "../../../services/payment-links/points.ts";
import { freezer } from "../../support/freezer.ts";
import { openPaymentBooks, type PaymentBooks } from "../../support/payments.ts";
import { openStripeBed, type StripeBed } from "../../support/stripe.ts";
import type { CardKind } from "../../support/stripe-books.ts";
import { until } from "../../support/system.ts";
import { OFTEN } from "../../support/turns.ts";
import {
  dataOf,
  startWorld,
  type TestBusiness,
  type TestLink,
  type World,
} from "../../support/world.ts";

const WEBHOOK_SECRET = "whsec_test";
const OUTCOME_WITHIN_MS = 3_000;

const { reached, freeze } = freezer<Point>();
let bed: StripeBed;
let world: World;
let books: PaymentBooks;
let business: TestBusiness;

beforeAll(async () => {
  process.env.STRIPE_WEBHOOK_SECRET = WEBHOOK_SECRET;
  bed = await openStripeBed();
  const acquirer = bed.open();
  const { clock } = bed;
  const instead = { acquirer, clock, reached, turns: OFTEN, outcomeWithinMs: OUTCOME_WITHIN_MS };
  world = await startWorld({ paymentLinksInstead: [instead] });
  books = await openPaymentBooks(world);
  business = await world.business();
});
beforeEach(() => {
  bed.clock.aheadMs = 0;
});
afterAll(async () => {
  delete process.env.STRIPE_WEBHOOK_SECRET;
  await world.verifyBooks();
  await books.close();
  await world.stop();
  await bed.close();
});

const newLink = () => world.paymentLink(business, { isOpenLink: false });
const payWith = (link: TestLink, kind: CardKind) => world.pay(link, bed.books.addCard(kind));
const intentOf = (id: string) =>
  [...bed.books.intents.values()].find(({ metadata }) => metadata.payrail_id === id);

async function balance(): Promise<string> {
  const path = `/v1/business/${business.id}/collection-accounts`;
  return dataOf(await world.http.get(path, { token: business.token }), 200)[0]?.balance ?? "0.00";
}

test("a card is charged once, credited, and refunded once", async () => {
  const { id, status } = dataOf(await payWith(await newLink(), "visa"), 200);
  expect([status, bed.captures(id)]).toEqual(["SUCCEEDED", 1]);
  const path = `/v1/business/${business.id}/payments/${id}/refunds`;
  const body = { amount: 10, reference: randomUUID() };
  const asked = { token: business.token };
  const refunds = await Promise.all([1, 2].map(() => world.http.post(path, body, asked)));
  const made = refunds.map((answer) => dataOf(answer, 201));
  expect(new Set(made.map((refund) => refund.id)).size).toBe(1);
  await until(async () => {
    const [refund] = dataOf(await world.http.get(path, asked), 200);
    return refund.status === "SUCCEEDED";
  });
  expect(bed.books.refunds.size).toBe(1);
});

test.each<[CardKind, string]>([
  ["declined", "Your card was declined."],
  ["poor", "Your card has insufficient funds."],
  ["expired", "Your card has expired."],
])("a %s card fails with its reason, and another one pays the link", async (kind, reason) => {
  const link = await newLink();
  const { id, ...failed } = dataOf(await payWith(link, kind), 200);
  expect(failed).toMatchObject({ status: "FAILED", reason });
  expect([bed.captures(id), intentOf(id)?.status]).toEqual([0, "canceled"]);
  expect(dataOf(await payWith(link, "visa"), 200).status).toBe("SUCCEEDED");
});

describe("a card whose issuer wants its holder", () => {
  async function begin() {
    const link = await newLink();
    const { id, action } = dataOf(await payWith(link, "secure"), 200);
    expect(action).toBe(intentOf(id)?.client_secret);
    const goOn = async () =>
      dataOf(await world.http.post(`/v1/checkout/${link.token}/payments/${id}/continue`, {}), 200);
    return { id, intent: intentOf(id)?.id as string, goOn };
  }

  test("is charged once it has confirmed", async () => {
    const before = Number(await balance());
    const { id, intent, goOn } = await begin();
    expect((await goOn()).status).toBe("PENDING");
    bed.books.finish(intent, true);
    expect((await goOn()).status).toBe("SUCCEEDED");
    expect(bed.captures(id)).toBe(1);
    expect(Number(await balance())).toBeGreaterThan(before);
  });

  test("is not charged if it refuses", async () => {
    const { id, intent, goOn } = await begin();
    bed.books.finish(intent, false);
    expect((await goOn()).status).toBe("FAILED");
    expect([bed.captures(id), intentOf(id)?.status]).toEqual([0, "canceled"]);
  });

  test("is found charged by Stripe's webhook if its holder does not come back", async () => {
    const { id, intent } = await begin();
    bed.books.finish(intent, true);
    const payload = JSON.stringify({
      id: "evt_1",
      object: "event",
      type: "payment_intent.succeeded",
      data: { object: intentOf(id) },
    });
    const timestamp = Math.floor(bed.clock.now() / 1_000);
    const secret = WEBHOOK_SECRET;
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
    const notify = (signed: string) =>
      world.http.request("POST", "/v1/acquirers/stripe/notifications", {
        raw: payload,
        headers: { "content-type": "application/json", "stripe-signature": signed },
      });
    expect((await notify("t=1,v1=00")).status).toBe(400);
    expect((await notify(signature)).status).toBe(200);
    expect((await notify(signature)).status).toBe(200);
    await books.ended(id);
    expect(await books.payments.findOne({ _id: id })).toMatchObject({ status: "SUCCEEDED" });
    expect(bed.captures(id)).toBe(1);
  });

  test("is never charged after its time is over", async () => {
    const { id, intent } = await begin();
    bed.clock.aheadMs += 16 * 60_000;
    await books.ended(id);
    bed.books.finish(intent, true);
    expect([bed.captures(id), intentOf(id)?.status]).toEqual([0, "canceled"]);
  });
});

const POINTS: Point[] = ["payment-inserted", "charge-answered", "collection-posted"];

test.each(POINTS)(
  "a payment whose process dies at %s is charged and credited alike",
  async (point) => {
    const link = await newLink();
    const frozen = freeze(point);
    const paying = payWith(link, "visa");
    await frozen.reached;
    bed.clock.aheadMs += 2 * OUTCOME_WITHIN_MS;
    const { id } = dataOf(await paying, 200);
    const { status } = await books.ended(id);
    expect([point, bed.captures(id)]).toEqual([point, status === "SUCCEEDED" ? 1 : 0]);
    frozen.release();
  },
);

test.each([
  ["the answer to the confirmation is lost", true, "cut"],
  ["Stripe answers 500 after the capture", true, { status: 500 }],
  ["the confirmation is lost", false, "cut"],
] as const)("if %s, the payment ends as Stripe's books say", async (_case, isExecuted, how) => {
  bed.misbehaveOnce("POST /v1/payment_intents/:id/confirm", isExecuted, how);
  const paying = payWith(await newLink(), "visa");
  await until(async () => [...bed.books.intents.values()].length > 0);
  const { id } = dataOf(await paying, 200);
  bed.clock.aheadMs += 2 * OUTCOME_WITHIN_MS;
  const { status } = await books.ended(id);
  expect(bed.captures(id)).toBe(status === "SUCCEEDED" ? 1 : 0);
});
