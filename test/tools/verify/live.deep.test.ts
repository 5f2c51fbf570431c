// Verification beside live traffic: unfinished work is pending, not wrong, at every point and for
// every order of reads.

import mongoose, { type mongo } from "mongoose";
import type { Point } from "../../../services/payouts/deps.ts";
import type { Payout } from "../../../services/payouts/payout.model.ts";
import type { Account } from "../../../services/wallet-ledger/journal.model.ts";
import { PARTITIONS, partitionFor } from "../../../shared/rpc/partitions.ts";
import { verify } from "../../../tools/verify/verify.ts";
import { freezer } from "../../support/freezer.ts";
import { until } from "../../support/system.ts";
import { type Random, seeded } from "../../support/traffic.ts";
import {
  dataOf,
  startWorld,
  type TestAccount,
  type TestBusiness,
  type TestUser,
  type World,
} from "../../support/world.ts";

let world: World;
let business: TestBusiness;
let connection: mongoose.Connection;
const { reached, freeze } = freezer<Point>();

beforeAll(async () => {
  world = await startWorld({ payoutsInstead: [{ reached }] });
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  business = await world.business();
});

afterAll(async () => {
  await world.verifyBooks();
  await connection.close();
  await world.stop();
});

const payouts = () => connection.getClient().db(connection.name).collection<Payout>("payouts");

interface Customer {
  user: TestUser;
  accounts: TestAccount[];
}

/** A customer with accounts by their last four digits, which decide the outcome of a payout. */
async function customer(amount: number, ...lastFours: string[]): Promise<Customer> {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, amount);
  const accounts: TestAccount[] = [];
  for (const lastFour of lastFours) accounts.push(await world.bank(business, wallet, lastFour));
  return { user, accounts };
}

async function expectRight(over = connection): Promise<void> {
  expect(await verify(over)).toMatchObject({ ok: true, violations: [] });
}

