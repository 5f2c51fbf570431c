// Brings the checkpoints of accounts up to the last block of each partition. Blocks of releases that
// wrote checkpoints may not say the marks of wallets and the balances of system accounts, which the
// ledger then takes from the checkpoints (latest.ts, tip.ts in services/wallet-ledger). Processes of
// the previous release may write checkpoints meanwhile: the later checkpoint stays.

import type { mongo } from "mongoose";
import { readBlock } from "../../services/wallet-ledger/block-format.ts";
import type {
  Account,
  Block,
  Checkpoint,
  StoredBlock,
  Watermark,
} from "../../services/wallet-ledger/journal.model.ts";
import { addToBalance } from "../../services/wallet-ledger/postings.ts";

const MAJORITY = { readConcern: { level: "majority" } } as const;
const DURABLE = { writeConcern: { w: "majority", j: true } } as const;
const BLOCKS_AT_ONCE = 100;

export async function completeCheckpoints(db: mongo.Db): Promise<void> {
  const watermarks = db.collection<Watermark>("ledger_watermarks");
  const blocks = db.collection<StoredBlock>("ledger_blocks");
  for (const mark of await watermarks.find({}, MAJORITY).toArray()) {
    let { n } = mark;
    for (;;) {
      const next = blocks.find({ p: mark._id, n: { $gt: n } }, MAJORITY).sort({ n: 1 });
      const found = (await next.limit(BLOCKS_AT_ONCE).toArray()).map(readBlock);
      const last = found.at(-1);
      if (!last) break;
      await writeCheckpoints(db, found);
      // The watermark moves after the checkpoints, as in the previous release.
      const { hash } = last;
      await watermarks.updateOne(
        { _id: mark._id, n: { $lt: last.n } },
        { $set: { n: last.n, hash } },
        DURABLE,
      );
      ({ n } = last);
    }
  }
}

async function writeCheckpoints(db: mongo.Db, blocks: Block[]): Promise<void> {
  const accounts = db.collection<Account>("ledger_accounts");
  const touched = new Set(
    blocks.flatMap(({ transfers }) =>
      transfers.flatMap(({ wallet, legs }) => [wallet, ...legs.map(([account]) => account)]),
    ),
  );
  const found = await accounts.find({ _id: { $in: [...touched] } }, MAJORITY).toArray();
  if (found.length < touched.size) throw new Error("An account of the journal is missing");
  const writes = found.map(({ _id, checkpoint }) => ({
    updateOne: {
      filter: { _id },
      update: { $max: { checkpoint: after(checkpoint, _id, blocks) } },
    },
  }));
  await accounts.bulkWrite(writes, { ordered: false, ...DURABLE });
}

/** The checkpoint of an account after blocks; a block up to its own number changes nothing. */
function after(checkpoint: Checkpoint, id: string, blocks: Block[]): Checkpoint {
  let { n, balance, disabled } = checkpoint;
  for (const block of blocks) {
    if (block.n <= checkpoint.n) continue;
    for (const { outcome, kind, legs, wallet } of block.transfers) {
      if (outcome !== "committed") continue;
      for (const [account, amountMinor] of legs) {
        if (account !== id) continue;
        balance = addToBalance(balance, amountMinor);
        ({ n } = block);
      }
      if (wallet !== id || (kind !== "disable" && kind !== "enable")) continue;
      disabled = kind === "disable";
      ({ n } = block);
    }
  }
  return { n, balance, disabled };
}
