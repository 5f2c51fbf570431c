// A database is restored to an earlier moment, while the acquirer's books are not. The keys are
// derived from the billed items, so the system sends the same charges and refunds again, and the
// customer pays once and is refunded once.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import { holdBilling } from "../../services/payment-links/billing/hold.ts";
import paymentLinks from "../../services/payment-links/payment-links.service.ts";
import walletLedger from "../../services/wallet-ledger/wallet-ledger.service.ts";
import { type BillingBooks, DAY_MS, openBillingBooks } from "../support/billing.ts";
import { until } from "../support/system.ts";
import { UNSENT } from "../support/unsent.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

const START = Date.parse("2030-01-01");

let world: World;
let books: BillingBooks;
let connection: mongoose.Connection;

beforeAll(async () => {
  world = await startWorld();
  books = await openBillingBooks(world);
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});

afterAll(async () => {
  await world.verifyBooks();
  await books.close();
  await connection.close();
  await world.stop();
});

/**
 * A backup without the books of the sandbox's acquirer, because a real acquirer is another company.
 */
async function backup() {
  const all = await connection.db?.collections();
  const own = (all ?? []).filter(({ collectionName }) => !collectionName.startsWith("sandbox_"));
  // A real backup is of one moment. These reads are not, so no event may be on its way meanwhile.
  const relaying = () => Promise.all(own.map((collection) => collection.findOne(UNSENT)));
  await until(async () => (await relaying()).every((found) => found === null), {
    awaited: "the relay of all events",
  });
  return Promise.all(
    own.map(async (collection) => ({ collection, documents: await collection.find().toArray() })),
  );
}

/**
 * Restores a backup while the services that keep money are stopped, and holds billing unless the
 * operator forgets it.
 */
async function restore(
  saved: Awaited<ReturnType<typeof backup>>,
  { isHeld = true } = {},
): Promise<void> {
  for (const name of ["payment-links", "wallet-ledger"]) await world.broker.destroyService(name);
  for (const { collection, documents } of saved) {
    await collection.deleteMany({});
    if (documents.length > 0) await collection.insertMany(documents);
  }
  if (isHeld) await holdBilling(books.subscriptions, Date.now());
  world.broker.createService(walletLedger(world.config));
  world.broker.createService(paymentLinks(world.config));
  await world.broker.waitForServices(["wallet-ledger", "payment-links"], 60_000, 20);
}

function refund(business: TestBusiness, paymentId: string, body: object) {
  const path = `/v1/business/${business.id}/payments/${paymentId}/refunds`;
  return world.http.post(path, body, { token: business.token });
}

test("a period that is billed again after a restore is charged once", async () => {
  const business = await world.business();
  const id = await world.subscription(business);
  const declining = await world.subscription(business, {}, "0341");
  const saved = await backup();
  await world.testClock(business, START + DAY_MS);
  const before = await books.charges.find().toArray();
  const [lost] = await books.paid(id, 1);

  await restore(saved);
  expect(await books.invoicesOf(id)).toEqual([]);
  await world.testClock(business, START + DAY_MS);
  const [invoice] = await books.paid(id, 1);
  expect(invoice?._id).not.toBe(lost?._id);
  const after = await books.charges.find().toArray();
  // The same entries: the first charge and two declined attempts, each sent once more.
  expect(after.map(({ _id }) => _id).toSorted()).toEqual(before.map(({ _id }) => _id).toSorted());
  expect(after.map(({ charges }) => charges)).toEqual([2, 2, 2]);
  expect(await books.chargedOf(id)).toEqual({ [invoice?._id as string]: 1 });
  expect(await books.chargedOf(declining)).toEqual(
    Object.fromEntries((await books.invoicesOf(declining)).map(({ _id }) => [_id, 0])),
  );
});

