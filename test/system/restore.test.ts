// A database is restored to an earlier moment, while the acquirer's books are not. The keys are
// derived from the billed items, so the system sends the same charges and refunds again, and the
// customer pays once and is refunded once.

import mongoose from "mongoose";
import paymentLinks from "../../services/payment-links/payment-links.service.ts";
import walletLedger from "../../services/wallet-ledger/wallet-ledger.service.ts";
import { type BillingBooks, DAY_MS, openBillingBooks } from "../support/billing.ts";
import { until } from "../support/system.ts";
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
  const relaying = () =>
    Promise.all(own.map((collection) => collection.findOne({ relayAt: { $exists: true } })));
  await until(async () => (await relaying()).every((found) => found === null), {
    awaited: "the relay of all events",
  });
  return Promise.all(
    own.map(async (collection) => ({ collection, documents: await collection.find().toArray() })),
  );
}

/** Restores a backup while the services that keep money are stopped. */
async function restore(saved: Awaited<ReturnType<typeof backup>>): Promise<void> {
  for (const name of ["payment-links", "wallet-ledger"]) await world.broker.destroyService(name);
  for (const { collection, documents } of saved) {
    await collection.deleteMany({});
    if (documents.length > 0) await collection.insertMany(documents);
  }
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
