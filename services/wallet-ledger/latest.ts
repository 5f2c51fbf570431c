// The state of an account: what the last transfer of its latest block says. The index on partition,
// wallet and number finds the block. Blocks of releases that wrote checkpoints lack the mark, which
// is then that of the account's checkpoint; a migration has brought it to its last such block.

import type { mongo } from "mongoose";
import { readTransfer } from "./block-format.ts";
import type { Account, Checkpoint, StoredBlock, Transfer } from "./journal.model.ts";

/** An account with the latest block that has transfers of it, and only these; none at first. */
export type WithLatest<T> = T & { latest: Pick<StoredBlock, "n" | "transfers">[] };

/** Stages that add its latest block to each account. */
export const WITH_LATEST: mongo.Document[] = [
  {
    $lookup: {
      from: "ledger_blocks",
      localField: "_id",
      foreignField: "transfers.wallet",
      let: { account: "$_id", p: "$p" },
      pipeline: [
        { $match: { $expr: { $eq: ["$p", "$$p"] } } },
        { $sort: { n: -1 } },
        { $limit: 1 },
        { $project: { n: 1, transfers: transfersWhere("wallet", ["$$account"]) } },
      ],
      as: "latest",
    },
  },
];

/**
 * Projects only the transfers with one of the values in the field, because most transfers of a
 * block belong to other wallets.
 */
export function transfersWhere(field: "id" | "wallet", values: string[]) {
  return {
    $filter: { input: "$transfers", as: "t", cond: { $in: [`$$t.${field}`, values] } },
  };
}

/**
 * The state of an account.
 * @throws Error if its latest block lacks the mark and its checkpoint is of another block
 */
export function stateOf(
  account: WithLatest<Pick<Account, "_id" | "p" | "checkpoint">>,
): Checkpoint {
  const { _id: id, p, checkpoint, latest } = account;
  const transfers = latest.flatMap((block) => block.transfers.map((each) => readTransfer(p, each)));
  const last = transfers.at(-1);
  const n = last ? lastTouch(transfers, latest[0]?.n as number) : 0;
  if (last?.disabled !== undefined) return { n, balance: last.balance, disabled: last.disabled };
  if (checkpoint.n === n) return checkpoint;
  throw new Error(`Account ${id} has its checkpoint at block ${checkpoint.n}, and not at ${n}`);
}

/** Only committed transfers touch a wallet; a declined one names the block that did before. */
function lastTouch(transfers: Transfer[], n: number): number {
  const isTouched = transfers.some(({ outcome }) => outcome === "committed");
  return isTouched ? n : (transfers[0]?.prev as number);
}
