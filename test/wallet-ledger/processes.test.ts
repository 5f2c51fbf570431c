// Several ledger processes on one database, where the two unique indexes are the only arbiters.
// Here they are several ledgers in one process, each with its own connection, cache and
// checkpoints.

import { setTimeout as pause } from "node:timers/promises";
import type { Model } from "mongoose";
import { DEFAULT_BOUNDS } from "../../services/wallet-ledger/bounds.ts";
import type { Account } from "../../services/wallet-ledger/journal.model.ts";
import { createLedger, type Ledger, ledgerSchemas } from "../../services/wallet-ledger/ledger.ts";
import { openAccount } from "../../services/wallet-ledger/wallets.ts";
import { type Clock, systemClock } from "../../shared/clock.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { newId } from "../../shared/ids.ts";
import { database } from "../../shared/storage/database.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { verifyLedger } from "../../tools/verify/verify.ts";
import { testEnvironment } from "../support/system.ts";

const config = loadConfig(testEnvironment());

/**
 * Caches so small that wallets are evicted and loaded all the time, and two appends in flight for
 * few operations.
 */
const TINY = {
  ...DEFAULT_BOUNDS,
  accounts: 8,
  decided: 8,
  transfersPerBlock: 5,
  secondAppend: 5,
  skipAfter: 3,
};

const problems: string[] = [];

async function openProcess(clock: Clock = systemClock) {
  const db = database(config, "ledger-test", ledgerSchemas);
  await migrateConfigured(config, { schemas: ledgerSchemas });
  await db.open();
  const ledger = await createLedger(db, clock, (problem) => problems.push(problem), TINY);
  return { db, ledger };
}

type Process = Awaited<ReturnType<typeof openProcess>>;

async function openWallet(accounts: Model<Account>, ledger: Ledger, amountMinor: number) {
  const owner = { businessId: newId(), entityId: newId(), currency: "USD" as const };
  const { id } = await openAccount(
    { models: { ledger_accounts: accounts }, clock: systemClock, ledger },
    { ...owner, type: "SPEND" },
    newId(),
  );
  const funding = { kind: "funding", currency: "USD", amountMinor } as const;
  await ledger.log.post({ posting: { id: newId(), walletId: id, ...funding } });
  return id;
}

function debit(walletId: string, id = newId()) {
  const money = { currency: "USD", method: "ACH", amountMinor: 90, feesMinor: 10 } as const;
  return { posting: { id, kind: "payout", walletId, ...money } as const };
}

