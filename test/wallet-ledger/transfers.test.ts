// Transfers: collected money goes to the business's own wallet, within a partition of the ledger or
// between two. A transfer counts once by its reference, and the wallet can pay the money out.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import { readBlock } from "../../services/wallet-ledger/block-format.ts";
import type {
  Transfer as JournalTransfer,
  StoredBlock,
} from "../../services/wallet-ledger/journal.model.ts";
import { PARTITIONS, partitionFor } from "../../shared/rpc/partitions.ts";
import { withoutId } from "../support/refusal.ts";
import {
  createMerchant,
  type Merchant,
  readBalances,
  transfer,
  transfersPath,
} from "../support/transfers.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

let world: World;
let connection: mongoose.Connection;

beforeAll(async () => {
  world = await startWorld({ overNats: true });
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});
afterAll(async () => {
  await connection?.close();
  await world?.stop();
});
afterEach(() => world.verifyBooks());

/**
 * A merchant with account and wallet in one partition, or in two. Money is collected for the found
 * one alone, because one merchant in 16 has both in one partition.
 */
async function findMerchant(isInOne: boolean): Promise<Merchant> {
  for (;;) {
    const one = await createMerchant(world, 0);
    const [from, to] = [one.accountId, one.walletId].map((id) => partitionFor(id, PARTITIONS));
    if ((from === to) !== isInOne) continue;
    await world.collectionAccount(one.business, 100);
    return one;
  }
}

/** Finds a posting in the journal by its id. */
async function posted(id: string): Promise<JournalTransfer | undefined> {
  const blocks = connection.collection<StoredBlock>("ledger_blocks");
  const block = await blocks.findOne({ "transfers.id": id });
  return block ? readBlock(block).transfers.find((each) => each.id === id) : undefined;
}

test.each([
  ["within one partition", true],
  ["across partitions", false],
])("money goes from the account to the wallet %s", async (_case, isInOne) => {
  const one = await findMerchant(isInOne);
  const done = dataOf(await transfer(world, one, { reference: "first" }), 201);
  expect(done).toEqual({
    id: done.id,
    status: "SUCCESS",
    collectionAccountId: one.accountId,
    walletId: one.walletId,
    amount: "40.00",
    currency: "USD",
    reference: "first",
    createdAt: done.createdAt,
  });
  expect(await readBalances(world, one)).toEqual(["60.00", "40.00"]);
  const { id: transactionId } = done;
  expect(await posted(`${transactionId}:out`)).toMatchObject({
    kind: "transfer-out",
    wallet: one.accountId,
    legs: [[one.accountId, -4_000], expect.anything()],
    balance: 6_000,
  });
  const path = `/v1/business/${one.business.id}/wallets/${one.walletId}/entries`;
  const entries = await world.http.get(path, { token: one.business.token });
  expect(dataOf(entries, 200)).toMatchObject([
    { transactionId, kind: "transfer-in", entry: "CREDIT", amount: "40.00", balance: "40.00" },
  ]);
  const list = await world.http.get(transfersPath(one), { token: one.business.token });
  expect(list.body).toEqual({
    success: true,
    data: [done],
    meta: { page: 1, pageSize: 50, pageCount: 1, total: 1 },
  });
});

test("a repeated reference has the same result and moves money once", async () => {
  const one = await createMerchant(world);
  const body = { reference: "monthly" };
  const first = dataOf(await transfer(world, one, body), 201);
  expect(dataOf(await transfer(world, one, body), 201)).toEqual(first);
  expect(await readBalances(world, one)).toEqual(["60.00", "40.00"]);
  expect((await transfer(world, one, { ...body, amount: 40.01 })).status).toBe(409);
  expect(await readBalances(world, one)).toEqual(["60.00", "40.00"]);
});

test("a reference belongs to one wallet", async () => {
  const one = await createMerchant(world);
  const first = dataOf(await transfer(world, one, { reference: "monthly" }), 201);
  // An entity has one wallet in a currency, so the test changes the wallet in the document.
  const transfers = connection.collection<{ _id: string }>("ledger_transfers");
  await transfers.updateOne({ _id: first.id }, { $set: { walletId: randomUUID() } });
  expect((await transfer(world, one, { reference: "monthly" })).status).toBe(409);
  await transfers.updateOne({ _id: first.id }, { $set: { walletId: one.walletId } });
});

test("concurrent requests with one reference move money once", async () => {
  const one = await createMerchant(world);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => transfer(world, one, { reference: "race" })),
  );
  expect(new Set(answers.map((answer) => dataOf(answer, 201).id)).size).toBe(1);
  expect(await readBalances(world, one)).toEqual(["60.00", "40.00"]);
});

test("a transfer of more than the balance is refused for good and moves no money", async () => {
  const one = await createMerchant(world);
  const tooMuch = { amount: 100.01, reference: "too much" };
  const refused = await transfer(world, one, tooMuch);
  expect([refused.status, refused.body.message]).toEqual([400, "Insufficient Funds #912"]);
  expect(await readBalances(world, one)).toEqual(["100.00", "0.00"]);
  await world.collectionAccount(one.business, 50);
  expect(withoutId((await transfer(world, one, tooMuch)).body)).toEqual(withoutId(refused.body));
  expect(await readBalances(world, one)).toEqual(["150.00", "0.00"]);
  const races = await Promise.all(Array.from({ length: 5 }, () => transfer(world, one)));
  expect(races.filter(({ status }) => status === 201)).toHaveLength(3);
  expect(races.filter(({ status }) => status === 400)).toHaveLength(2);
  expect(await readBalances(world, one)).toEqual(["30.00", "120.00"]);
});

describe("an invalid transfer is refused", () => {
  let mine: Merchant;
  let theirs: Merchant;
  beforeAll(async () => {
    mine = await createMerchant(world);
    theirs = await createMerchant(world);
  });

  test.each<[string, number, () => Promise<Record<string, unknown>>]>([
    [
      "an end user's wallet",
      400,
      async () => ({
        walletId: (await world.wallet(mine.business, await world.user(mine.business))).id,
      }),
    ],
    [
      "a wallet in another currency",
      400,
      async () => ({ walletId: (await world.wallet(mine.business, mine.business, 0, "EUR")).id }),
    ],
    ["a collection account", 404, async () => ({ walletId: mine.accountId })],
    ["another business's wallet", 404, async () => ({ walletId: theirs.walletId })],
    ["an unknown wallet", 404, async () => ({ walletId: randomUUID() })],
    ["no amount", 400, async () => ({ amount: undefined })],
    ["an amount of 0", 400, async () => ({ amount: 0 })],
    ["a part of a cent", 400, async () => ({ amount: 1.001 })],
    ["no reference", 400, async () => ({ reference: undefined })],
  ])("%s: %d", async (_case, status, body) => {
    expect((await transfer(world, mine, await body())).status).toBe(status);
    expect(await readBalances(world, mine)).toEqual(["100.00", "0.00"]);
  });

  test.each<[string, () => string]>([
    ["another business's account", () => theirs.accountId],
    ["a wallet", () => mine.walletId],
    ["an unknown account", () => randomUUID()],
  ])("also from %s: 404", async (_case, accountId) => {
    const from = { ...mine, accountId: accountId() };
    expect((await transfer(world, from)).status).toBe(404);
    expect((await world.http.get(transfersPath(from), { token: mine.business.token })).status).toBe(
      404,
    );
    expect(await readBalances(world, mine)).toEqual(["100.00", "0.00"]);
  });
});