test("a refund that is requested again with its reference after a restore is paid back once", async () => {
  const business = await world.business();
  const link = await world.paymentLink(business);
  const paid = dataOf(await world.pay(link, await world.cardToken()), 200);
  const id = await world.subscription(business);
  await world.testClock(business, START);
  const [invoice] = await books.paid(id, 1);
  const renewal = invoice?.attempts[0]?.paymentId as string;
  const saved = await backup();
  const ask = async (paymentId: string) =>
    dataOf(await refund(business, paymentId, { amount: 10, reference: "once" }), 201);
  const first = await Promise.all([paid.id, renewal].map(ask));

  await restore(saved);
  const again = await Promise.all([paid.id, renewal].map(ask));
  const [renewalKey = ""] = await books.keysOf([renewal]);
  for (const [i, key] of [paid.id, renewalKey].entries()) {
    expect(again[i]).toMatchObject({ status: "SUCCEEDED", amount: "10.00" });
    expect(again[i].id).not.toBe(first[i].id);
    const entry = await books.charges.findOne({ _id: key });
    expect(entry?.refunds.map(({ amountMinor }) => amountMinor)).toEqual([1_000]);
  }
});

/** Releases billing as an operator does. */
async function release(business: TestBusiness) {
  const token = world.tokens.admin(randomUUID());
  const body = { businessId: business.id, note: "The merchant has reported again" };
  return dataOf(await world.http.post("/v1/admin/billing/release", body, { token }), 200);
}

const balance = async (business: TestBusiness) =>
  world.balance(business, { id: await world.collectionAccount(business) });

const IN_FEBRUARY = Date.parse("2030-02-01");
const USED = { units: 500, reference: "january", at: "2030-01-15T12:00:00.000Z" };

/** 10.00 a month and 1.00 for each unit; 510.00 are charged for January, and then lost. */
async function lostUsage() {
  const business = await world.business();
  const consumptionDetails = { unit: "call", costPerUnit: 1, baseFee: 10 };
  const recurringCharge = { type: "consumption", consumptionDetails };
  const id = await world.subscription(business, { customerPays: false, recurringCharge });
  const report = async (usage = USED) =>
    dataOf(await world.toSubscription(business, id, "usage", usage), 201);
  await world.testClock(business, "2030-01-10");
  const saved = await backup();
  await world.testClock(business, "2030-01-20");
  await report();
  await world.testClock(business, IN_FEBRUARY);
  await books.paid(id, 1);
  expect(await balance(business)).toBe("494.91");
  const bank = async () => {
    const payments = await books.payments.find({ "renewal.subscriptionId": id }).toArray();
    const keys = payments.map(({ key }) => String(key));
    return books.charges.find({ _id: { $in: keys } }).toArray();
  };
  return { business, id, saved, report, bank };
}

/** Has a backup be of the moment at which a driver was about to issue January's invoice. */
function issueJanuary(saved: Awaited<ReturnType<typeof backup>>, id: string): void {
  const inBackup = saved.flatMap(({ documents }) => documents);
  const issuing = { occasion: "period:0", at: IN_FEBRUARY };
  const subscription = inBackup.find(({ _id }) => String(_id) === id);
  const due = { dueAt: IN_FEBRUARY, nextAttemptAt: 0 };
  Object.assign(subscription ?? {}, { step: "issue", issuing, ...due });
}

test.each([
  ["is open", () => {}],
  ["was about to be billed", issueJanuary],
] as const)(
  "usage of a period that %s is charged once if it is reported again",
  async (_, begin) => {
    const { business, id, saved, report, bank } = await lostUsage();
    begin(saved, id);
    await restore(saved);
    // The period ends, and its invoice waits.
    await world.testClock(business, IN_FEBRUARY);
    expect(await books.invoicesOf(id)).toEqual([]);
    expect(await world.ofSubscription(business, id)).toMatchObject({
      status: "active",
      heldSince: expect.any(String),
    });
    expect(await report()).toMatchObject({ late: false });
    expect(await world.ofSubscription(business, id, "/preview")).toMatchObject({
      total: "510.00",
      heldSince: expect.any(String),
    });
    await world.verifyBooks();
    expect(await release(business)).toMatchObject({ released: 1 });
    const [invoice] = await books.paid(id, 1);
    expect(invoice).toMatchObject({ chargeMinor: 51_000, issuedAt: IN_FEBRUARY });
    expect(await balance(business)).toBe("494.91");
    expect((await bank()).map(({ charges }) => charges)).toEqual([2]);
    const shown = await world.ofSubscription(business, id);
    expect(shown).toMatchObject({ heldSince: null, needsAttention: false });
    expect(await release(business)).toEqual({ released: 0, held: expect.any(Number) });
  },
);

