// Counts how often the journal has committed transfers, partition by partition.

import { readTransfer } from "../../../services/wallet-ledger/block-format.ts";
import type { StoredBlock } from "../../../services/wallet-ledger/journal.model.ts";
import { partitionFor } from "../../../shared/rpc/partitions.ts";
import { type Books, PHASES } from "../books.ts";

/** A transfer that may be in the journal, in its wallet's partition. */
export interface Expected {
  /** A document that was tampered with may name anything. */
  walletId: unknown;
  transferId: string;
}

export async function committedTimes(
  { aggregate }: Books,
  expected: Expected[],
  partitions: number,
): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  const place = ({ walletId }: Expected) => partitionFor(String(walletId), partitions);
  const byPartition = Map.groupBy(expected, place);
  for (const [p, group] of byPartition) {
    const ids = group.map(({ transferId }) => transferId);
    const found = aggregate<Pick<StoredBlock, "transfers">>(PHASES.blocks, [
      { $match: { p, "transfers.id": { $in: ids } } },
      {
        $project: {
          _id: 0,
          transfers: { $filter: { input: "$transfers", as: "t", cond: { $in: ["$$t.id", ids] } } },
        },
      },
    ]);
    for await (const { transfers } of found) {
      for (const stored of transfers) {
        const { id, outcome } = readTransfer(p, stored);
        if (outcome === "committed") times.set(id, (times.get(id) ?? 0) + 1);
      }
    }
  }
  return times;
}
