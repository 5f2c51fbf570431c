// Verification beside paying customers, refunding merchants, billed subscriptions and transfers to
// the business's wallet: unfinished work is pending, not wrong.

import mongoose from "mongoose";
import { BILLING_POINTS, type Point } from "../../../services/payment-links/points.ts";
import { creationTime } from "../../../shared/ids.ts";
import { verify } from "../../../tools/verify/verify.ts";
import { freezer } from "../../support/freezer.ts";
import { until } from "../../support/system.ts";
import { type Random, seeded } from "../../support/traffic.ts";
import { UNSENT } from "../../support/unsent.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../../support/world.ts";

let world: World;
let connection: mongoose.Connection;
let business: TestBusiness;
let accountId: string;
let walletId: string;
const { reached, freeze } = freezer<Point>();

beforeAll(async () => {
  world = await startWorld({ paymentLinksInstead: [{ reached }] });
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  business = await world.business();
  accountId = await world.collectionAccount(business);
  walletId = (await world.wallet(business, business)).id;
});

afterAll(async () => {
  await world?.verifyBooks();
  await connection?.close();
  await world?.stop();
});

async function expectRight(): Promise<void> {
  expect(await verify(connection)).toMatchObject({ ok: true, violations: [] });
}

test.each<[Point, string]>([
  ["payment-inserted", "4242"],
  ["charge-answered", "4242"],
  ["charge-answered", "0002"],
  ["collection-posted", "4242"],
  ["payment-published", "4242"],
  ["payment-published", "0002"],
])("a payment that is frozen at %s (%s) is no violation", async (point, lastFour) => {
  const link = await world.paymentLink(business, { isOpenLink: false, notifyPayee: true });
  const card = await world.cardToken(lastFour);
  // The first document at the point is frozen, so no other one may be moving.
  const isMoving = UNSENT;
  await until(async () => (await connection.collection("payments").countDocuments(isMoving)) === 0);
  const frozen = freeze(point);
  const answer = world.pay(link, card);
  const id = await frozen.reached;
  // The payment must be older than the verification.
  await until(() => Date.now() > creationTime(id));
  await expectRight();
  frozen.release();
  dataOf(await answer, 200);
  await expectRight();
});

test.each(["4242", "0002"])(
  "subscriptions (%s) that are frozen at each point are no violation",
  async (lastFour) => {
    const owner = await world.business();
    await world.subscription(owner, { recurringCharge: { type: "consumption" } }, lastFour);
    for (const [i, point] of BILLING_POINTS.entries()) {
      // The event of the creation is sent before the billing.
      const frozen = freeze(point);
      const month = String(i + 1).padStart(2, "0");
      const startDate = `2030-${month}-01T00:00:00.000Z`;
      await world.subscription(owner, { recurringCharge: { startDate } }, lastFour);
      const moved = world.testClock(owner, startDate);
      const id = await frozen.reached;
      await until(() => Date.now() > creationTime(id));
      await expectRight();
      frozen.release();
      await moved;
      await expectRight();
    }
  },
);

const LOOKS_AT_LEAST = 40;
const CALLERS = 5;

test("many verifications during payments, refunds and transfers with every outcome find no violation", async () => {
  const random = seeded();
  const billOn = await billed(random);
  const count = (name: string, filter = {}) => connection.collection(name).countDocuments(filter);
  const isEnough = async (looks: number) =>
    looks >= LOOKS_AT_LEAST && (await count("invoices", { status: "void" })) > 0;
  for (let looks = 0; !(await isEnough(looks)); looks++) {
    // One turn of each lasts longer than a look. Without an end they would make ever longer looks.
    const callers = Array.from({ length: CALLERS }, () => oneMore(random));
    await Promise.all([expectRight(), billOn(), ...callers]);
  }
  // Every possible outcome has occurred.
  for (const [name, ...filters] of [
    ["payments", { status: "SUCCEEDED" }, { status: "FAILED" }],
    ["payment_refunds", { status: "SUCCEEDED" }, { status: "FAILED" }],
    ["ledger_transfers", { status: "SUCCESS" }, { status: "FAILED" }],
    ["subscriptions", { status: "active" }, { status: "cancelled" }],
    ["invoices", { status: "paid" }, { status: "void" }],
  ] as const) {
    for (const filter of filters) {
      expect([name, filter, (await count(name, filter)) > 0]).toEqual([name, filter, true]);
    }
  }
});

/**
 * Two customers race for a link; the payment may be refunded; the collected money is transferred.
 */
async function oneMore(random: Random): Promise<void> {
  const { token } = business;
  const path = `/v1/business/${business.id}`;
  const reference = () => String(random.below(2 ** 31));
  const link = await world.paymentLink(business, { isOpenLink: random.below(2) === 0 });
  const cards = [random.oneOf(["4242", "5126", "0002"]), "4242"];
  const answers = await Promise.all(
    cards.map(async (lastFour) => world.pay(link, await world.cardToken(lastFour))),
  );
  for (const { status, body } of answers) {
    if (status !== 200 || random.below(3) === 0) continue;
    const refunds = Array.from({ length: 3 }, () => {
      const asked = { amount: random.oneOf([5, 12, 20]), reference: reference() };
      return world.http.post(`${path}/payments/${body.data.id}/refunds`, asked, { token });
    });
    for (const refund of await Promise.all(refunds)) expect(refund.status).toBeLessThan(500);
  }
  const amount = random.oneOf([1, 10, 50_000]);
  const asked = { walletId, amount, reference: reference() };
  const transfers = `${path}/collection-accounts/${accountId}/transfers`;
  const transfer = await world.http.post(transfers, asked, { token });
  expect(transfer.status).toBeLessThan(500);
}

const DAY_MS = 24 * 3_600_000;

/**
 * A business with a test clock, which each turn advances: its customers subscribe, use, change
 * seats and cancel.
 */
async function billed(random: Random): Promise<() => Promise<void>> {
  const owner = await world.business();
  let now = Date.parse("2030-01-01");
  const ids: string[] = [];
  return async () => {
    const type = random.oneOf(["subscription", "consumption", "seating"]);
    const startDate = new Date(now + random.below(10) * DAY_MS).toISOString();
    const interval = { type: random.oneOf(["day", "week"]), count: 1 + random.below(3) };
    const lastFour = random.oneOf(["4242", "4242", "0341"]);
    ids.push(
      await world.subscription(owner, { recurringCharge: { type, startDate, interval } }, lastFour),
    );
    now += random.below(5 * DAY_MS);
    await Promise.all([world.testClock(owner, now), oneOfThree(owner, random, ids)]);
  };
}

/** Sends one of three requests, which the subscription may refuse because of its type or state. */
async function oneOfThree(owner: TestBusiness, random: Random, ids: string[]): Promise<void> {
  const [path, body] = random.oneOf([
    ["usage", { units: 1 + random.below(5_000), reference: String(random.below(2 ** 31)) }],
    ["seats", { seats: random.below(10) }],
    ["cancel", { at: random.oneOf(["now", "period_end"]) }],
  ] as const);
  const { status } = await world.toSubscription(owner, random.oneOf(ids), path, body);
  expect(status).toBeLessThan(500);
}
