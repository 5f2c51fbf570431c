// The store: all reads and writes of the ledger, with their concerns:
//  - A write counts only after a majority has journalled it (w: majority, j: true), because an
//    election can roll back any other block, so that block is not committed.
//  - A read is a majority read from the primary, in a causally consistent session that is advanced
//    to the highest operationTime that this process has seen. Otherwise an account that is read
//    after an election may be older than the watermark that was read before it, and the fence would
//    not notice.
//  - The reads of a head see one moment of all partitions, in a snapshot session, because a head is
//    compared with the journal at exactly its blocks.
//  - Each operation gets a new readConcern object, because the driver writes afterClusterTime into
//    it.

import type { mongo } from "mongoose";
import { runInsert, runUpdate, type WriteRefusal } from "../../shared/storage/commands.ts";
import { inOneReply, isDuplicate } from "../../shared/storage/database.ts";
import { readBlock, readTransfer } from "./block-format.ts";
import type { Account, Block, StoredBlock, Transfer, Watermark } from "./journal.model.ts";
import type { Tip } from "./partition.ts";
import type { AccountState } from "./postings.ts";

/**
 * The outcome of a block: stored for good; refused by a unique index; proven impossible to store;
 * or not known, which is never a failure.
 */
export type Appended = "committed" | "refused" | "rejected" | "unknown";

export interface AccountCheckpoint extends AccountState {
  id: string;
}

export interface Store {
  /** Inserts blocks, each a commit of its own. Never throws. */
  appendBlocks(blocks: StoredBlock[]): Promise<Appended[]>;
  /** Blocks of a partition after `n`, in order, at most `limit`. */
  readBlocks(p: number, n: number, limit: number): Promise<Block[]>;
  readWatermark(p: number): Promise<Tip>;
  /** The checkpoints of those accounts that exist. */
  readAccounts(ids: string[]): Promise<AccountCheckpoint[]>;
  /** The transfers with these ids in a partition, with the number and the time of their block. */
  findTransfers(p: number, ids: string[]): Promise<(Transfer & Pick<Block, "n" | "at">)[]>;
  /** Writes checkpoints, each only over an older one. Throws unless a majority has all of them. */
  writeCheckpoints(accounts: AccountCheckpoint[]): Promise<void>;
  /** Moves watermarks, each only forward. Throws unless a majority has all of them. */
  moveWatermarks(marks: { p: number; tip: Tip }[]): Promise<void>;
  /** Runs reads in one causally consistent session. */
  causally<T>(read: (session: mongo.ClientSession) => Promise<T>): Promise<T>;
  /** Runs reads that all see the same moment. */
  atOneMoment<T>(read: (session: mongo.ClientSession) => Promise<T>): Promise<T>;
}

export interface Collections {
  blocks: mongo.Collection<StoredBlock>;
  accounts: mongo.Collection<Account>;
  watermarks: mongo.Collection<Watermark>;
}

const DURABLE = { w: "majority", j: true, wtimeout: 10_000 } as const;

/**
 * Projects only the transfers with one of the values in the field, because most transfers of a
 * block belong to other wallets.
 */
export function transfersWhere(field: "id" | "wallet", values: string[]) {
  return {
    $filter: { input: "$transfers", as: "t", cond: { $in: [`$$t.${field}`, values] } },
  };
}

export function majority(session: mongo.ClientSession) {
  return { session, readConcern: { level: "majority" as const } };
}

/** @param onRejected is called with the error of a block that is proven impossible to store */
export function createStore(
  client: mongo.MongoClient,
  collections: Collections,
  onRejected: (error: unknown) => void = () => {},
): Store {
  const { blocks, accounts, watermarks } = collections;
  // Only holds the highest times seen; no operation uses this session.
  const seen = client.startSession({ causalConsistency: true });

  async function causally<T>(work: (session: mongo.ClientSession) => Promise<T>): Promise<T> {
    const session = client.startSession({ causalConsistency: true });
    if (seen.operationTime) session.advanceOperationTime(seen.operationTime);
    if (seen.clusterTime) session.advanceClusterTime(seen.clusterTime);
    try {
      return await work(session);
    } finally {
      if (session.operationTime) seen.advanceOperationTime(session.operationTime);
      if (session.clusterTime) seen.advanceClusterTime(session.clusterTime);
      await session.endSession();
    }
  }

  return {
    causally,

    atOneMoment: (read) => client.withSession({ snapshot: true }, read),

    async appendBlocks(batch) {
      try {
        const refused = await causally((session) =>
          runInsert(blocks, batch, { session, writeConcern: DURABLE }),
        );
        const fates: Appended[] = batch.map(() => "committed");
        for (const refusal of refused) {
          const fate = readFate(refusal);
          fates[refusal.index] = fate;
          if (fate === "rejected") onRejected(refusal);
        }
        return fates;
      } catch {
        return batch.map(() => "unknown");
      }
    },

    async readBlocks(p, n, limit) {
      const found = await causally((session) =>
        blocks
          .find({ p, n: { $gt: n } }, majority(session))
          .sort({ n: 1 })
          .limit(limit)
          .toArray(),
      );
      return found.map(readBlock);
    },

    async readWatermark(p) {
      const watermark = await causally((session) =>
        watermarks.findOne({ _id: p }, majority(session)),
      );
      if (!watermark)
        throw new Error(`Partition ${p} has no watermark: the database is not set up`);
      return watermark;
    },

    async readAccounts(ids) {
      const projection = { currency: 1, checkpoint: 1 };
      const found = await causally((session) => {
        const options = { ...majority(session), ...inOneReply(ids.length), projection };
        return accounts.find({ _id: { $in: ids } }, options).toArray();
      });
      return found.map(({ _id: id, currency, checkpoint }) => ({ id, currency, ...checkpoint }));
    },

    async findTransfers(p, ids) {
      const found = await causally((session) =>
        blocks
          .aggregate<Pick<StoredBlock, "n" | "at" | "transfers">>(
            [
              { $match: { p, "transfers.id": { $in: ids } } },
              { $project: { n: 1, at: 1, transfers: transfersWhere("id", ids) } },
            ],
            majority(session),
          )
          .toArray(),
      );
      return found.flatMap(({ n, at, transfers }) =>
        transfers.map((each) => ({ ...readTransfer(p, each), n, at })),
      );
    },

    async writeCheckpoints(states) {
      const writes = states.map(({ id, n, balance, disabled }) => ({
        // The later checkpoint is the greater one. A guard in the filter costs mongod 50 % more.
        filter: { _id: id },
        update: { $max: { checkpoint: { n, balance, disabled } } },
      }));
      await causally((session) => runUpdate(accounts, writes, { session, writeConcern: DURABLE }));
    },

    async moveWatermarks(marks) {
      const writes = marks.map(({ p, tip: { n, hash } }) => ({
        filter: { _id: p, n: { $lt: n } },
        update: { $set: { n, hash } },
      }));
      await causally((session) =>
        runUpdate(watermarks, writes, { session, writeConcern: DURABLE }),
      );
    },
  };
}

/** Too large a document, or one that a validator refuses: it cannot ever be stored. */
const NEVER_STORED = [10_334, 121];

function readFate(refusal: WriteRefusal): Appended {
  if (isDuplicate(refusal)) return "refused";
  return NEVER_STORED.includes(refusal.code) ? "rejected" : "unknown";
}
