// The tip of a partition: its last block and the balances of its system accounts after it. A block
// of a release that wrote checkpoints lacks these balances. They are then in the checkpoints of the
// system accounts, which a migration has brought to such a block.

import type { mongo } from "mongoose";
import { systemOf } from "./block-format.ts";
import type { Collections, StoredBlock, SystemBalances, Watermark } from "./journal.model.ts";

export interface Tip {
  n: number;
  hash: string;
  system: SystemBalances;
}

type LastBlock = Pick<StoredBlock, "n" | "hash" | "system" | "transfers">;

/** A partition before its first block. */
const NOTHING: Tip = { n: 0, hash: "", system: {} };

/**
 * Reads the tips of some partitions, or of all, by partition.
 * @param options a new object for each read (store.ts)
 * @throws Error if a partition was not migrated
 */
export async function readTips(
  { accounts, watermarks }: Collections,
  partitions: number[] | null,
  options: () => mongo.AggregateOptions & mongo.FindOptions,
): Promise<Map<number, Tip>> {
  const found = await watermarks
    .aggregate<Pick<Watermark, "_id" | "n"> & { last: LastBlock[] }>(
      [
        ...(partitions ? [{ $match: { _id: { $in: partitions } } }] : []),
        {
          $lookup: {
            from: "ledger_blocks",
            localField: "_id",
            foreignField: "p",
            pipeline: [{ $sort: { n: -1 } }, { $limit: 1 }, { $project: LAST_BLOCK }],
            as: "last",
          },
        },
        { $sort: { _id: 1 } },
      ],
      options(),
    )
    .toArray();
  const tips = new Map<number, Tip>();
  for (const { _id: p, n: marked, last } of found) {
    const [block] = last;
    const system = block ? systemOf(block) : NOTHING.system;
    if (!block) tips.set(p, NOTHING);
    else if (system) tips.set(p, { n: block.n, hash: block.hash, system });
    else if (marked < block.n) throw new Error(`Partition ${p} is not migrated`);
    else tips.set(p, { n: block.n, hash: block.hash, system: await readSystem(p) });
  }
  return tips;

  async function readSystem(p: number): Promise<SystemBalances> {
    const own = await accounts.find({ p, type: "SYSTEM" }, options()).toArray();
    const prefix = `${p}:`;
    return Object.fromEntries(
      own.map(({ _id, checkpoint }) => [_id.slice(prefix.length), checkpoint.balance]),
    );
  }
}

const LAST_BLOCK = { n: 1, hash: 1, system: 1, transfers: { $slice: ["$transfers", -1] } };
