// Checkpoints: behind the commits, every touched account's balance is written down, and then the
// watermarks that say so. Nobody waits for it, and a crash loses nothing: whoever comes next folds
// the blocks after the watermark.
//  - Balance and number are taken together from one folded state, for every account that any folded
//    block after the watermark touched, whoever wrote the block and whether it is cached or not.
//  - A watermark moves to the tip of that state, and only after a majority has every balance. After
//    a failure none moves, and the next checkpoint writes all of them again.
//  - All partitions share the writes: each has to wait for the disk of a majority.

import type { Clock } from "../../shared/clock.ts";
import { broughtUp, type Partition, type Tip } from "./partition.ts";
import type { AccountState } from "./postings.ts";
import type { AccountCheckpoint, Store } from "./store.ts";

export interface Checkpoints {
  /** Blocks were folded: a checkpoint follows soon. Those that are asked for meanwhile are one. */
  soon(): void;
  /** Waits for the checkpoint that is due, so that a stop leaves no tail behind. */
  flush(): Promise<void>;
}

/** A partition's dirty accounts as they all are at one tip. */
interface Snapshot {
  partition: Partition;
  /** The map that they were taken from; after a jump the partition has another. */
  dirty: Partition["dirty"];
  tip: Tip;
  accounts: AccountCheckpoint[];
}

const DELAY_MS = 250;
const ACCOUNTS_PER_WRITE = 1_000;

export function createCheckpoints({
  store,
  clock,
  partitions,
  onError,
}: {
  store: Store;
  clock: Clock;
  partitions: Map<number, Partition>;
  onError: (error: unknown) => void;
}): Checkpoints {
  let due = false;
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    while (due) {
      await clock.sleep(DELAY_MS);
      due = false;
      await checkpointAll();
    }
    running = null;
  }

  async function checkpointAll(): Promise<void> {
    try {
      // Blocks of declines alone touch no account: they only move the watermark.
      const touched = [...partitions.values()].filter(({ tail }) => tail.length > 0);
      const snapshots = await Promise.all(touched.map(snapshot));
      const accounts = snapshots.flatMap((each) => each.accounts);
      for (let i = 0; i < accounts.length; i += ACCOUNTS_PER_WRITE) {
        await store.writeCheckpoints(accounts.slice(i, i + ACCOUNTS_PER_WRITE));
      }
      await store.moveWatermarks(snapshots.map(({ partition, tip }) => ({ p: partition.p, tip })));
      for (const { partition, dirty, tip } of snapshots) {
        // After a jump meanwhile this snapshot speaks of a tail that is forgotten already.
        if (partition.dirty === dirty) trimTail(partition, tip);
      }
    } catch (error) {
      due = true;
      onError(error);
    }
  }

  /**
   * Every dirty account at one tip. Those that the cache has dropped are read; what is read stays
   * usable while blocks are folded on top, since only a checkpoint trims the tail.
   */
  async function snapshot(partition: Partition): Promise<Snapshot> {
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
      if (partition.dirty !== dirty) throw new Error("The partition jumped ahead");
      for (const { id, ...state } of found) read.set(id, state);
    }
    const accounts = [...dirty.keys()].map((id) => {
      const cached = partition.accounts.get(id);
      return { id, ...(cached ?? broughtUp(read.get(id) as AccountState, id, partition.tail)) };
    });
    return { partition, dirty, tip: partition.tip, accounts };
  }

  return {
    soon() {
      due = true;
      running ??= run();
    },
    async flush() {
      while (running) await running;
    },
  };
}

/** Forgets the tail up to the new watermark; accounts touched after it stay dirty. */
function trimTail(partition: Partition, { n }: Tip): void {
  partition.tail = partition.tail.filter((block) => block.n > n);
  partition.tailStart = n;
  for (const [id, touched] of partition.dirty) {
    if (touched <= n) partition.dirty.delete(id);
  }
}
