// Measures growth: posts per second by number of ledger nodes, a wallet's statement by its length,
// start-up by the journal's length, a node's memory by number of wallets.

import type { mongo } from "mongoose";
import { migrateConfigured } from "../scripts/migrate/migrate.ts";
import { provideBinary } from "../scripts/support/binaries.ts";
import { startNats } from "../scripts/support/nats.ts";
import { createLedger, ledgerSchemas } from "../services/wallet-ledger/ledger.ts";
import { call, nodesServing } from "../shared/actions.ts";
import { systemClock } from "../shared/clock.ts";
import { type Database, database } from "../shared/database.ts";
import { newId } from "../shared/ids.ts";
import { PARTITIONS, partitionFor } from "../shared/partitions.ts";
import { gatherPosts, type Ledger, type Posting } from "../shared/posts.ts";
import { verifyLedger } from "../verification/verify.ts";
import { type LedgerNodes, startLedgerNodes } from "./support/ledger-nodes.ts";
import { type Row, rateOf } from "./support/rate.ts";
import { seedBlocks, seedWallets } from "./support/seed.ts";
import type { Setting } from "./support/setting.ts";

const NODES = [1, 2, 3, 4];
const CALLERS = [64, 256];
const WALLETS = 10_000;
const MANY_WALLETS = 1_000_000;
const FUNDS_MINOR = 1_000_000_000;

/** A separate database and the environment of its nodes. */
interface Place {
  environment: Setting["environment"];
  db: Database<typeof ledgerSchemas>;
  raw: mongo.Db;
}

export async function benchScale(setting: Setting): Promise<Row[]> {
  const binary = await provideBinary("nats-server", setting.binaries, setting.say);
  const nats = await startNats({ binary, say: setting.say });
  const within = { ...setting, environment: { ...setting.environment, NATS_URL: nats.url } };
  try {
    return [
      ...(await measureNodes(within)),
      ...(await measureLength(within)),
      ...(await measureMemory(within)),
    ];
  } finally {
    await nats.stop();
  }
}

/** Runs work on a new database, verifies the books and drops the database. */
async function inPlace<T>(
  { config, environment }: Setting,
  name: string,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const url = new URL(config.mongoUrl as string);
  url.pathname += `_${name}`;
  const place = { ...config, mongoUrl: url.href };
  // The services of the nodes check all their collections.
  await migrateConfigured(place);
  const db = database(place, "bench", ledgerSchemas);
  await db.open();
  await (await createLedger(db, systemClock, console.error)).stop();
  const raw = db.connection.getClient().db(db.connection.name);
  const result = await work({ environment: { ...environment, MONGO_URL: url.href }, db, raw });
  const { ok, violations } = await verifyLedger(db.connection);
  await raw.dropDatabase();
  await db.close();
  if (!ok) throw new Error(`The books are wrong: ${JSON.stringify(violations)}`);
  return result;
}

function measureNodes(setting: Setting): Promise<Row[]> {
  return inPlace(setting, "nodes", async ({ environment, raw }) => {
    const wallets = await seedWallets(raw, WALLETS);
    await fundAll(raw, wallets);
    const rows: Row[] = [];
    for (const count of NODES) {
      setting.say(`Posting to ${count} ledger nodes`);
      const nodes = await startLedgerNodes(count, environment);
      for (const callers of CALLERS) {
        const measured = (how: string, ledgers: () => number) =>
          postsTo(nodes, raw, wallets, { how, ledgers, callers, ms: setting.ms });
        if (count > 1) rows.push(await measured("affinity", () => count));
        rows.push(await measured("round robin", () => 1));
      }
      await nodes.stop();
    }
    return rows;
  });
}

/** Posts as payouts does; measures the cost for the caller and for the ledger. */
async function postsTo(
  nodes: LedgerNodes,
  raw: mongo.Db,
  wallets: string[],
  { how, ledgers, callers, ms }: { how: string; ledgers(): number; callers: number; ms: number },
): Promise<Row> {
  const post = gatherPosts(ledgerOver(nodes, ledgers));
  const before = await spent(nodes, raw);
  let posts = 0;
  const perSecond = await rateOf(callers, ms, async () => {
    const { outcome } = await post(payout(pick(wallets)));
    if (outcome !== "committed") throw new Error(`A post was answered ${outcome}`);
    posts += 1;
  });
  const after = await spent(nodes, raw);
  const committed = after.blocks - before.blocks;
  return {
    what: `posts, ${after.nodes} nodes, ${callers} callers, ${how}`,
    perSecond,
    refusedPercent: Math.round((100 * (after.inserts - before.inserts - committed)) / committed),
    postsPerBlock: Math.round((10 * posts) / committed) / 10,
    nodesUsPerPost: Math.round((after.nodesUs - before.nodesUs) / posts),
    mongodUsPerPost: Math.round((after.mongodUs - before.mongodUs) / posts),
    callerUsPerPost: Math.round((after.callerUs - before.callerUs) / posts),
  };
}

