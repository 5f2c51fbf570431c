// GET /v1/admin/books: where the money is after it has moved in every way, and the lag of the
// checkpoints. Invariant: all accounts of a currency sum to zero.

import { randomUUID } from "node:crypto";
import mongoose, { type mongo } from "mongoose";
import { readBlock } from "../../services/wallet-ledger/block-format.ts";
import type {
  Account,
  StoredBlock,
  Watermark,
} from "../../services/wallet-ledger/journal.model.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

const PATH = "/v1/admin/books";

let world: World;
let client: mongo.MongoClient;
beforeEach(async () => {
  world = await startWorld();
  client = new mongoose.mongo.MongoClient(world.config.mongoUrl as string);
});
afterEach(async () => {
  await client.close();
  await world.stop();
});

async function books() {
  return dataOf(await world.http.get(PATH, { token: world.tokens.admin(randomUUID()) }), 200);
}

/** The sums of a currency, which must add up to zero. */
async function sumsOf(currency: string) {
  const { balanced, currencies } = await books();
  const found = currencies.find((each: { currency: string }) => each.currency === currency);
  const { clearing, total, currency: _currency, ...sums } = found;
  const all: string[] = [...Object.values<string>(sums), ...Object.values<string>(clearing)];
  const added = all.reduce((sum, each) => sum + Math.round(Number(each) * 100), 0);
  expect([balanced, total, added]).toEqual([true, "0.00", 0]);
  return { ...sums, clearing };
}

const post = async (business: TestBusiness, path: string, body: object) =>
  dataOf(
    await world.http.post(`/v1/business/${business.id}/${path}`, body, { token: business.token }),
    201,
  );

const accounts = () => client.db().collection<Account>("ledger_accounts");

/** Waits until every block has a checkpoint. */
const settled = () => until(async () => (await books()).lag.blocks === 0);

test("a ledger without money is balanced, and has no currencies", async () => {
  const { at, ...found } = await books();
  expect(found).toEqual({
    balanced: true,
    currencies: [],
    lag: { blocks: 0, oldestSeconds: null },
  });
  expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(60_000);
});

test("payouts, failures, payments, refunds, transfers and adjustments move money and keep the total at zero", async () => {
  const { business, user, wallet } = await world.payer(100);
  const euros = await world.wallet(business, business, 7, "EUR");
  const start = { collectionAccounts: "0.00", transit: "0.00" };
  expect(await sumsOf("USD")).toEqual({
    ...start,
    wallets: "100.00",
    fees: "0.00",
    outside: "-100.00",
    clearing: {},
  });

  for (const [lastFour, routingType, status] of [
    ["6789", "ACH", "SUCCESS"],
    ["6789", "WIRE", "SUCCESS"],
    ["0004", "RTP", "FAILED"],
  ] as const) {
    const bank = await world.bank(business, wallet, lastFour);
    const { id } = dataOf(await world.withdraw(user, bank, { amount: 20, routingType }), 200);
    await world.status(business, id, status);
  }
  const paidOut = { wallets: "44.75", fees: "15.25", outside: "-100.00" };
  expect(await sumsOf("USD")).toEqual({
    ...start,
    ...paidOut,
    clearing: { ACH: "20.00", WIRE: "20.00" },
  });

  const link = await world.paymentLink(business, { amount: 50, customerPays: false });
  const paid = dataOf(await world.pay(link, await world.cardToken()), 200);
  expect(await sumsOf("USD")).toEqual({
    ...paidOut,
    collectionAccounts: "48.25",
    fees: "17.00",
    transit: "0.00",
    clearing: { ACH: "20.00", WIRE: "20.00", CARD_COLLECTION: "-50.00" },
  });
  const refund = { amount: 10, reference: "return" };
  const { status } = await post(business, `payments/${paid.id}/refunds`, refund);
  expect(status).toBe("SUCCEEDED");
  const own = await world.wallet(business, business);
  const accountId = await world.collectionAccount(business);
  const moved = { amount: 30, reference: "week", walletId: own.id };
  await post(business, `collection-accounts/${accountId}/transfers`, moved);
  expect(await sumsOf("USD")).toEqual({
    ...paidOut,
    wallets: "74.75",
    collectionAccounts: "8.60",
    fees: "16.65",
    transit: "0.00",
    clearing: { ACH: "20.00", WIRE: "20.00", CARD_COLLECTION: "-40.00" },
  });
  const admin = { token: world.tokens.admin(randomUUID()) };
  const wrong = { direction: "DEBIT", amount: 2, reference: "ticket-7", note: "Credited twice" };
  const path = `/v1/admin/businesses/${business.id}/wallets/${euros.id}/adjustments`;
  dataOf(await world.http.post(path, wrong, admin), 201);
  const corrected = { wallets: "5.00", outside: "-7.00", adjustments: "2.00" };
  expect(await sumsOf("EUR")).toMatchObject(corrected);
  await world.verifyBooks();
});

test("blocks without a checkpoint are counted, and their changes are in the sums", async () => {
  const { wallet } = await world.payer(12.34);
  await settled();
  const before = await sumsOf("USD");
  // As if the process had died between the block and its checkpoint.
  const { p } = (await accounts().findOne({ _id: wallet.id })) as Account;
  const blocks = client.db().collection<StoredBlock>("ledger_blocks");
  const [last] = (await blocks.find({ p }).sort({ n: -1 }).limit(1).toArray()) as [StoredBlock];
  const { n, prevHash: hash, at, transfers } = readBlock(last);
  const touched = transfers.flatMap(({ legs }) => legs.map(([id]) => id));
  const checkpoint = { n: 0, balance: 0, disabled: false };
  await accounts().updateMany({ _id: { $in: touched } }, { $set: { checkpoint } });
  const marks = client.db().collection<Watermark>("ledger_watermarks");
  await marks.updateOne({ _id: p }, { $set: { n: n - 1, hash } });

  expect(await sumsOf("USD")).toEqual(before);
  const { lag } = await books();
  expect(lag.blocks).toBe(1);
  const ageS = (Date.now() - at) / 1_000;
  expect(lag.oldestSeconds).toBeGreaterThanOrEqual(0);
  expect(lag.oldestSeconds).toBeLessThanOrEqual(ageS);
});

test("books that do not sum to zero are not balanced, and say by how much", async () => {
  const { wallet } = await world.payer(10);
  await settled();
  await accounts().updateOne({ _id: wallet.id }, { $inc: { "checkpoint.balance": -1_001 } });
  const { balanced, currencies } = await books();
  expect(balanced).toBe(false);
  expect(currencies).toMatchObject([{ currency: "USD", wallets: "-0.01", total: "-10.01" }]);
});

test("the total is zero modulo the number of safe integers, as the balances are kept", async () => {
  const { wallet } = await world.payer(10);
  await settled();
  const { p } = (await accounts().findOne({ _id: wallet.id })) as Account;
  // With the wallet's 1,000 they sum to that number.
  const most = Number.MAX_SAFE_INTEGER;
  for (const [name, balance] of Object.entries({ outside: most, fees: most, transit: -999 })) {
    const set = { "checkpoint.balance": balance };
    await accounts().updateOne({ _id: `${p}:${name}:USD` }, { $set: set });
  }
  expect(await books()).toMatchObject({ balanced: true, currencies: [{ total: "0.00" }] });
});

test("only an admin sees them", async () => {
  const { business, user } = await world.payer();
  for (const token of [business.token, user.token]) {
    expect((await world.http.get(PATH, { token })).status).toBe(401);
  }
});
