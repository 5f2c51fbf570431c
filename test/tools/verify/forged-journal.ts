// A forger of journals: changes the blocks of a partition and makes everything that follows from
// them anew, as an attacker with all rights on the database would: balances, statements and hashes.

import type { mongo } from "mongoose";
import { packBlock, readBlock } from "../../../services/wallet-ledger/block-format.ts";
import {
  BEFORE_FIRST_BLOCK,
  type Block,
  type Checkpoint,
  hashBlock,
  type StoredBlock,
  type SystemBalances,
  type Transfer,
} from "../../../services/wallet-ledger/journal.model.ts";
import { addToBalance } from "../../../services/wallet-ledger/postings.ts";

/**
 * Replaces the blocks of a partition.
 * @param change returns the blocks that the attacker wants, with the old balances and hashes
 * @returns a function that brings the former documents back
 */
export async function forge(
  db: mongo.Db,
  p: number,
  change: (blocks: Block[]) => Block[],
): Promise<() => Promise<void>> {
  const blocks = db.collection<StoredBlock>("ledger_blocks");
  const before = await blocks.find({ p }).sort({ n: 1 }).toArray();
  const forged = rebuild(change(before.map(readBlock)));
  const write = async (all: StoredBlock[]) => {
    await blocks.deleteMany({ p });
    if (all.length > 0) await blocks.insertMany(all);
  };
  await write(forged);
  return () => write(before);
}

function systemOf(p: number, checkpoints: Map<string, Checkpoint>): SystemBalances {
  const own = [...checkpoints].filter(([id, { balance }]) => id.startsWith(`${p}:`) && balance);
  return Object.fromEntries(own.map(([id, { balance }]) => [id.slice(`${p}:`.length), balance]));
}

function rebuild(blocks: Block[]): StoredBlock[] {
  const checkpoints = new Map<string, Checkpoint>();
  const checkpointOf = (id: string) => {
    const checkpoint = checkpoints.get(id) ?? { ...BEFORE_FIRST_BLOCK };
    checkpoints.set(id, checkpoint);
    return checkpoint;
  };
  let prevHash = "";
  const forged = blocks.map((block) => {
    const touched = new Set<Checkpoint>();
    const transfers = block.transfers.map((transfer): Transfer => {
      const wallet = checkpointOf(transfer.wallet);
      const { n: prev } = wallet;
      for (const [id, amountMinor] of transfer.legs) {
        const checkpoint = checkpointOf(id);
        checkpoint.balance = addToBalance(checkpoint.balance, amountMinor);
        touched.add(checkpoint);
      }
      return { ...transfer, balance: wallet.balance, prev };
    });
    for (const checkpoint of touched) checkpoint.n = block.n;
    const system = systemOf(block.p, checkpoints);
    const packed = packBlock({ ...block, transfers, system, prevHash });
    prevHash = hashBlock(packed);
    return { ...packed, hash: prevHash };
  });
  return forged;
}