describe("several ledger processes", () => {
  let processes: Process[];
  let first: Process;

  beforeEach(async () => {
    problems.length = 0;
    processes = await Promise.all([openProcess(), openProcess(), openProcess()]);
    first = processes[0] as Process;
  });

  afterEach(async () => {
    await Promise.all(processes.map(({ ledger }) => ledger.stop()));
    const report = await verifyLedger(first.db.connection);
    await first.db.connection.dropDatabase();
    await Promise.all(processes.map(({ db }) => db.close()));
    expect(report.violations).toEqual([]);
    expect(report.checked.transfers).toBeGreaterThan(0);
  });

  const ledgerAt = (i: number) => (processes[i % processes.length] as Process).ledger;
  const open = (amountMinor: number) =>
    openWallet(first.db.models.ledger_accounts, first.ledger, amountMinor);
  const balanceAt = async (i: number, id: string) => (await ledgerAt(i).reads.account(id))?.balance;

  test("a start inserts the system accounts of a currency that the database does not know", async () => {
    const { ledger_accounts: accounts } = first.db.models;
    await open(1_000);
    const ofEuro = { type: "SYSTEM", currency: "EUR" } as const;
    const { deletedCount } = await accounts.deleteMany(ofEuro);
    processes.push(await openProcess());
    expect(deletedCount).toBeGreaterThan(0);
    expect(await accounts.countDocuments(ofEuro)).toBe(deletedCount);
  });

  test("a block that the database can never store moves no money and is reported", async () => {
    const walletId = await open(1_000);
    const { connection } = first.db;
    const validate = (validator: object) =>
      connection.db?.command({ collMod: "ledger_blocks", validator });
    await validate({ "transfers.row": { $not: /^payout/ } });
    const answer = await ledgerAt(0).log.post(debit(walletId));
    await validate({});
    expect(answer).toEqual({ outcome: "failed", reason: "rejected" });
    expect(problems).toEqual(["A block can never be stored"]);
    expect(await balanceAt(1, walletId)).toBe(1_000);
  });

  test("race on the same wallets and never overdraw one", async () => {
    const wallets = await Promise.all(Array.from({ length: 12 }, () => open(1_000)));
    const answers = await Promise.all(
      Array.from({ length: 360 }, async (_, i) => {
        const walletId = wallets[i % wallets.length] as string;
        const answer = await ledgerAt(i).log.post(debit(walletId));
        return { walletId, answer };
      }),
    );
    for (const walletId of wallets) {
      const own = answers.filter((each) => each.walletId === walletId);
      const committed = own.filter(({ answer }) => answer.outcome === "committed");
      expect(committed).toHaveLength(10);
      for (let i = 0; i < processes.length; i++) expect(await balanceAt(i, walletId)).toBe(0);
    }
  });

  test("decide an id once in any process, and another payload is a conflict", async () => {
    const walletId = await open(10_000);
    const ids = Array.from({ length: 20 }, () => newId());
    const asked = ids.flatMap((id) => processes.map((_, i) => ({ id, i })));
    const answers = await Promise.all(
      asked.map(({ id, i }) => ledgerAt(i).log.post(debit(walletId, id))),
    );
    expect(answers.map(({ outcome }) => outcome)).toEqual(Array(60).fill("committed"));
    expect(await balanceAt(1, walletId)).toBe(8_000);
    const { posting } = debit(walletId, ids[0]);
    for (let i = 0; i < processes.length; i++) {
      const other = { posting: { ...posting, amountMinor: 91 } };
      expect(await ledgerAt(i).log.post(other)).toEqual({ outcome: "failed", reason: "conflict" });
    }
  });

  test("answer a debit and a void of one id alike, in either order", async () => {
    const walletId = await open(100_000);
    let debited = 0;
    for (let i = 0; i < 30; i++) {
      const request = debit(walletId);
      const [posted, voided] = await Promise.all([
        ledgerAt(i).log.post(request),
        ledgerAt(i + 1).log.post({ ...request, void: true, retry: true }),
      ]);
      expect(voided).toEqual(posted);
      if (posted?.outcome === "committed") debited += 1;
    }
    expect(await balanceAt(2, walletId)).toBe(100_000 - debited * 100);
  });

  test("show a balance at once after a debit in any process", async () => {
    const walletId = await open(5_000);
    for (let i = 0; i < 15; i++) {
      await ledgerAt(i).log.post(debit(walletId));
      expect(await balanceAt(i + 1, walletId)).toBe(5_000 - (i + 1) * 100);
    }
  });

  test("decide on the other processes' blocks after a sleep", async () => {
    const walletId = await open(1_000);
    await ledgerAt(1).log.post(debit(walletId));
    for (let i = 0; i < 8; i++) await ledgerAt(2).log.post(debit(walletId));
    // Long enough for a checkpoint, so that the sleeping process skips to the newer watermark.
    await pause(600);
    expect(await ledgerAt(1).log.post(debit(walletId))).toMatchObject({ outcome: "committed" });
    expect(await ledgerAt(1).log.post(debit(walletId))).toEqual({
      outcome: "declined",
      reason: "funds",
    });
  });

  test("lose no posting if one dies before its checkpoint", async () => {
    // This clock never lets a checkpoint begin, so the process dies before its checkpoint.
    const dying = await openProcess({ ...systemClock, sleep: () => new Promise(() => {}) });
    const walletId = await open(1_000);
    for (let i = 0; i < 4; i++) await dying.ledger.log.post(debit(walletId));
    await dying.db.close();
    expect(await balanceAt(0, walletId)).toBe(600);
    const heir = await openProcess();
    processes.push(heir);
    for (let i = 0; i < 6; i++) await heir.ledger.log.post(debit(walletId));
    expect(await heir.ledger.log.post(debit(walletId))).toEqual({
      outcome: "declined",
      reason: "funds",
    });
  });
});
