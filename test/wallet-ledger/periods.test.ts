// Periods of accounts add up to the cent, whatever the clocks of the ledger's processes do: a
// period opens where the one before it closes, its movements are the difference, and all periods
// together are the statement.

import { DEFAULT_BOUNDS } from "../../services/wallet-ledger/bounds.ts";
import { createLedger, type Ledger, ledgerSchemas } from "../../services/wallet-ledger/ledger.ts";
import type { BlockRange } from "../../services/wallet-ledger/period.ts";
import type { Posting } from "../../services/wallet-ledger/postings.ts";
import type { Entry } from "../../services/wallet-ledger/reads.ts";
import { createStore } from "../../services/wallet-ledger/store.ts";
import { createWalletBlocks } from "../../services/wallet-ledger/wallet-blocks.ts";
import { openAccount } from "../../services/wallet-ledger/wallets.ts";
import { type Clock, systemClock } from "../../shared/clock.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { PAGE_MOVEMENTS } from "../../shared/contracts/reports.ts";
import { newId } from "../../shared/ids.ts";
import { isoTime } from "../../shared/iso-time.ts";
import { type Currency, toMinor } from "../../shared/money.ts";
import { database } from "../../shared/storage/database.ts";
import { seedBlocks, seedWallets } from "../../tools/bench/support/seed.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { verifyLedger } from "../../tools/verify/verify.ts";
import { testEnvironment } from "../support/system.ts";
import { seeded } from "../support/traffic.ts";

const config = loadConfig(testEnvironment());
const db = database(config, "periods-test", ledgerSchemas);
/** How far the clock of the second process is behind. */
const BEHIND_MS = 40;
const FAR = Date.parse("2999-01-01");

/** How far the clock of the first process is ahead of the system's. */
let aheadMs = 0;
const now = () => Date.now() + aheadMs;
let ledgers: Ledger[];

beforeAll(async () => {
  await migrateConfigured(config, { schemas: ledgerSchemas });
  await db.open();
  const clocks: Clock[] = [0, BEHIND_MS].map((behindMs) => ({
    ...systemClock,
    now: () => now() - behindMs,
  }));
  ledgers = await Promise.all(
    clocks.map((clock) => createLedger(db, clock, () => {}, DEFAULT_BOUNDS)),
  );
});
afterAll(async () => {
  await Promise.all(ledgers.map((ledger) => ledger.stop()));
  const { violations } = await verifyLedger(db.connection);
  await db.connection.dropDatabase();
  await db.close();
  // The halves of transfers are drawn one by one, so what is in transit belongs to no transfer.
  expect(violations.filter(({ rule }) => rule !== "transit")).toEqual([]);
});

const first = () => ledgers[0] as Ledger;

async function open(currency: Currency, type: "SPEND" | "COLLECTION"): Promise<string> {
  const models = db.models;
  const owner = { businessId: newId(), entityId: newId(), currency, type };
  const { id } = await openAccount({ models, clock: systemClock, ledger: first() }, owner, newId());
  return id;
}

/** The minor units of a decimal string. */
const minorOf = (decimal: string) => toMinor(Number(decimal)) as number;

/** The last blocks of the pages of a range, oldest first. */
async function pageEnds(range: BlockRange): Promise<number[]> {
  const { ends, rest } = await first().period.pages(range);
  if (!rest) return ends;
  const older = await pageEnds({ ...range, through: rest.middle });
  const newer = await pageEnds({ ...range, after: rest.middle, through: rest.through });
  return [...older, ...newer, ...ends];
}

/** The movements of a period, and its balances. */
async function read(id: string, from: number, to: number) {
  const account = await first().reads.account(id);
  if (!account) throw new Error(`No account ${id}`);
  const { after, through, ...balances } = await first().period.range(account, from, to);
  const ends = await pageEnds({ accountId: id, after, through });
  const pages = ends.map((end, i) => ({
    accountId: id,
    after: ends[i - 1] ?? after,
    through: end,
  }));
  const movements = await Promise.all(pages.map((page) => first().period.movements(page)));
  return { ...balances, rows: movements.flat() };
}

/** The whole statement, oldest first, or the part of a period. */
async function statement(id: string, period: { from?: string; to?: string } = {}, limit = 7) {
  const entries: Entry[] = [];
  let cursor: string | undefined;
  do {
    const page = await first().reads.statement(id, { ...period, cursor, limit });
    entries.push(...page.items);
    cursor = page.meta.nextCursor ?? undefined;
  } while (cursor);
  return entries.toReversed();
}

const shown = ({ transactionId, balance }: { transactionId: string; balance: string }) =>
  `${transactionId} ${balance}`;

