// Billing after a downtime of months, by the real clock and without a test clock: two replicas
// start at the same time and bill the missed periods in order, each period once, even if steps of a
// replica fail.

import type { mongo } from "mongoose";
import type { Acquirer } from "../../../partners/types.ts";
import type { Subscription } from "../../../services/payment-links/billing/subscription.model.ts";
import { systemClock } from "../../../shared/clock.ts";
import {
  type BillingBooks,
  CAPTURED,
  DAY_MS,
  openBillingBooks,
  silenceable,
} from "../../support/billing.ts";
import { until } from "../../support/system.ts";
import { type Random, seeded } from "../../support/traffic.ts";
import { UNSENT } from "../../support/unsent.ts";
import { startWorld, type TestBusiness, type World } from "../../support/world.ts";

/** The time in milliseconds by which the services' clock is ahead. */
let aheadMs = 0;
const clock = { ...systemClock, now: () => Date.now() + aheadMs };

/** If set, drivers fail at random points, and the bank declines charges or loses answers. */
let chance: Random | null = null;
const cutOff = () => {
  if (chance && chance.below(100) < 8) throw new Error("Cut off here");
};
const bank = silenceable();
/** For each charge that the bank received: whether the bank declined it. */
const heard = new Map<string, boolean>();
const acquirer: Acquirer = {
  ...bank.acquirer,
  async charge(charge) {
    const luck = chance?.below(10);
    if (luck === 0) return { kind: "unknown" };
    const isDeclined = heard.get(charge.id) ?? luck === 1;
    heard.set(charge.id, isDeclined);
    const word = isDeclined
      ? ({ kind: "declined", code: "card_declined" } as const)
      : await bank.acquirer.charge(charge);
    return luck === 2 ? { kind: "unknown" } : word;
  },
};

let world: World;
let books: BillingBooks;

beforeAll(async () => {
  const instead = { clock, acquirer, reached: cutOff };
  world = await startWorld({ paymentLinksInstead: [instead, instead] });
  books = await openBillingBooks(world);
  bank.open(books);
});

afterAll(async () => {
  await books.close();
  await world.stop();
});

const account = async (business: TestBusiness) =>
  world.balance(business, { id: await world.collectionAccount(business) });

/** Waits for the drivers of new subscriptions; one that runs while the clock jumps is late. */
async function driven(ids: string[]): Promise<void> {
  const rests = { _id: { $in: ids }, v: { $gt: 0 } };
  const all = async () => (await books.subscriptions.countDocuments(rests)) === ids.length;
  await until(all, { awaited: "the first drives" });
}

/**
 * Waits until each subscription rests before its next due date and every outbox is empty. A driver
 * that runs while a day passes would continue a day late, and verification uses the real clock, for
 * which the times of this clock are months ahead.
 */
async function atRest(ids: string[]): Promise<void> {
  const isUnderWay = {
    $or: [UNSENT, { step: { $in: ["charge", "post"] } }],
  };
  const rest = async () => {
    const waiting = { _id: { $in: ids }, step: "wait" as const, dueAt: { $gt: clock.now() } };
    if ((await books.subscriptions.countDocuments(waiting)) < ids.length) return false;
    const { subscriptions, invoices, payments } = books;
    const all = [subscriptions, invoices, payments] as unknown as mongo.Collection[];
    const counts = await Promise.all(all.map((one) => one.countDocuments(isUnderWay)));
    return counts.every((count) => count === 0);
  };
  await until(rest, { awaited: "the idle state of all drivers" });
}

