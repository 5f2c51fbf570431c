// A forger of journals: changes the blocks of a partition and makes everything that follows from
// them anew, as an attacker with all rights on the database would: balances, statements, hashes,
// checkpoints and the watermark.

import type { mongo } from "mongoose";
import { packBlock, readBlock } from "../../../services/wallet-ledger/block-format.ts";
import {
  type Account,
  BEFORE_FIRST_BLOCK,
  type Block,
  type Checkpoint,
  hashBlock,
  type StoredBlock,
  type Transfer,
  type Watermark,
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
  const accounts = db.collection<Account>("ledger_accounts");
  const watermarks = db.collection<Watermark>("ledger_watermarks");
  const before = {
    blocks: await blocks.find({ p }).sort({ n: 1 }).toArray(),
    accounts: await accounts.find({ p }).toArray(),
    mark: (await watermarks.findOne({ _id: p })) as Watermark,
  };
  const { forged, checkpoints, tip } = rebuild(change(before.blocks.map(readBlock)));
  const write = async (all: StoredBlock[], owned: Account[], mark: Watermark) => {
    await blocks.deleteMany({ p });
    if (all.length > 0) await blocks.insertMany(all);
    for (const { _id, checkpoint } of owned) {
      await accounts.updateOne({ _id }, { $set: { checkpoint } });
    }
    await watermarks.replaceOne({ _id: p }, { n: mark.n, hash: mark.hash, of: mark.of });
  };
  const owned = before.accounts.map((account) => {
    return { ...account, checkpoint: checkpoints.get(account._id) ?? BEFORE_FIRST_BLOCK };
  });
  await write(forged, owned, { ...before.mark, ...tip });
  return () => write(before.blocks, before.accounts, before.mark);
}

function rebuild(blocks: Block[]) {
  const checkpoints = new Map<string, Checkpoint>();
  const checkpointOf = (id: string) => {
    const checkpoint = checkpoints.get(id) ?? { ...BEFORE_FIRST_BLOCK };
    checkpoints.set(id, checkpoint);
    return checkpoint;
  };
  let tip = { n: 0, hash: "" };
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
    const packed = packBlock({ ...block, transfers, prevHash: tip.hash });
    tip = { n: packed.n, hash: hashBlock(packed) };
    return { ...packed, hash: tip.hash };
  });
  return { forged, checkpoints, tip };
}
