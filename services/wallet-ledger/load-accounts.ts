// Loads accounts into the cache of a partition, by rule 2 of partition.ts.

import { bringUpToDate, type Partition, type Undecided } from "./partition.ts";
import type { Store } from "./store.ts";

/** Loads the existing accounts that the postings touch and the cache lacks. */
export async function loadAccounts(
  store: Store,
  partition: Partition,
  undecided: Undecided[],
): Promise<void> {
  const missing = new Set<string>();
  const need = (id: string) => {
    if (!partition.accounts.has(id)) missing.add(id);
  };
  for (const { posting, legs } of undecided) {
    need(posting.walletId);
    for (const [account] of legs) need(account);
  }
  if (missing.size > 0) await load(store, partition, [...missing]);
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
