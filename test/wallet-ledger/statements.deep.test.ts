// Statements of a long-lived wallet: thousands of entries, in blocks that hold mostly other
// wallets' transfers.

import mongoose, { type Connection } from "mongoose";
import { readBlock } from "../../services/wallet-ledger/block-format.ts";
import type { StoredBlock } from "../../services/wallet-ledger/journal.model.ts";
import { createLedger, type Ledger, ledgerSchemas } from "../../services/wallet-ledger/ledger.ts";
import type { Entry } from "../../services/wallet-ledger/reads.ts";
import { systemClock } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import { seedBlocks, seedWallets } from "../../tools/bench/support/seed.ts";
import { verifyLedger } from "../../tools/verify/verify.ts";
import { testEnvironment } from "../support/system.ts";

const PARTITION = 5;
const BLOCKS = 1_600;
const OTHERS_PER_BLOCK = 6;
/** The number of the wallet's transfers in each block, in turn: none, one in many blocks, many. */
const OWN = [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 12];

let connection: Connection;
let ledger: Ledger;
let wallet: string;
let others: string[];
/** The number of commands sent to the database so far, as the driver counts them. */
let commands = 0;

beforeAll(async () => {
  const { MONGO_URL } = testEnvironment();
  connection = await mongoose
    .createConnection(MONGO_URL as string, { monitorCommands: true, autoIndex: false })
    .asPromise();
  connection.getClient().on("commandStarted", () => {
    commands += 1;
  });
  const models = {
    ledger_blocks: connection.model("ledger_blocks", ledgerSchemas.ledger_blocks, "ledger_blocks"),
    ledger_accounts: connection.model(
      "ledger_accounts",
      ledgerSchemas.ledger_accounts,
      "ledger_accounts",
    ),
    ledger_watermarks: connection.model(
      "ledger_watermarks",
      ledgerSchemas.ledger_watermarks,
      "ledger_watermarks",
    ),
  };
  await Promise.all(Object.values(models).map((model) => model.createIndexes()));
  ledger = await createLedger({ connection }, systemClock, () => {});
  const db = connection.getClient().db(connection.name);
  const wallets = await seedWallets(db, 40, { partition: PARTITION });
  [wallet, ...others] = wallets as [string, ...string[]];
  await seedBlocks(db, PARTITION, blocks(), 1);
});

afterAll(async () => {
  await ledger.stop();
  const report = await verifyLedger(connection);
  await connection.dropDatabase();
  await connection.close();
  expect(report.violations).toEqual([]);
});

function* blocks() {
  for (let i = 0; i < BLOCKS; i++) {
    const own = Array<string>(OWN[i % OWN.length] as number).fill(wallet);
    const strangers = Array.from(
      { length: OTHERS_PER_BLOCK },
      (_, j) => others[(i + j) % others.length] as string,
    );
    yield [...strangers.slice(0, 3), ...own, ...strangers.slice(3)];
  }
}

const credit = (walletId: string) =>
  ledger.log.post({
    posting: { id: newId(), kind: "funding", walletId, currency: "USD", amountMinor: 1 },
  });

/** The ids of the wallet's transfers in the journal, newest first. */
async function journal(): Promise<string[]> {
  const found = await connection
    .collection<StoredBlock>("ledger_blocks")
    .find({ p: PARTITION })
    .sort({ n: 1 })
    .toArray();
  const transfers = found.flatMap((block) => readBlock(block).transfers);
  return transfers
    .filter((transfer) => transfer.wallet === wallet)
    .map(({ id }) => id)
    .toReversed();
}

async function readAll(limit: number, afterEachPage: () => Promise<unknown> = async () => {}) {
  const pages: { cursor: string | undefined; items: Entry[]; commands: number }[] = [];
  let cursor: string | undefined;
  do {
    const before = commands;
    const { items, meta } = await ledger.reads.statement(wallet, { limit, cursor });
    pages.push({ cursor, items, commands: commands - before });
    cursor = meta.nextCursor ?? undefined;
    await afterEachPage();
  } while (cursor);
  return pages;
}

const listIds = (items: Entry[]) => items.map(({ id }) => id);

test.each([17, 100])("pages of %i are complete, exact, in order and cheap", async (limit) => {
  const pages = await readAll(limit);
  const items = pages.flatMap((page) => page.items);
  expect(listIds(items)).toEqual(await journal());
  expect(pages.slice(0, -1).every((page) => page.items.length === limit)).toBe(true);
  items.forEach(({ balance, amount, entry }, i) => {
    expect({ balance, amount, entry }).toEqual({
      balance: ((items.length - i) / 100).toFixed(2),
      amount: "0.01",
      entry: "CREDIT",
    });
  });
  // Reads the watermark, the blocks after it and the account, and then each block of the page.
  const bound = 3 + limit + 1;
  for (const page of pages) expect(page.commands).toBeLessThanOrEqual(bound);
});

test("new postings do not change the following pages", async () => {
  const before = await journal();
  const pages = await readAll(100, () => Promise.all([wallet, ...others.slice(0, 9)].map(credit)));
  expect(pages.flatMap((page) => listIds(page.items))).toEqual(before);
  for (const { cursor, items } of pages.slice(1)) {
    const again = await ledger.reads.statement(wallet, { limit: 100, cursor });
    expect(again.items).toEqual(items);
  }
});