test("a renewal that is billed without its usage posts nothing, and an admin takes its sum", async () => {
  const { business, id, saved } = await lostUsage();
  await restore(saved, { isHeld: false });
  const setting = world.testClock(business, IN_FEBRUARY);
  const flagged = { "renewal.subscriptionId": id, needsAttention: true };
  const payment = await until(() => books.payments.findOne(flagged), { awaited: "the flag" });
  expect(payment).toMatchObject({ status: "PENDING", contradicted: "captured 510.00 USD" });
  expect(await balance(business)).toBe("0.00");
  const token = world.tokens.admin(randomUUID());
  const path = `/v1/admin/transactions/${payment._id}/resolve`;
  const decision = { outcome: "SUCCESS", note: "It was charged before the restore" };
  // The driver that asks the acquirer may win first.
  const resolve = async () => (await world.http.post(path, decision, { token })).status === 200;
  await until(resolve, { awaited: "the decision" });
  await setting;
  await books.paid(id, 1);
  expect(await balance(business)).toBe("494.91");
});

describe("seats that are set again after a restore", () => {
  const MOMENT = "2030-01-03T12:00:00.000Z";

  /** Ten days from 2030-01-01 on, 20.00 for each seat. Ten more seats are charged, then lost. */
  async function lostSeats(newSeatBillingType: string) {
    const business = await world.business();
    const interval = { type: "day", count: 10 };
    const seatDetails = { baseFee: 0, costPerSeat: 20, newSeatBillingType };
    const recurringCharge = { type: "seating", interval, seatDetails };
    const id = await world.subscription(business, { customerPays: false, recurringCharge });
    const set = (seats: number, at?: string) =>
      world.toSubscription(business, id, "seats", { seats, ...(at !== undefined && { at }) });
    await world.testClock(business, START);
    const saved = await backup();
    await world.testClock(business, MOMENT);
    for (const seats of [6, 11]) dataOf(await set(seats), 200);
    await world.testClock(business, "2030-01-11");
    const sums = async () =>
      (await books.invoicesOf(id)).map(({ occasion, chargeMinor }) => [occasion, chargeMinor]);
    const keys = async () => {
      const paid = await books.payments.find({ "renewal.subscriptionId": id }).toArray();
      return paid.map(({ key }) => String(key)).toSorted();
    };
    return { business, id, set, saved, sums, keys };
  }

  test.each(["immediate", "prorate", "next_cycle"])(
    "are charged once, if %s, also at a later time",
    async (newSeatBillingType) => {
      const { business, id, set, saved, sums, keys } = await lostSeats(newSeatBillingType);
      const [before, asked, credited] = [await sums(), await keys(), await balance(business)];
      await restore(saved);
      await world.testClock(business, "2030-01-11");
      for (const seats of [6, 11]) dataOf(await set(seats, MOMENT), 200);
      await world.verifyBooks();
      await release(business);
      await books.paid(id, before.length);
      expect(await sums()).toEqual(before);
      expect(await keys()).toEqual(asked);
      expect(await balance(business)).toBe(credited);
      const bank = await books.charges.find({ _id: { $in: asked } }).toArray();
      expect(bank).toHaveLength(before.length);
    },
  );

  test("name a moment only while billing is held, from the last change to now", async () => {
    const { business, id, set, saved } = await lostSeats("immediate");
    const wrong = async (at: string) => (await set(12, at)).body.message;
    expect(await wrong(MOMENT)).toMatch("at may be given only while billing is held");
    await restore(saved);
    await world.testClock(business, "2030-01-11");
    expect(await wrong("2029-12-31T23:59:59.999Z")).toMatch(
      "at must be from 2030-01-01T00:00:00.000Z",
    );
    expect(await wrong("2030-01-11T00:00:00.001Z")).toMatch("to now");
    dataOf(await set(6, MOMENT), 200);
    expect(await wrong("2030-01-03T11:59:59.999Z")).toMatch(`at must be from ${MOMENT}`);
    dataOf(await set(11), 200);
    await release(business);
    expect(await world.ofSubscription(business, id)).toMatchObject({ seats: 11 });
  });
});

