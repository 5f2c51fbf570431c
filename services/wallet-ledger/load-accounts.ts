// Loads accounts into the caches of the partitions, by rule 2 of partition.ts. The partitions of an
// append share a read, because each read costs as much as dozens of accounts in it.

import { gather } from "../../shared/resumable/gather.ts";
import { bringUpToDate, type Partition, type Undecided } from "./partition.ts";
import type { Store } from "./store.ts";

/** Loads the existing accounts that the postings touch and the cache lacks. */
export type LoadAccounts = (partition: Partition, undecided: Undecided[]) => Promise<void>;

/** More partitions than an append has. */
const PARTITIONS_PER_READ = 100;

export function createLoadAccounts(store: Store): LoadAccounts {
  const readAccounts = gather(
    async (lists: string[][]) => {
      const found = await store.readAccounts(lists.flat());
      const accounts = new Map(found.map((account) => [account.id, account]));
      return lists.map((ids) => ids.flatMap((id) => accounts.get(id) ?? []));
    },
    { maxItems: PARTITIONS_PER_READ },
  );

  return async (partition, undecided) => {
    const ids = findMissing(partition, undecided);
    while (ids.length > 0) {
      const { tailStart } = partition;
      const checkpoints = await readAccounts(ids);
      // If the tail was trimmed during the read, it may lack blocks that these checkpoints lack
      // too.
      if (partition.tailStart !== tailStart) continue;
      for (const { id, ...checkpoint } of checkpoints) {
        if (partition.accounts.has(id)) continue;
        partition.accounts.set(id, bringUpToDate(checkpoint, id, partition.tail));
      }
      return;
    }
  };
}

function findMissing({ accounts }: Partition, undecided: Undecided[]): string[] {
  const missing = new Set<string>();
  const need = (id: string) => {
    if (!accounts.has(id)) missing.add(id);
  };
  for (const { posting, legs } of undecided) {
    need(posting.walletId);
    for (const [account] of legs) need(account);
  }
  return [...missing];
}
