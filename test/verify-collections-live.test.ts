// Verification beside customers who pay, merchants who refund, and money that leaves for the business's
// wallet: what is on its way is pending, not wrong.

import mongoose from "mongoose";
import type { Point } from "../services/payment-links/deps.ts";
import { verify } from "../services/wallet-ledger/verify.ts";
import { timeOf } from "../shared/ids.ts";
import { freezer } from "./support/freezer.ts";
import { until } from "./support/system.ts";
import { type Random, seeded } from "./support/traffic.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "./support/world.ts";

jest.setTimeout(180_000);

let world: World;
let connection: mongoose.Connection;
let business: TestBusiness;
let accountId: string;
let walletId: string;
const { at, freeze } = freezer<Point>();

beforeAll(async () => {
  world = await startWorld({ paymentLinksInstead: [{ at }] });
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
])("a payment that stands at %s (%s)", async (point, lastFour) => {
  const link = await world.paymentLink(business, { isOpenLink: false, notifyPayee: true });
  const card = await world.cardToken(lastFour);
  const frozen = freeze(point);
  const answer = world.pay(link, card);
  const id = await frozen.reached;
  // It is older than the verification.
  await until(() => Date.now() > timeOf(id));
  await expectRight();
  frozen.release();
  dataOf(await answer, 200);
  await expectRight();
});

const LOOKS_AT_LEAST = 25;
const PAYMENTS_AT_LEAST = 150;
const CALLERS = 5;

test("many verifications during payments, refunds and transfers that succeed and fail", async () => {
  const random = seeded();
  let isOver = false;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) await oneMore(random);
  });
  const count = (name: string, filter = {}) => connection.collection(name).countDocuments(filter);
  try {
    let looks = 0;
    while (looks < LOOKS_AT_LEAST || (await count("payments")) < PAYMENTS_AT_LEAST) {
      await expectRight();
      looks += 1;
    }
  } finally {
    isOver = true;
    await Promise.all(callers);
  }
  // All that can happen did.
  for (const [name, ...filters] of [
    ["payments", { status: "SUCCEEDED" }, { status: "FAILED" }],
    ["payment_refunds", { status: "SUCCEEDED" }, { status: "FAILED" }],
    ["ledger_transfers", { status: "SUCCESS" }, { status: "FAILED" }],
  ] as const) {
    for (const filter of filters) {
      expect([name, filter, (await count(name, filter)) > 0]).toEqual([name, filter, true]);
    }
  }
});

/** Two customers race for a link; the payment is perhaps refunded; what is collected goes out. */
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