describe("what a merchant repeats while billing is held", () => {
  type Act = readonly [at: string, name: "usage" | "seats" | "cancel", body: object];
  const usage = (at: string, units: number): Act => [at, "usage", { units, reference: at }];
  const seats = (at: string, count: number): Act => [at, "seats", { seats: count }];
  const cancel = (asked: string, at: "now" | "period_end"): Act => [asked, "cancel", { at }];
  const on = (day: number) => new Date(START + (day - 1) * DAY_MS + DAY_MS / 2).toISOString();
  const RESTORED = new Date(START + 35 * DAY_MS).toISOString();

  const interval = { type: "day", count: 10 };
  const consumptionDetails = { unit: "call", costPerUnit: 1, baseFee: 10 };
  const byUsage = { type: "consumption", interval, consumptionDetails };
  const bySeats = (newSeatBillingType: string) => {
    const seatDetails = { baseFee: 10, costPerSeat: 20, newSeatBillingType };
    return { type: "seating", interval, seatDetails };
  };
  const END = cancel(on(2), "period_end");

  interface History {
    charge: Record<string, unknown>;
    /** Before the backup. */
    before?: Act[];
    /** Since the backup. */
    lost: Act[];
  }

  const HISTORIES: Record<string, History> = {
    "usage until an end that the backup has": {
      charge: byUsage,
      before: [END],
      lost: [usage(on(5), 300), usage(on(9), 20)],
    },
    "usage and an end with the period": {
      charge: byUsage,
      lost: [usage(on(5), 300), cancel(on(6), "period_end"), usage(on(9), 20)],
    },
    "usage and a cancellation within a period": {
      charge: byUsage,
      lost: [usage(on(5), 300), usage(on(15), 20), cancel(on(16), "now")],
    },
    "seats and a cancellation": {
      charge: bySeats("immediate"),
      lost: [seats(on(5), 11), seats(on(6), 8), cancel(on(8), "now")],
    },
    "prorated seats and a cancellation in a later period": {
      charge: bySeats("prorate"),
      lost: [seats(on(5), 11), seats(on(15), 20), cancel(on(16), "now")],
    },
    "seats until an end that the backup has": {
      charge: bySeats("immediate"),
      before: [END],
      lost: [seats(on(5), 11)],
    },
    "prorated seats until an end with the period": {
      charge: bySeats("prorate"),
      lost: [seats(on(5), 11), cancel(on(8), "period_end")],
    },
    "seats up and down and up again": {
      charge: bySeats("immediate"),
      lost: [seats(on(5), 2), seats(on(6), 1), seats(on(7), 2), seats(on(18), 1), seats(on(25), 2)],
    },
  };

  /** Lives through the part before the backup. */
  async function begin(name: string) {
    const { charge: recurringCharge, before = [], lost } = HISTORIES[name] as History;
    const business = await world.business();
    const id = await world.subscription(business, { customerPays: false, recurringCharge });
    const act = async ([at, path, body]: Act, repeated: object = {}) => {
      if (Object.keys(repeated).length === 0) await world.testClock(business, at);
      const answer = await world.toSubscription(business, id, path, { ...body, ...repeated });
      expect([name, path, body, answer.body]).toMatchObject([name, path, body, { success: true }]);
    };
    for (const each of before) await act(each);
    await world.testClock(business, on(3));
    return { name, business, id, lost, act };
  }
  type Life = Awaited<ReturnType<typeof begin>>;

  async function factsOf({ name, business, id }: Life) {
    const invoices = await books.invoicesOf(id);
    const payments = await books.payments.find({ "renewal.subscriptionId": id }).toArray();
    const { status } = await world.ofSubscription(business, id);
    return {
      name,
      status,
      invoices: invoices.map((each) => [each.occasion, each.chargeMinor, each.status]),
      keys: payments.map(({ key }) => String(key)).toSorted(),
      balance: await balance(business),
    };
  }

  test("is billed as it was before the restore, under the same keys", async () => {
    const lives = await Promise.all(Object.keys(HISTORIES).map(begin));
    const all = <T>(work: (life: Life) => Promise<T>) => Promise.all(lives.map(work));
    const saved = await backup();
    await all(async ({ business, lost, act }) => {
      for (const each of lost) await act(each);
      await world.testClock(business, RESTORED);
    });
    const before = await all(factsOf);

    await restore(saved);
    await all(async ({ business, lost, act }) => {
      await world.testClock(business, RESTORED);
      for (const each of lost) {
        const [at, path] = each;
        await act(each, path === "cancel" ? { askedAt: at } : { at });
      }
    });
    await world.verifyBooks();
    await all(({ business }) => release(business));
    const isBilled = async () => {
      const unbilled = {
        _id: { $in: lives.map(({ id }) => id) },
        nextAttemptAt: { $exists: true },
      };
      return (await books.subscriptions.countDocuments(unbilled)) === 0;
    };
    await until(isBilled, { awaited: "the end of billing" });
    expect(await all(factsOf)).toEqual(before);
  });

  test("is a cancellation with a moment only while billing is held", async () => {
    const business = await world.business();
    const recurringCharge = bySeats("prorate");
    const id = await world.subscription(business, { recurringCharge });
    await world.testClock(business, on(5));
    const ask = async (askedAt: string) =>
      (await world.toSubscription(business, id, "cancel", { at: "now", askedAt })).body.message;
    expect(await ask(on(4))).toMatch("askedAt may be given only while billing is held");
    await restore(await backup());
    expect(await ask("2029-12-31T00:00:00.000Z")).toMatch("askedAt must be from 2030-01-01T00");
    expect(await ask(on(6))).toMatch("to now");
  });
});

