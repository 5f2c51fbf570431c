// Measures growth: a wallet's statement by its length, start-up by the journal's length, a ledger
// process's memory by number of wallets.

import { newId } from "../../shared/ids.ts";
import { call } from "../../shared/rpc/actions.ts";
import type { PostingRequest } from "../../shared/rpc/posts.ts";
import { binDirectory, provideBinary } from "../platform/binaries.ts";
import { startNats } from "../platform/nats.ts";
import { startLedgerNodes } from "./support/ledger-nodes.ts";
import { inLedgerPlace } from "./support/ledger-place.ts";
import { pick, type Row } from "./support/rate.ts";
import { seedBlocks, seedWallets } from "./support/seed.ts";
import type { Setting } from "./support/setting.ts";

const WALLETS = 10_000;
const MANY_WALLETS = 1_000_000;

export async function benchScale(setting: Setting): Promise<Row[]> {
  const binary = await provideBinary("nats-server", binDirectory(), setting.say);
  const nats = await startNats({ binary, say: setting.say });
  const within = { ...setting, environment: { ...setting.environment, NATS_URL: nats.url } };
  try {
    return [...(await measureLength(within)), ...(await measureMemory(within))];
  } finally {
    await nats.stop();
  }
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
  return inLedgerPlace(setting, name, async ({ environment, raw }) => {
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
  return inLedgerPlace(setting, "memory", async ({ environment, raw }) => {
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
  const [heapBytes = 0] = await nodes.heaps();
  await nodes.stop();
  return Math.round(heapBytes / 1e6);
}

function payout(walletId: string): PostingRequest {
  const money = { currency: "USD", method: "ACH", amountMinor: 1, feesMinor: 1 } as const;
  return { id: newId(), kind: "payout", walletId, ...money };
}

/** A credit, because an empty wallet declines a debit. */
function reversal(walletId: string): PostingRequest {
  return { ...payout(walletId), kind: "payout-reversal" };
}