function ledgerOver({ broker }: LedgerNodes, ledgers: () => number): Ledger {
  return {
    post(postings, ledger) {
      const serving = nodesServing(broker, "wallet-ledger.post");
      const nodeID = ledger === undefined ? undefined : serving[ledger];
      return call(broker, "wallet-ledger.post", { postings }, { nodeID });
    },
    nodeCount: ledgers,
  };
}

/** CPU in microseconds and blocks since the start. A refused block is an insert without a block. */
async function spent(nodes: LedgerNodes, raw: mongo.Db) {
  const usage = await nodes.usage("cpu");
  const { extra_info: mongod, opcounters } = await raw.command({ serverStatus: 1 });
  const { user, system } = process.cpuUsage();
  return {
    nodes: usage.length,
    nodesUs: usage.reduce((sum, { cpuUs }) => sum + cpuUs, 0),
    mongodUs: Number(mongod.user_time_us) + Number(mongod.system_time_us),
    callerUs: user + system,
    inserts: Number(opcounters.insert),
    blocks: await raw.collection("ledger_blocks").estimatedDocumentCount(),
  };
}

const SHORT = { name: "short", blocks: 100 };
const LONG = { name: "long", blocks: 100_000 };

/** A journal with one wallet that has many entries per block and one with one entry per block. */
interface Journal {
  environment: Setting["environment"];
  businessId: string;
  dense: string;
  sparse: string;
  transfers: number;
}

/** Start-up and statements on a short journal and on a long one, in turns. */
async function measureLength(setting: Setting): Promise<Row[]> {
  return withJournal(setting, SHORT, (short) =>
    withJournal(setting, LONG, async (long) => {
      const transfers = `${short.transfers} / ${long.transfers}`;
      setting.say(`Measuring with ${transfers} transfers`);
      const row = (what: string, { before, after }: { before: number; after: number }): Row => {
        const rounded = (ms: number) => Math.round(ms * 10) / 10;
        const ratio = after / before;
        return { what, transfers, beforeMs: rounded(before), afterMs: rounded(after), ratio };
      };
      const rows = [row("start to first balance and post", await inTurns(short, long, startUpMs))];
      const [few, many] = [await openJournal(short), await openJournal(long)];
      for (const [name, place] of PAGES_OF) {
        const what = `50 entries, ${name}`;
        rows.push(row(what, await inTurns(few, many, ({ page }) => timed(() => page(place)))));
      }
      rows.push(row("balance", await inTurns(few, many, ({ balance }) => timed(balance))));
      await few.stop();
      await many.stop();
      return rows;
    }),
  );
}

function withJournal(
  setting: Setting,
  { name, blocks }: { name: string; blocks: number },
  work: (journal: Journal) => Promise<Row[]>,
): Promise<Row[]> {
  return inPlace(setting, name, async ({ environment, raw }) => {
    setting.say(`Seeding a journal of ${blocks} blocks`);
    const businessId = newId();
    const own = { partition: 0, businessId };
    const [dense, sparse, ...others] = (await seedWallets(raw, 1_000, own)) as [string, string];
    const transfers = await seedBlocks(raw, 0, manyOfOne(blocks, dense, sparse, others), 100);
    // All writes are on disk before the measurement.
    await raw.admin().command({ fsync: 1 });
    return work({ environment, businessId, dense, sparse, transfers });
  });
}

const ENTRIES_PER_BLOCK = 10;

/** Blocks with entries of one wallet, and one entry each of two other wallets. */
function* manyOfOne(blocks: number, dense: string, sparse: string, others: string[]) {
  for (let i = 0; i < blocks; i++) {
    yield [...Array<string>(ENTRIES_PER_BLOCK).fill(dense), sparse, pick(others)];
  }
}

/** From the start of the process to its first balance and its first post. */
async function startUpMs({ environment, businessId, dense: walletId }: Journal): Promise<number> {
  const begun = performance.now();
  const nodes = await startLedgerNodes(1, environment);
  await call(nodes.broker, "wallet-ledger.wallet", { businessId, walletId });
  await call(nodes.broker, "wallet-ledger.post", { postings: [payout(walletId)] });
  const ms = performance.now() - begun;
  await nodes.stop();
  return ms;
}