test("billing that is held makes up for all periods in order, once it is released", async () => {
  const business = await world.business();
  const interval = { type: "day", count: 10 };
  const consumptionDetails = { unit: "call", costPerUnit: 1, baseFee: 10 };
  const byUsage = { recurringCharge: { type: "consumption", interval, consumptionDetails } };
  const seatDetails = { baseFee: 0, costPerSeat: 20, newSeatBillingType: "prorate" };
  const bySeats = { recurringCharge: { type: "seating", interval, seatDetails } };
  const held = [
    await world.subscription(business, byUsage),
    await world.subscription(business, bySeats),
    await world.subscription(business, bySeats, "0341"),
  ];
  const free = await world.subscription(business, { recurringCharge: { interval } });
  await restore(await backup());
  await world.testClock(business, "2030-02-01");
  for (const id of held) expect(await books.invoicesOf(id)).toEqual([]);
  expect(await books.invoicesOf(free)).toHaveLength(4);
  await world.verifyBooks();

  expect(await release(business)).toMatchObject({ released: 3 });
  const [byUsageId = "", bySeatsId = "", declining = ""] = held;
  for (const [id, count] of [
    [byUsageId, 3],
    [bySeatsId, 4],
  ] as const) {
    const invoices = await books.paid(id, count);
    expect(invoices.map(({ occasion }) => occasion)).toEqual(
      Array.from({ length: count }, (_, period) => `period:${period}`),
    );
    const issuedAt = Date.parse("2030-02-01");
    expect(invoices.map((each) => each.issuedAt)).toEqual(invoices.map(() => issuedAt));
  }
  // Dunning begins at the release.
  const failed = () => books.invoices.findOne({ subscriptionId: declining, status: "failed" });
  const { nextTryAt } = await until(failed, { awaited: "the decline" });
  expect(nextTryAt).toBe(Date.parse("2030-02-02"));
  await world.testClock(business, "2030-02-09");
  expect(await world.ofSubscription(business, declining)).toMatchObject({
    status: "cancelled",
    cancelledAt: "2030-02-08T00:00:00.000Z",
  });
});