test.each<[Point, string, number]>([
  ["inserted", "6789", 25],
  ["debit-answered", "6789", 25],
  ["debit-answered", "6789", 5_000],
  ["accepted", "6789", 25],
  ["submitting-stored", "6789", 25],
  ["rail-answered", "6789", 25],
  ["rail-answered", "0001", 25],
  ["end-stored", "0001", 25],
  ["end-stored", "0007", 25],
  ["reversal-posted", "0001", 25],
  ["reversal-posted", "0007", 25],
  ["failed-stored", "0001", 25],
  ["succeeded-stored", "6789", 25],
  ["published", "6789", 25],
])("a payout that is frozen at %s (%s, %d) is no violation", async (point, lastFour, amount) => {
  const { user, accounts } = await customer(1_000, lastFour);
  // The first payout at the point is frozen, so no other one may be moving.
  const isOver = {
    step: { $in: ["closed" as const, "declined" as const] },
    nextAttemptAt: { $exists: false },
  };
  await until(async () => (await payouts().countDocuments({ $nor: [isOver] })) === 0);
  const frozen = freeze(point);
  const answer = world.withdraw(user, accounts[0] as TestAccount, { amount });
  const id = await frozen.reached;
  // The payout must be older than the verification; its id begins with its time.
  await until(() => Date.now() > Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
  await expectRight();
  frozen.release();
  await answer;
  await expectRight();
});

/** A connection for a verification that waits for `beforeRead` before each read of a partition. */
function interrupted(
  real: mongoose.Connection,
  beforeRead: (partition: unknown) => Promise<void>,
): mongoose.Connection {
  const client = real.getClient();
  const db = client.db(real.name);
  const cursorOver = (cursor: mongo.FindCursor, before: () => Promise<void>): unknown => ({
    sort: (by: mongo.Sort) => cursorOver(cursor.sort(by), before),
    limit: (most: number) => cursorOver(cursor.limit(most), before),
    batchSize: (size: number) => cursorOver(cursor.batchSize(size), before),
    map: (each: () => unknown) => cursorOver(cursor.map(each), before),
    next: () => before().then(() => cursor.next()),
    toArray: () => before().then(() => cursor.toArray()),
    async *[Symbol.asyncIterator]() {
      await before();
      yield* cursor;
    },
  });
  const collection = (name: string) =>
    Object.assign(Object.create(db.collection(name)) as mongo.Collection, {
      find: (filter: mongo.Filter<mongo.Document>, options: mongo.FindOptions) => {
        const partition =
          name === "ledger_watermarks" ? (filter._id as unknown) : (filter.p as unknown);
        return cursorOver(db.collection(name).find(filter, options), () => beforeRead(partition));
      },
    });
  const interruptedDb = Object.assign(Object.create(db) as mongo.Db, { collection });
  return Object.assign(Object.create(real) as mongoose.Connection, {
    getClient: () => ({
      db: () => interruptedDb,
      startSession: (options: mongo.ClientSessionOptions) => client.startSession(options),
    }),
  });
}

/**
 * The number of partitions with traffic; the first ones, because a wallet's partition is random.
 */
const LIVELY = 3;

test("wallets that are opened, debited and checkpointed between any two reads cause no violation", async () => {
  const { db } = connection;
  const accounts = connection
    .getClient()
    .db(db?.databaseName)
    .collection<Account>("ledger_accounts");
  let happened = 0;
  const happens = async (p: unknown) => {
    if (typeof p !== "number" || p >= LIVELY) return;
    const id = await walletIn(p);
    await until(async () => (await accounts.findOne({ _id: id }))?.checkpoint.n, {
      awaited: "a checkpoint",
    });
    happened += 1;
  };
  await expectRight(interrupted(connection, happens));
  expect(happened).toBeGreaterThanOrEqual(4 * LIVELY);
});

/** A new wallet in a partition, funded and paid from. */
async function walletIn(p: number): Promise<string> {
  for (;;) {
    const user = await world.user(business);
    const wallet = await world.wallet(business, user);
    if (partitionFor(wallet.id, PARTITIONS) !== p) continue;
    const fund = { businessId: business.id, walletId: wallet.id, amount: 100, reference: "first" };
    await world.call("wallet-ledger.fund", fund);
    const bank = await world.bank(business, wallet, "0004");
    dataOf(await world.withdraw(user, bank), 200);
    return wallet.id;
  }
}

const LOOKS = 50;
const CALLERS = 6;
/** Enough to last longer than a look. Callers without an end would make ever longer looks. */
const WITHDRAWALS_OF_CALLER = 2;

test("many verifications during withdrawals with every outcome find no violation", async () => {
  const random = seeded();
  const endings = ["6789", "0001", "0003", "0004", "0007", "0008"];
  const customers = await Promise.all([
    ...Array.from({ length: 4 }, () => customer(100_000, ...endings)),
    customer(60, "6789", "0001"),
  ]);
  const withdrawSome = async () => {
    for (let i = 0; i < WITHDRAWALS_OF_CALLER; i++) await oneMore(random, customers);
  };
  for (let look = 0; look < LOOKS; look++) {
    await Promise.all([expectRight(), ...Array.from({ length: CALLERS }, withdrawSome)]);
  }
  // Every possible outcome has occurred.
  const ends = await payouts().distinct("status");
  expect(ends).toEqual(expect.arrayContaining(["SUCCESS", "FAILED"]));
  expect(await payouts().countDocuments({ step: "declined" })).toBeGreaterThan(0);
  expect(await payouts().countDocuments({ "states.3": { $exists: true } })).toBeGreaterThan(0);
});

/** A withdrawal that may be cancelled; sometimes by a new user with a newly funded wallet. */
async function oneMore(random: Random, customers: Customer[]): Promise<void> {
  const isNew = random.below(10) === 0;
  const { user, accounts } = isNew ? await customer(100, "6789") : random.oneOf(customers);
  const body = { amount: 20, routingType: random.oneOf(["ACH", "RTP", "WIRE"]) };
  const answer = await world.withdraw(user, random.oneOf(accounts), body);
  if (answer.status !== 200 || random.below(5) > 0) return;
  const { id } = dataOf(answer, 200);
  await world.http.post(`/v1/transactions/${id}/cancel`, {}, { token: business.token });
}
