// Checkpoints: writes the balance of every touched account behind the commits, and then moves the
// watermarks. No caller waits for them. A crash loses nothing, because the next process folds the
// blocks after the watermark.
//  - The balance and the block number are taken together from one folded state, for every account
//    that a folded block after the watermark touched, whichever process wrote the block and whether
//    the account is cached or not.
//  - A watermark moves to the tip of that state, and only after a majority has every balance. After
//    a failure no watermark moves, and the next checkpoint writes all balances again.
//  - All partitions share the writes, because each write waits for the disks of a majority.

import type { Clock } from "../../shared/clock.ts";
import { NO_ORIGINS, workFor } from "../../shared/rpc/origin.ts";
import type { LedgerBounds } from "./bounds.ts";
import { bringUpToDate, type Partition, type Tip } from "./partition.ts";
import type { AccountState } from "./postings.ts";
import type { Store } from "./store.ts";

export interface Checkpoints {
  /** Schedules a checkpoint of the folded blocks. Calls before it runs share it. */
  schedule(): void;
  /** Waits for the due checkpoint, so that a stopped process leaves no tail. */
  flush(): Promise<void>;
}

/**
 * The pause before a checkpoint: as many times the duration of the one before, within these bounds.
 * A checkpoint writes each touched account once, however many blocks touched it, so a longer pause
 * costs MongoDB less. A shorter one costs reads less, because they read the tail.
 */
const PAUSE = { durations: 4, shortestMs: 250, longestMs: 3_000 };
/** The share of the bound of a tail at which its checkpoint begins after the shortest pause. */
const LONG_TAIL = 0.25;
const ACCOUNTS_PER_WRITE = 1_000;

export function createCheckpoints({
  store,
  clock,
  partitions,
  bounds,
  onError,
}: {
  store: Store;
  clock: Clock;
  partitions: Map<number, Partition>;
  bounds: Pick<LedgerBounds, "tail">;
  onError: (error: unknown) => void;
}): Checkpoints {
  let due = false;
  let isFlushing = false;
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    let lastMs = 0;
    while (due) {
      await pause(Math.min(PAUSE.durations * lastMs, PAUSE.longestMs));
      due = false;
      const startedAt = clock.now();
      await checkpointAll();
      lastMs = clock.now() - startedAt;
    }
    running = null;
  }

  /** Pauses for this time, or shorter if the process stops or a tail becomes long. */
  async function pause(ms: number): Promise<void> {
    const until = clock.now() + ms;
    do await clock.sleep(PAUSE.shortestMs);
    while (clock.now() < until && !isFlushing && !hasLongTail());
  }

  function hasLongTail(): boolean {
    const long = LONG_TAIL * bounds.tail;
    return partitions.values().some(({ tail }) => tail.length >= long);
  }

  async function checkpointAll(): Promise<void> {
    try {
      // A block with declines only touches no account: it only moves the watermark.
      const touched = [...partitions.values()].filter(({ tail }) => tail.length > 0);
      // A partition that skipped to a watermark has dropped its tail, so nothing may be left, and
      // the driver refuses an empty write.
      if (touched.length === 0) return;
      const snapshots = await Promise.all(touched.map(snapshot));
      const accounts = snapshots.flatMap((each) => each.accounts);
      for (let i = 0; i < accounts.length; i += ACCOUNTS_PER_WRITE) {
        await store.writeCheckpoints(accounts.slice(i, i + ACCOUNTS_PER_WRITE));
      }
      await store.moveWatermarks(snapshots.map(({ partition, tip }) => ({ p: partition.p, tip })));
      for (const { partition, dirty, tip } of snapshots) {
        // A partition that skipped to a watermark has another map, and has dropped this tail.
        if (partition.dirty === dirty) trimTail(partition, tip);
      }
    } catch (error) {
      due = true;
      onError(error);
    }
  }

  /**
   * Takes the state of every dirty account at one tip. Reads the accounts that the cache has
   * evicted. A read account stays usable while the process folds more blocks, because only a
   * checkpoint trims the tail.
   */
  async function snapshot(partition: Partition) {
    const { dirty } = partition;
    const read = new Map<string, AccountState>();
    for (;;) {
      const missing = [...dirty.keys()].filter(
        (id) => !partition.accounts.has(id) && !read.has(id),
      );
      if (missing.length === 0) break;
      const found = await store.readAccounts(missing);
      if (found.length < missing.length)
        throw new Error(`Accounts are missing: ${missing.join(", ")}`);
      if (partition.dirty !== dirty) throw new Error("The partition skipped ahead");
      for (const { id, ...state } of found) read.set(id, state);
    }
    const accounts = [...dirty.keys()].map((id) => {
      const cached = partition.accounts.get(id);
      return { id, ...(cached ?? bringUpToDate(read.get(id) as AccountState, id, partition.tail)) };
    });
    return { partition, dirty, tip: partition.tip, accounts };
  }

  return {
    schedule() {
      due = true;
      running ??= workFor(NO_ORIGINS, run);
    },
    async flush() {
      isFlushing = true;
      while (running) await running;
      isFlushing = false;
    },
  };
}

/** Drops the tail up to the new watermark. Accounts that were touched after it stay dirty. */
function trimTail(partition: Partition, { n }: Tip): void {
  partition.tail = partition.tail.filter((block) => block.n > n);
  partition.tailStart = n;
  for (const [id, touched] of partition.dirty) {
    if (touched <= n) partition.dirty.delete(id);
  }
}