test("two replicas bill and charge each missed period once and in order", async () => {
  const business = await world.business();
  const startDate = new Date(Date.now() + DAY_MS).toISOString();
  const recurringCharge = { startDate, interval: { type: "week", count: 1 } };
  const seated = { ...recurringCharge, type: "seating" };
  const ids = await Promise.all([
    ...Array.from({ length: 10 }, () => world.subscription(business, { recurringCharge })),
    ...Array.from({ length: 5 }, () => world.subscription(business, { recurringCharge: seated })),
  ]);
  const declined = await world.subscription(business, { recurringCharge }, "0341");

  await driven([...ids, declined]);
  const backAt = Date.parse(startDate) + 91 * DAY_MS + DAY_MS / 2;
  aheadMs = backAt - Date.now();

  for (const id of ids) {
    const paid = await books.paid(id, 14);
    expect(paid.map(({ occasion }) => occasion)).toEqual(
      Array.from({ length: 14 }, (_, k) => `period:${k}`),
    );
    const starts = paid.map(({ periodStart }) => (periodStart - Date.parse(startDate)) / DAY_MS);
    expect(starts).toEqual(Array.from({ length: 14 }, (_, k) => 7 * k));
    // Issued and paid now: no charge has a date in the past.
    for (const { issuedAt, paidAt = 0 } of paid) {
      expect(Math.min(issuedAt, paidAt)).toBeGreaterThanOrEqual(backAt);
    }
    expect(Object.values(await books.chargedOf(id))).toEqual(Array(14).fill(1));
  }
  const waiting = { businessId: business.id, step: "wait" as const, boundary: 14 };
  const rest = async () => (await books.subscriptions.countDocuments(waiting)) === ids.length;
  await until(rest, { awaited: "the wait for the next period" });
  // The bank captured a charge for each payment, and no other charge.
  const charged = await books.charges.countDocuments(CAPTURED);
  expect(charged).toBe(14 * ids.length);

  // The schedule of retries begins with the decline, and later periods wait.
  const isDeclined = () => books.subscriptions.findOne({ _id: declined, step: "retry" });
  await until(isDeclined, { awaited: "the decline" });
  const [failed, ...more] = await books.invoicesOf(declined);
  expect(more).toEqual([]);
  expect(failed?.attempts).toHaveLength(1);
  expect(failed?.nextTryAt).toBe((failed?.attempts[0]?.at ?? 0) + DAY_MS);
  const found = await books.subscriptions.findOne({ _id: declined });
  expect(found).toMatchObject({ status: "past_due", step: "retry" });

  // 25.00 a week less 1.03; one seat of 5.00 and 10.00 less 0.74.
  expect(await account(business)).toBe((14 * (10 * 23.97 + 5 * 14.26)).toFixed(2));
  await atRest(ids);
  await world.verifyBooks();

  // A downtime in the middle of the schedule: the missed retries follow day by day, not at once.
  aheadMs += 10 * DAY_MS;
  // The subscription is written last, and the next attempt's day is counted from that write.
  const tried = async (count: number) => {
    const rests = [
      { step: "retry" as const, "collecting.attempt": count },
      { step: "closed" as const },
    ];
    if (!(await books.subscriptions.findOne({ _id: declined, $or: rests }))) return false;
    const [invoice] = await books.invoicesOf(declined);
    return invoice?.attempts.at(count - 1)?.status === "FAILED" && invoice;
  };
  for (let attempt = 2; attempt <= 5; attempt++) {
    const invoice = await until(() => tried(attempt), { awaited: "a retry" });
    expect(invoice.attempts).toHaveLength(attempt);
    await atRest(ids);
    aheadMs += DAY_MS;
  }
  const ended = async () => {
    const subscription = await books.subscriptions.findOne({ _id: declined });
    return subscription?.step === "closed" && subscription;
  };
  const last = await until(ended, { awaited: "the end" });
  expect(last.status).toBe("cancelled");
  expect((await books.invoicesOf(declined)).map(({ status }) => status)).toEqual(["void"]);
  await atRest(ids);
  await world.verifyBooks();
});

test("drivers resume after failed steps: no period is skipped or charged twice", async () => {
  const business = await world.business();
  // The set-up happens at the present time; the clock jumps afterwards.
  aheadMs = 0;
  const startDate = new Date(Date.now() + DAY_MS).toISOString();
  const recurringCharge = { startDate, interval: { type: "day", count: 1 } };
  const seatDetails = { baseFee: 10, costPerSeat: 5, newSeatBillingType: "immediate" };
  const seated = { ...recurringCharge, type: "seating", seatDetails };
  const ids = await Promise.all([
    ...Array.from({ length: 4 }, () => world.subscription(business, { recurringCharge })),
    ...Array.from({ length: 4 }, () => world.subscription(business, { recurringCharge: seated })),
  ]);
  await driven(ids);
  const periods = 6;
  const random = seeded();
  chance = random;
  aheadMs += periods * DAY_MS + DAY_MS / 4;

  const restingAt = async (steps: Subscription["step"][]) => {
    // Leases expire while their drivers still run, so several drivers work on one subscription.
    if (random.below(3) === 0) aheadMs += random.below(chance ? 12_000 : 5_000);
    const resting = { step: { $in: steps }, dueAt: { $gt: clock.now() } };
    return books.subscriptions.countDocuments({ _id: { $in: ids }, ...resting });
  };
  const inChaos = async () => {
    const seats = random.below(9);
    await world.toSubscription(business, random.oneOf(ids.slice(4)), "seats", { seats });
    return (await restingAt(["wait", "retry"])) > ids.length / 2;
  };
  await until(inChaos, { awaited: "the idle state of most drivers" });
  chance = null;
  const inCalm = async () => {
    if ((await restingAt(["wait", "retry"])) < ids.length) return false;
    if ((await restingAt(["wait"])) === ids.length) return true;
    // Only retries are left, so the clock moves to their day.
    aheadMs += DAY_MS;
    return false;
  };
  await until(inCalm, { awaited: "the end of the backlog" });

  for (const id of ids) {
    const invoices = await books.invoicesOf(id);
    const subscription = await books.subscriptions.findOne({ _id: id });
    const occasions = invoices.map(({ occasion }) => occasion);
    expect(occasions.filter((occasion) => occasion.startsWith("period:"))).toEqual(
      Array.from({ length: subscription?.boundary ?? 0 }, (_, k) => `period:${k}`),
    );
    expect(subscription?.boundary).toBeGreaterThanOrEqual(periods);
    const charged = invoices.filter(({ chargeMinor }) => chargeMinor > 0);
    expect(await books.chargedOf(id)).toEqual(
      Object.fromEntries(charged.map(({ _id }) => [_id, 1])),
    );
    for (const { status, attempts } of charged) {
      const failed = attempts.slice(1).map(() => "FAILED");
      expect([status, ...attempts.map((each) => each.status)]).toEqual([
        "paid",
        ...failed,
        "SUCCEEDED",
      ]);
    }
  }
  const all = await books.invoices.find({ businessId: business.id }).toArray();
  const credited = all.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  expect(await account(business)).toBe((credited / 100).toFixed(2));
  await atRest(ids);
  await world.verifyBooks();
});
