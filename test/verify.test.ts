// Verification finds and names what was tampered with.

import { DEFAULT_BOUNDS } from "../services/wallet-ledger/block-log.ts";
import type { Block } from "../services/wallet-ledger/journal.model.ts";
import { createLedger, type Ledger, ledgerSchemas } from "../services/wallet-ledger/ledger.ts";
import { verify } from "../services/wallet-ledger/verify.ts";
import { openAccount } from "../services/wallet-ledger/wallets.ts";
import { systemClock } from "../shared/clock.ts";
import { database } from "../shared/database.ts";
import { loadConfig } from "../shared/env.ts";
import { newId } from "../shared/ids.ts";
import { testEnvironment } from "./support/system.ts";

describe("verification", () => {
  const db = database(loadConfig(testEnvironment()), "verify-test", ledgerSchemas);
  const {
    ledger_blocks: blocks,
    ledger_accounts: accounts,
    ledger_watermarks: watermarks,
  } = db.models;
  let ledger: Ledger;
  let walletId: string;
  let tampered: Block;

  beforeAll(async () => {
    await db.open();
    ledger = await createLedger(db, systemClock, () => {}, DEFAULT_BOUNDS);
    const owner = { businessId: newId(), entityId: newId(), currency: "USD" as const };
    const opened = await openAccount(accounts, { ...owner, type: "SPEND" }, ledger.partitionOf);
    walletId = opened.id;
    const funding = { kind: "funding", currency: "USD", amountMinor: 10_000 } as const;
    await ledger.log.post({ posting: { id: newId(), walletId, ...funding } });
    for (let i = 0; i < 5; i++) {
      const money = { currency: "USD", method: "RTP", amountMinor: 100, feesMinor: 50 } as const;
      await ledger.log.post({ posting: { id: newId(), kind: "payout", walletId, ...money } });
    }
    await ledger.stop();
    tampered = (await blocks.findOne({ p: ledger.partitionOf(walletId), n: 3 }).lean()) as Block;
  });

  afterAll(async () => {
    await db.connection.dropDatabase();
    await db.close();
  });

  /** The rules that a change breaks; it is undone after. */
  async function brokenBy(change: () => Promise<unknown>, undo: () => Promise<unknown>) {
    await change();
    const { ok, violations } = await verify(db.connection);
    await undo();
    expect(ok).toBe(false);
    return new Set(violations.map(({ rule }) => rule));
  }

  const restore = () => blocks.collection.replaceOne({ _id: tampered._id as never }, tampered);
  const setInBlock = (set: object) =>
    brokenBy(
      () => blocks.collection.updateOne({ _id: tampered._id as never }, { $set: set }),
      restore,
    );

  test("books that nobody touched are right", async () => {
    const { ok, violations, checked } = await verify(db.connection);
    expect(violations).toEqual([]);
    expect(ok).toBe(true);
    expect(checked).toMatchObject({ blocks: 6, transfers: 6 });
  });

  test.each([
    ["an amount", { "transfers.0.legs.0.1": -151 }, ["hashes", "sums", "balances"]],
    ["a balance in the journal", { "transfers.0.balance": 1 }, ["hashes", "balances"]],
    ["an account", { "transfers.0.legs.0.0": "nobody" }, ["hashes", "accounts"]],
    ["an outcome", { "transfers.0.outcome": "declined" }, ["hashes", "declines"]],
    ["a time", { at: 1 }, ["hashes"]],
    ["a link", { prevHash: "x" }, ["links", "hashes"]],
    ["a statement's chain", { "transfers.0.prev": 1 }, ["hashes", "statements"]],
  ])("%s of an old block", async (_what, set, rules) => {
    expect([...(await setInBlock(set))]).toEqual(expect.arrayContaining(rules));
  });

  test("a block that is gone", async () => {
    const rules = await brokenBy(
      () => blocks.deleteOne({ _id: tampered._id }),
      () => blocks.collection.insertOne(tampered as never),
    );
    expect(rules).toContain("numbers");
  });

  test("a wallet's balance", async () => {
    const wallet = await accounts.findById(walletId).lean();
    const rules = await brokenBy(
      () => accounts.updateOne({ _id: walletId }, { $inc: { balance: 1 } }),
      () => accounts.updateOne({ _id: walletId }, { balance: wallet?.balance }),
    );
    expect(rules).toContain("checkpoints");
  });

  test("a watermark ahead of a checkpoint", async () => {
    const wallet = await accounts.findById(walletId).lean();
    const rules = await brokenBy(
      () => accounts.updateOne({ _id: walletId }, { n: 2, balance: 9_850 }),
      () => accounts.updateOne({ _id: walletId }, { n: wallet?.n, balance: wallet?.balance }),
    );
    expect(rules).toContain("checkpoints");
  });

  test("a watermark at no block", async () => {
    const _id = ledger.partitionOf(walletId);
    const mark = await watermarks.findById(_id).lean();
    const rules = await brokenBy(
      () => watermarks.updateOne({ _id }, { n: 99 }),
      () => watermarks.updateOne({ _id }, { n: mark?.n }),
    );
    expect(rules).toContain("watermark");
  });
});
