// Loads accounts into the cache of a partition, by rule 2 of partition.ts.

import { bringUpToDate, type Partition, type Undecided } from "./partition.ts";
import type { Store } from "./store.ts";

/** Loads the existing accounts that the postings touch; they are the most recently used then. */
export async function loadAccounts(
  store: Store,
  partition: Partition,
  undecided: Undecided[],
): Promise<void> {
  const needed = new Set<string>();
  for (const { posting, legs } of undecided) {
    needed.add(posting.walletId);
    for (const [id] of legs) needed.add(id);
  }
  const missing = [...needed].filter((id) => !partition.accounts.has(id));
  if (missing.length > 0) await load(store, partition, missing);
  // The map keeps the most recently used account last.
  for (const id of needed) {
    const state = partition.accounts.get(id);
    if (!state) continue;
    partition.accounts.delete(id);
    partition.accounts.set(id, state);
  }
}

async function load(store: Store, partition: Partition, ids: string[]): Promise<void> {
  for (;;) {
    const { tailStart } = partition;
    const checkpoints = await store.readAccounts(ids);
    // If the tail was trimmed during the read, it may lack blocks that these checkpoints lack too.
    if (partition.tailStart !== tailStart) continue;
    for (const { id, ...checkpoint } of checkpoints) {
      if (partition.accounts.has(id)) continue;
      partition.accounts.set(id, bringUpToDate(checkpoint, id, partition.tail));
    }
    return;
  }
}