test("random movements of several accounts add up over random periods", async () => {
  const { below, oneOf } = seeded();
  const accounts = await Promise.all([
    open("USD", "SPEND"),
    open("USD", "COLLECTION"),
    open("EUR", "SPEND"),
    open("EUR", "COLLECTION"),
  ]);
  /** What can be reversed, by account. */
  const posted: Posting[] = [];
  const moments = new Set<number>();

  for (let i = 0; i < 150; i++) {
    aheadMs += below(30);
    if (below(10) === 0) moments.add(now());
    await Promise.all(ledgers.map((ledger) => ledger.log.post({ posting: draw(), retry: true })));
  }

  function draw(): Posting {
    const at = below(accounts.length);
    const walletId = accounts[at] as string;
    const currency = at < 2 ? "USD" : "EUR";
    const amountMinor = 1 + below(5_000);
    const id = newId();
    const ofRail = { walletId, currency, method: "ACH", amountMinor, feesMinor: below(2) * 25 };
    const ofCard = { ...ofRail, method: "CARD_COLLECTION", feesMinor: below(amountMinor + 1) };
    const back = posted.pop();
    if (back && below(3) === 0) {
      const kind = `${back.kind as "payout" | "refund"}-reversal` as const;
      return { ...back, id: `${back.id}:reversal`, kind } as Posting;
    }
    const drawn = oneOf<Posting>([
      { id, kind: "funding", walletId, currency, amountMinor: 10 * amountMinor },
      { id, kind: "payout", ...ofRail } as Posting,
      { id, kind: "collection", ...ofCard } as Posting,
      { id, kind: "refund", ...ofCard } as Posting,
      { id: `${id}:out`, kind: "transfer-out", walletId, currency, amountMinor },
      { id: `${id}:in`, kind: "transfer-in", walletId, currency, amountMinor },
    ]);
    if (drawn.kind === "payout" || drawn.kind === "refund") posted.push(drawn);
    return drawn;
  }

  for (const id of accounts) {
    const cuts = [0, ...[...moments].filter(() => below(2) === 0), FAR].toSorted((a, b) => a - b);
    const rows: string[] = [];
    let closed = 0;
    for (const [i, to] of cuts.slice(1).entries()) {
      const from = cuts[i] as number;
      const period = await read(id, from, to);
      expect(period.opening).toBe(closed);
      const moved = period.rows.reduce((sum, { net }) => sum + minorOf(net), 0);
      expect(period.opening + moved).toBe(period.closing);
      for (const { gross, fee, net, createdAt } of period.rows) {
        expect(minorOf(gross) - minorOf(fee)).toBe(minorOf(net));
        const at = Date.parse(createdAt);
        expect(at).toBeGreaterThanOrEqual(from - BEHIND_MS);
        expect(at).toBeLessThan(to + BEHIND_MS);
      }
      const entries = await statement(id, { from: isoTime(from), to: isoTime(to) });
      expect(entries.map(shown)).toEqual(period.rows.map(shown));
      closed = period.closing;
      rows.push(...period.rows.map(shown));
    }
    expect(rows).toEqual((await statement(id)).map(shown));
    expect(rows.length).toBeGreaterThan(0);
    expect((await first().reads.account(id))?.balance).toBe(closed);
  }
});

test("an account without a movement opens and closes with nothing", async () => {
  const id = await open("GBP", "SPEND");
  expect(await read(id, 0, FAR)).toEqual({ opening: 0, closing: 0, rows: [] });
});

describe("in a long journal", () => {
  const PARTITION = 5;
  const BLOCKS = 3_000;
  let dense: string;
  let sparse: string;
  let late: string;
  /** The blocks of each wallet, by the number of the block. */
  const numbers = new Map<string, number[]>();

  beforeAll(async () => {
    const client = db.connection.getClient().db(db.connection.name);
    const [one, ...others] = await seedWallets(client, 4, { partition: PARTITION });
    dense = one as string;
    [sparse, late] = others as [string, string];
    const other = others[2] as string;
    const begun = await db.models.ledger_blocks.countDocuments({ p: PARTITION });
    const blocks = Array.from({ length: BLOCKS }, (_, i) => [
      other,
      ...(i % 3 > 0 ? Array<string>(i % 4).fill(dense) : []),
      ...(i % 900 === 0 ? [sparse] : []),
      ...(i === 7 || i > 2_000 ? [late] : []),
    ]);
    for (const [i, wallets] of blocks.entries()) {
      for (const wallet of new Set(wallets)) {
        numbers.set(wallet, [...(numbers.get(wallet) ?? []), begun + i + 1]);
      }
    }
    await seedBlocks(client, PARTITION, blocks, 1);
  });

  test("the pages of a period are short, and all of it", async () => {
    for (const wallet of [dense, sparse, late]) {
      const through = numbers.get(wallet)?.at(-1) as number;
      const ends = await pageEnds({ accountId: wallet, after: 0, through });
      expect(ends.at(-1)).toBe(through);
      const { rows, opening, closing } = await read(wallet, 0, FAR);
      expect([opening, closing]).toEqual([0, rows.length]);
      expect(ends.length).toBeGreaterThanOrEqual(rows.length / PAGE_MOVEMENTS);
      // Each movement has added one cent.
      expect(rows.map(({ balance }) => minorOf(balance))).toEqual(rows.map((_, i) => i + 1));
      expect(await statement(wallet, {}, 100)).toHaveLength(rows.length);
    }
  });

  test("the newest block of a wallet up to any block is found", async () => {
    const { below } = seeded();
    const { connection } = db;
    const client = connection.getClient().db(connection.name);
    const collections = {
      blocks: client.collection("ledger_blocks"),
      accounts: client.collection("ledger_accounts"),
      watermarks: client.collection("ledger_watermarks"),
    } as unknown as Parameters<typeof createStore>[1];
    const store = createStore(connection.getClient(), collections);
    const { partitionFor } = first();
    const { newestUpTo } = createWalletBlocks({ store, collections, partitionFor });
    for (const wallet of [dense, sparse, late]) {
      const own = numbers.get(wallet) as number[];
      const newest = own.at(-1) as number;
      const limits = [0, 1, newest, ...Array.from({ length: 25 }, () => below(newest))];
      for (const limit of limits) {
        const found = await newestUpTo(wallet, newest, limit);
        expect([limit, found]).toEqual([limit, own.findLast((n) => n <= limit) ?? 0]);
      }
    }
  });
});
