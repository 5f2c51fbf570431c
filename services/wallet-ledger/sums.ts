// Sums of accounts at one moment, for heads and for the books. All reads of a moment share a
// snapshot session (store.ts). The last block of a partition is the last block of its tail, or the
// watermark's; a balance is the account's checkpoint plus the blocks after it, as in reads.ts.

import type { mongo } from "mongoose";
import type { Currency } from "../../shared/money.ts";
import { readBlock } from "./block-format.ts";
import type { Account, Block, StoredBlock, Watermark } from "./journal.model.ts";
import { bringUpToDate, sumChanges, type TailBlock, type Tip } from "./partition.ts";
import { systemAccountName } from "./postings.ts";
import type { Collections } from "./store.ts";

/** The blocks after the watermarks, which no checkpoint covers. */
export interface Tail {
  /** The last block of each partition. */
  journal: Tip[];
  blocks: number;
  /** When the oldest of them was built; epoch ms. */
  oldestAt?: number;
  /** The blocks that touched an account, in order. */
  touching: Map<string, TailBlock[]>;
}

/** An account without the fields that sums do not need. */
export type Summed = Pick<Account, "_id" | "type" | "currency" | "checkpoint">;
export const SUMMED = { type: 1, currency: 1, checkpoint: 1 } as const;

/** Sums in minor units, by currency and name: the name of a system account, or another's type. */
export type Sums = Map<Currency, Map<string, bigint>>;

export const ACCOUNTS_PER_READ = 1_000;

export interface ReadSums {
  tail(session: mongo.ClientSession): Promise<Tail>;
  /** The sums of the checkpoints of all accounts, and of the tail's changes to them. */
  ofAll(session: mongo.ClientSession, tail: Tail): Promise<Sums>;
}

export function createReadSums({ blocks, accounts, watermarks }: Collections): ReadSums {
  return {
    async tail(session) {
      const marks = await watermarks.find({}, { session }).sort({ _id: 1 }).toArray();
      const journal = marks.map(({ n, hash }: Watermark): Tip => ({ n, hash }));
      const tail: Tail = { journal, blocks: 0, touching: new Map() };
      const found = blocks.aggregate<StoredBlock>(
        [
          { $match: { $or: marks.map(({ _id: p, n }) => ({ p, n: { $gt: n } })) } },
          { $sort: { p: 1, n: 1 } },
          { $project: { p: 1, n: 1, at: 1, hash: 1, transfers: 1 } },
        ],
        { session },
      );
      for await (const block of found) addBlock(tail, readBlock(block));
      return tail;
    },

    async ofAll(session, tail) {
      const sums: Sums = new Map();
      const groups = accounts.aggregate<{ _id: Omit<Summed, "checkpoint">; sum: unknown }>(
        [{ $group: { _id: SUMMED_TOGETHER, sum: EXACT_SUM } }],
        { session },
      );
      for await (const { _id, sum } of groups) addTo(sums, _id, BigInt(String(sum)));
      const touched = [...tail.touching.keys()];
      for (let i = 0; i < touched.length; i += ACCOUNTS_PER_READ) {
        const ids = { $in: touched.slice(i, i + ACCOUNTS_PER_READ) };
        const options = { session, projection: SUMMED, batchSize: ACCOUNTS_PER_READ };
        for await (const account of accounts.find<Summed>({ _id: ids }, options)) {
          const { balance } = account.checkpoint;
          addTo(sums, account, BigInt(balanceNow(account, tail)) - BigInt(balance));
        }
      }
      return sums;
    },
  };
}

/** The name of a system account is in its id. */
const SUMMED_TOGETHER = {
  type: "$type",
  currency: "$currency",
  _id: { $cond: [{ $eq: ["$type", "SYSTEM"] }, "$_id", ""] },
};
/** A sum in doubles would be rounded; $toDecimal alone rounds a double to 15 digits. */
export const EXACT_SUM = { $sum: { $toDecimal: { $toLong: "$checkpoint.balance" } } };

function addBlock(tail: Tail, block: Block): void {
  const { p, n, at, hash } = block;
  tail.journal[p] = { n, hash };
  tail.blocks += 1;
  tail.oldestAt = Math.min(tail.oldestAt ?? at, at);
  const tailBlock: TailBlock = { n, changes: sumChanges(block) };
  for (const id of tailBlock.changes.keys()) {
    const before = tail.touching.get(id);
    if (before) before.push(tailBlock);
    else tail.touching.set(id, [tailBlock]);
  }
}

export function balanceNow({ _id, checkpoint }: Summed, { touching }: Tail): number {
  return bringUpToDate(checkpoint, _id, touching.get(_id) ?? []).balance;
}

export function addTo(
  sums: Sums,
  { _id, type, currency }: Omit<Summed, "checkpoint">,
  minor: bigint,
): void {
  const name = type === "SYSTEM" ? systemAccountName(_id) : type;
  const ofCurrency = sums.get(currency) ?? new Map<string, bigint>();
  sums.set(currency, ofCurrency.set(name, (ofCurrency.get(name) ?? 0n) + minor));
}
