// Loads wallets into the caches of the partitions, by rule 1 of partition.ts. The partitions of an
// append share a read, because each read costs as much as several accounts in it.

import { gather } from "../../shared/resumable/gather.ts";
import type { Partition, Undecided } from "./partition.ts";
import type { Store } from "./store.ts";

/** Loads the existing wallets that the postings touch and the cache lacks. */
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

  return async ({ accounts }, undecided) => {
    const touched = new Set(undecided.map(({ posting }) => posting.walletId));
    const missing = [...touched].filter((id) => !accounts.has(id));
    if (missing.length === 0) return;
    for (const { id, ...state } of await readAccounts(missing)) accounts.set(id, state);
  };
}
