// Assembles the ledger of one process: the block log, its checkpoints and its reads.

import type { Connection, mongo } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import { type Gauge, gauge, type Metrics, NO_METRICS } from "../../shared/observability/metrics.ts";
import { PARTITIONS, partitionFor } from "../../shared/rpc/partitions.ts";
import { MAJORITY } from "../../shared/storage/database.ts";
import { createReadBalances, type ReadBalances } from "./balances.ts";
import { type BlockLog, createBlockLog } from "./block-log.ts";
import { createReadBooks, type ReadBooks } from "./books.ts";
import { DEFAULT_BOUNDS, type LedgerBounds } from "./bounds.ts";
import { createCheckpoints } from "./checkpoint.ts";
import { createReadHead, type ReadHead } from "./head.ts";
import {
  type Account,
  accountSchema,
  BEFORE_FIRST_BLOCK,
  blockSchema,
  type StoredBlock,
  type Watermark,
  watermarkSchema,
} from "./journal.model.ts";
import type { Partition } from "./partition.ts";
import { createReadPeriod, type ReadPeriod } from "./period.ts";
import { systemAccounts } from "./postings.ts";
import { createReads, type Reads } from "./reads.ts";
import { type Collections, createStore } from "./store.ts";
import { createWalletBlocks, type WalletBlocks } from "./wallet-blocks.ts";

export interface Ledger {
  log: BlockLog;
  reads: Reads;
  period: ReadPeriod;
  walletBlocks: WalletBlocks;
  readHead: ReadHead;
  readBooks: ReadBooks;
  readBalances: ReadBalances;
  partitionFor: (walletId: string) => number;
  /** The queue and the part of the journal that no checkpoint covers, for the metrics. */
  gauges(): Gauge[];
  /** Waits for queued operations and for the checkpoints, so that no tail is left. */
  stop(): Promise<void>;
}

export const ledgerSchemas = {
  ledger_blocks: blockSchema,
  ledger_accounts: accountSchema,
  ledger_watermarks: watermarkSchema,
};

/** Reports a problem that operators must know. */
type OnProblem = (problem: string, error: unknown) => void;

/** Opens the ledger of a database, and sets up a new database. */
export async function createLedger(
  { connection }: { connection: Connection },
  clock: Clock,
  onProblem: OnProblem,
  bounds: LedgerBounds = DEFAULT_BOUNDS,
  metrics = NO_METRICS,
): Promise<Ledger> {
  const client = connection.getClient();
  const db = client.db(connection.name);
  const collections: Collections = {
    blocks: db.collection<StoredBlock>("ledger_blocks"),
    accounts: db.collection<Account>("ledger_accounts"),
    watermarks: db.collection<Watermark>("ledger_watermarks"),
  };
  const partitionCount = await setUp(collections, clock);
  return ledgerOver({
    client,
    collections,
    partitionCount,
    clock,
    onProblem,
    bounds,
    metrics,
  });
}

/** Assembles the ledger over collections that are already set up. */
export function ledgerOver({
  client,
  collections,
  partitionCount,
  clock,
  onProblem,
  bounds,
  metrics = NO_METRICS,
}: {
  client: mongo.MongoClient;
  collections: Collections;
  partitionCount: number;
  clock: Clock;
  onProblem: OnProblem;
  bounds: LedgerBounds;
  metrics?: Metrics;
}): Ledger {
  const partitionOf = (walletId: string) => partitionFor(walletId, partitionCount);
  const store = createStore(client, collections, (error) =>
    onProblem("A block can never be stored", error),
  );
  const partitions = new Map<number, Partition>();
  const checkpoints = createCheckpoints({
    store,
    clock,
    partitions,
    bounds,
    onError: (error) => onProblem("A checkpoint failed and is tried again", error),
  });
  const log = createBlockLog({
    store,
    clock,
    partitions,
    partitionFor: partitionOf,
    onFolded: checkpoints.schedule,
    bounds,
    metrics,
  });
  const walletBlocks = createWalletBlocks({ store, collections, partitionFor: partitionOf });
  return {
    log,
    reads: createReads({ store, collections, walletBlocks, partitionFor: partitionOf }),
    period: createReadPeriod(walletBlocks),
    walletBlocks,
    readHead: createReadHead({ store, collections, clock }),
    readBooks: createReadBooks({ store, collections, clock }),
    readBalances: createReadBalances({ store, collections }),
    partitionFor: partitionOf,
    gauges() {
      const tails = [...partitions.values()].map(({ tail }) => tail);
      const oldest = Math.min(...tails.map((tail) => tail[0]?.at ?? Number.POSITIVE_INFINITY));
      const lagMs = Math.max(0, clock.now() - oldest);
      return [
        gauge("payrail_ledger_queued_operations", log.queued(), {}),
        gauge("payrail_ledger_tail_blocks", Math.max(0, ...tails.map(({ length }) => length)), {}),
        gauge("payrail_ledger_checkpoint_lag_seconds", lagMs / 1_000, {}),
      ];
    },
    async stop() {
      await log.idle();
      await checkpoints.flush();
    },
  };
}

/**
 * Inserts the watermarks and system accounts of a new database. Several processes may do this at
 * once; existing documents do not change.
 * @returns the number of partitions
 */
async function setUp({ accounts, watermarks }: Collections, clock: Clock): Promise<number> {
  const known = await watermarks.findOne({ _id: 0 });
  const of = known?.of ?? PARTITIONS;
  const all = [...Array(of).keys()];
  const createdAt = new Date(clock.now());
  await insertMissing(
    accounts,
    all.flatMap((p) =>
      systemAccounts(p).map(({ id, currency }) => ({
        _id: id,
        p,
        type: "SYSTEM" as const,
        currency,
        createdAt,
        checkpoint: BEFORE_FIRST_BLOCK,
      })),
    ),
  );
  await insertMissing(
    watermarks,
    all.map((p) => ({ _id: p, n: 0, hash: "", of })),
  );
  return of;
}

/**
 * Inserts the missing documents. It reads the ids first, because only the first start finds
 * documents missing.
 */
async function insertMissing<T extends mongo.Document & { _id: string | number }>(
  collection: mongo.Collection<T>,
  documents: T[],
): Promise<void> {
  const ids = documents.map(({ _id }) => _id);
  const known = await collection
    .find({ _id: { $in: ids } } as mongo.Filter<T>, { ...MAJORITY, projection: { _id: 1 } })
    .toArray();
  const existing = new Set<string | number>(known.map(({ _id }) => _id));
  const missing = documents.filter(({ _id }) => !existing.has(_id));
  if (missing.length === 0) return;
  const writes = missing.map((document) => ({
    updateOne: {
      filter: { _id: document._id },
      update: { $setOnInsert: document },
      upsert: true,
    },
  }));
  await collection.bulkWrite(writes as never, {
    ordered: false,
    writeConcern: { w: "majority", j: true },
  });
}
