// Seeds a long journal in a short time. Blocks are built and folded by the ledger's own functions
// and inserted in large batches. The journal is valid: `verify` finds no violation, and a ledger
// continues it.

import type { mongo } from "mongoose";
import {
  type Account,
  BEFORE_FIRST_BLOCK,
  type StoredBlock,
  type Watermark,
} from "../../../services/wallet-ledger/journal.model.ts";
import {
  buildBlock,
  fold,
  type Partition,
  partitionAt,
  type Undecided,
} from "../../../services/wallet-ledger/partition.ts";
import {
  type AccountState,
  buildLegs,
  hashPayload,
  type Posting,
} from "../../../services/wallet-ledger/postings.ts";
import { createStore } from "../../../services/wallet-ledger/store.ts";
import { newId } from "../../../shared/ids.ts";
import { PARTITIONS, partitionFor } from "../../../shared/rpc/partitions.ts";

const OWNER = { currency: "USD", type: "SPEND" } as const;
const WALLETS_PER_INSERT = 10_000;
const TRANSFERS_PER_INSERT = 5_000;
const WALLETS_PER_BLOCK = 500;

/** Inserts wallets without postings, of one partition if given. @returns their ids */
export async function seedWallets(
  db: mongo.Db,
  count: number,
  { partition, businessId = newId() }: { partition?: number; businessId?: string } = {},
): Promise<string[]> {
  const accounts = db.collection<Account>("ledger_accounts");
  const ids: string[] = [];
  let batch: Account[] = [];
  while (ids.length < count) {
    const id = newId();
    const p = partitionFor(id, PARTITIONS);
    if (partition !== undefined && p !== partition) continue;
    ids.push(id);
    const owner = { ...OWNER, businessId, entityId: newId() };
    batch.push({ _id: id, p, ...owner, createdAt: new Date(), checkpoint: BEFORE_FIRST_BLOCK });
    if (batch.length < WALLETS_PER_INSERT && ids.length < count) continue;
    await accounts.insertMany(batch, { ordered: false });
    batch = [];
  }
  return ids;
}

/** Funds each wallet once, in an idle ledger. @param amountMinor in minor units */
export async function seedFunds(
  db: mongo.Db,
  wallets: string[],
  amountMinor: number,
): Promise<void> {
  for (let p = 0; p < PARTITIONS; p++) {
    const own = wallets.filter((id) => partitionFor(id, PARTITIONS) === p);
    const blocks = Array.from({ length: Math.ceil(own.length / WALLETS_PER_BLOCK) }, (_, i) =>
      own.slice(i * WALLETS_PER_BLOCK, (i + 1) * WALLETS_PER_BLOCK),
    );
    await seedBlocks(db, p, blocks, amountMinor);
  }
}

/**
 * Appends blocks of fundings to one partition of an idle ledger and checkpoints them.
 * @param blocks the wallets of each block; a wallet is funded once for each time it is listed
 * @param amountMinor of each funding, in minor units
 * @returns the number of written transfers
 */
export async function seedBlocks(
  db: mongo.Db,
  p: number,
  blocks: Iterable<string[]>,
  amountMinor: number,
): Promise<number> {
  const partition = await openPartition(db, p);
  const journal = db.collection<StoredBlock>("ledger_blocks");
  let batch: StoredBlock[] = [];
  let transfers = 0;
  let inserted = 0;
  for (const wallets of blocks) {
    const { block, stored } = buildBlock(
      partition,
      wallets.map(fundingOf(p, amountMinor)),
      Date.now(),
    );
    fold(partition, block);
    // No caller needs this fold for a retry or a checkpoint.
    partition.tail.length = 0;
    partition.decided.clear();
    batch.push(stored);
    transfers += wallets.length;
    if (transfers - inserted < TRANSFERS_PER_INSERT) continue;
    await journal.insertMany(batch, { ordered: false });
    inserted = transfers;
    batch = [];
  }
  if (batch.length > 0) await journal.insertMany(batch, { ordered: false });
  await checkpoint(db, partition);
  return transfers;
}

async function openPartition(db: mongo.Db, p: number): Promise<Partition> {
  const mark = await db.collection<Watermark>("ledger_watermarks").findOne({ _id: p });
  if (!mark) throw new Error(`Partition ${p} is not set up`);
  const partition = partitionAt(p, mark);
  for await (const account of db.collection<Account>("ledger_accounts").find({ p })) {
    partition.accounts.set(account._id, { currency: account.currency, ...account.checkpoint });
  }
  return partition;
}

function fundingOf(p: number, amountMinor: number): (walletId: string) => Undecided {
  return (walletId) => {
    const money = { kind: "funding", currency: "USD", amountMinor } as const;
    const posting: Posting = { id: newId(), walletId, ...money };
    const payloadHash = hashPayload(posting);
    return { posting, legs: buildLegs(posting, p), payloadHash, void: false };
  };
}

/** Writes the checkpoints of all touched accounts, then the watermark. */
async function checkpoint(db: mongo.Db, { p, dirty, accounts, tip }: Partition): Promise<void> {
  const store = createStore(db.client, {
    blocks: db.collection<StoredBlock>("ledger_blocks"),
    accounts: db.collection<Account>("ledger_accounts"),
    watermarks: db.collection<Watermark>("ledger_watermarks"),
  });
  const touched = [...dirty.keys()].map((id) => ({ id, ...(accounts.get(id) as AccountState) }));
  for (let i = 0; i < touched.length; i += WALLETS_PER_INSERT) {
    await store.writeCheckpoints(touched.slice(i, i + WALLETS_PER_INSERT));
  }
  await store.moveWatermarks([{ p, tip }]);
}