type PageOf = { wallet: "dense" | "sparse"; part?: number };

/** The first page, and pages that begin at a fraction of the wallet's blocks. */
const PAGES_OF: [name: string, PageOf][] = (["dense", "sparse"] as const).flatMap((wallet) => {
  const each = wallet === "dense" ? `${ENTRIES_PER_BLOCK} a block` : "one a block";
  return [
    [`${each}, first`, { wallet }],
    [`${each}, middle`, { wallet, part: 0.6 }],
    [`${each}, last`, { wallet, part: 0 }],
  ] as [string, PageOf][];
});

/** A node on a journal, with its questions. */
async function openJournal({ environment, businessId, ...journal }: Journal) {
  const nodes = await startLedgerNodes(1, environment);
  const { broker } = nodes;
  const pageAt = (walletId: string, cursor?: string) =>
    call(broker, "wallet-ledger.entries", {
      businessId,
      walletId,
      limit: 50,
      ...(cursor && { cursor }),
    });
  return {
    stop: nodes.stop,
    balance: () => call(broker, "wallet-ledger.wallet", { businessId, walletId: journal.dense }),
    async page({ wallet, part }: PageOf) {
      if (part === undefined) return pageAt(journal[wallet]);
      const blocks = (journal.transfers / (ENTRIES_PER_BLOCK + 2)) * part;
      return pageAt(journal[wallet], `${Math.max(50, Math.floor(blocks))}.${ENTRIES_PER_BLOCK}`);
    },
  };
}

const TURNS = 9;

/** Medians over alternating turns of both, so that both meet the same load. */
async function inTurns<T>(short: T, long: T, measure: (of: T) => Promise<number>) {
  const before: number[] = [];
  const after: number[] = [];
  for (let i = 0; i < TURNS; i++) {
    before.push(await measure(short));
    after.push(await measure(long));
  }
  return { before: median(before), after: median(after) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;
}

/** The heap of a node that posted to few wallets, and of one that posted once to each of many. */
function measureMemory(setting: Setting): Promise<Row[]> {
  return inPlace(setting, "memory", async ({ environment, raw }) => {
    setting.say(`Seeding ${MANY_WALLETS} wallets`);
    const wallets = await seedWallets(raw, MANY_WALLETS);
    const few = wallets.slice(0, WALLETS);
    const fewOften = Array.from({ length: 20 * WALLETS }, () => pick(few));
    setting.say("Posting to them");
    const before = await heapMbAfter(environment, fewOften);
    const after = await heapMbAfter(environment, wallets);
    const what = `heap after posts to ${WALLETS} / ${MANY_WALLETS} wallets, MB`;
    return [{ what, before, after, ratio: after / before }];
  });
}

const POSTINGS_PER_CALL = 250;
const CALLS_AT_ONCE = 4;
const PATIENCE = { timeoutMs: 30_000 };

async function heapMbAfter(
  environment: Setting["environment"],
  wallets: string[],
): Promise<number> {
  const nodes = await startLedgerNodes(1, environment);
  let next = 0;
  const caller = async () => {
    while (next < wallets.length) {
      const postings = wallets.slice(next, next + POSTINGS_PER_CALL).map(reversal);
      next += POSTINGS_PER_CALL;
      await call(nodes.broker, "wallet-ledger.post", { postings }, PATIENCE);
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, caller));
  const [usage] = await nodes.usage("heap");
  await nodes.stop();
  return Math.round((usage?.heapBytes ?? 0) / 1e6);
}

function payout(walletId: string): Posting {
  const money = { currency: "USD", method: "ACH", amountMinor: 1, feesMinor: 1 } as const;
  return { id: newId(), kind: "payout", walletId, ...money };
}

/** A credit, because an empty wallet declines a debit. */
function reversal(walletId: string): Posting {
  return { ...payout(walletId), kind: "payout-reversal" };
}

const WALLETS_PER_BLOCK = 500;

async function fundAll(raw: mongo.Db, wallets: string[]): Promise<void> {
  for (let p = 0; p < PARTITIONS; p++) {
    const own = wallets.filter((id) => partitionFor(id, PARTITIONS) === p);
    const blocks = Array.from({ length: Math.ceil(own.length / WALLETS_PER_BLOCK) }, (_, i) =>
      own.slice(i * WALLETS_PER_BLOCK, (i + 1) * WALLETS_PER_BLOCK),
    );
    await seedBlocks(raw, p, blocks, FUNDS_MINOR);
  }
}

function pick(wallets: string[]): string {
  return wallets[Math.floor(Math.random() * wallets.length)] as string;
}
