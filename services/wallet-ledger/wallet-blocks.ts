// Finds and reads the blocks of one wallet. They are a list that goes backwards: every transfer
// names the last block that touched its wallet before it (`prev`), so a read costs as much as it
// has blocks, however long the journal is.
//
// A moment cuts a partition between two blocks, because movements are in the order of the blocks.
// The times of blocks alone are no order: each process has its own clock, so a block may be a few
// milliseconds older than the one before it. `lastBefore` therefore asks single blocks, chosen by
// the bits of their numbers, and takes the cut that their times give:
//  - One moment has one cut for good, once it has passed: stored blocks do not change, and a later
//    block is not older than the moment. So two periods that share a moment leave no block out and
//    have none twice.
//  - A later moment has the same cut or a later one: at the first bit on which two moments differ,
//    the block is older than the later moment only.
// With times in order it is the last block before the moment.

import type { mongo } from "mongoose";
import { failField } from "../../shared/errors.ts";
import { FOREIGN_CURSOR } from "../../shared/storage/paging.ts";
import { readTransfer } from "./block-format.ts";
import type { Block, StoredBlock, Transfer } from "./journal.model.ts";
import { type Collections, majority, type Store, transfersWhere } from "./store.ts";

/** The transfers of a wallet in a block, committed and declined, in order. */
export interface WalletBlock extends Pick<Block, "n" | "at"> {
  transfers: Transfer[];
  /** The wallet's block before this one; 0 if there is none. */
  prev: number;
}

export interface WalletBlocks {
  /**
   * Reads the wallet's blocks from block `n` back to the one after block `after`, newest first.
   * @throws VALIDATION of a cursor if the wallet has no block `n`
   */
  backwards(walletId: string, n: number, after?: number): AsyncGenerator<WalletBlock>;
  /** The last block of a wallet's partition before a moment (epoch ms); 0 if there is none. */
  lastBefore(walletId: string, moment: number): Promise<number>;
  /**
   * The wallet's newest block up to the block `limit` of its partition; 0 if there is none.
   * @param n a block of the wallet, or 0
   */
  newestUpTo(walletId: string, n: number, limit: number): Promise<number>;
}

/** Numbers that one read spans at most, because it also reads the blocks of other wallets. */
const WIDEST = 256;
/** A read spans more numbers than the one before while the wallet is in one of so many blocks. */
const SPARSE = 4;
/** Steps back before a look at blocks further back. */
const STEPS = 100;
/** The blocks of one look. It has no index, so it reads them all. */
const LOOK = 500;

export function createWalletBlocks({
  store,
  collections: { blocks },
  partitionFor,
}: {
  store: Store;
  collections: Collections;
  partitionFor: (walletId: string) => number;
}): WalletBlocks {
  async function readBetween(walletId: string, after: number, n: number): Promise<WalletBlock[]> {
    const p = partitionFor(walletId);
    const found = await store.causally((session) =>
      blocks
        .aggregate<Pick<StoredBlock, "n" | "at" | "transfers">>(
          [
            { $match: { p, n: { $gt: after, $lte: n } } },
            { $project: { n: 1, at: 1, transfers: transfersWhere("wallet", [walletId]) } },
            { $match: { "transfers.0": { $exists: true } } },
          ],
          majority(session),
        )
        .toArray(),
    );
    return found.map(({ transfers, ...block }) => {
      const read = transfers.map((each) => readTransfer(p, each));
      return { ...block, transfers: read, prev: (read[0] as Transfer).prev };
    });
  }

  /** The wallet's newest block among those before and with block `n` that one look reads. */
  async function lookAt(walletId: string, n: number): Promise<number> {
    const filter = {
      p: partitionFor(walletId),
      n: { $gt: n - LOOK, $lte: n },
      "transfers.wallet": walletId,
    };
    const options = { projection: { n: 1 } };
    const found = await store.causally((session) =>
      blocks
        .find(filter, { ...majority(session), ...options })
        .sort({ n: -1 })
        .limit(1)
        .next(),
    );
    return found?.n ?? 0;
  }

  async function* backwards(walletId: string, newest: number, after = 0) {
    let width = 1;
    for (let n = newest; n > after; ) {
      const found = await readBetween(walletId, Math.max(after, n - width), n);
      const read = new Map(found.map((block) => [block.n, block]));
      let block: WalletBlock | undefined = read.get(n) ?? failField("cursor", FOREIGN_CURSOR);
      for (; block; block = read.get(n)) {
        yield block;
        n = block.prev;
      }
      width = read.size * SPARSE >= width ? Math.min(2 * width, WIDEST) : Math.ceil(width / 2);
    }
  }

  return {
    backwards,

    async lastBefore(walletId, moment) {
      const p = partitionFor(walletId);
      return store.causally(async (session) => {
        const options = { projection: { n: 1, at: 1 } };
        const find = (filter: mongo.Filter<StoredBlock>) =>
          blocks
            .find(filter, { ...majority(session), ...options })
            .sort({ n: -1 })
            .limit(1)
            .next();
        const newest = await find({ p });
        let last = 0;
        for (let bit = 2 ** Math.floor(Math.log2(newest?.n ?? 0)); bit >= 1; bit /= 2) {
          const block = await find({ p, n: last + bit });
          if (block && block.at < moment) last += bit;
        }
        return last;
      });
    },

    async newestUpTo(walletId, n, limit) {
      let found = n;
      while (found > limit) {
        let steps = 0;
        for await (const { prev } of backwards(walletId, found, limit)) {
          found = prev;
          steps += 1;
          if (steps === STEPS) break;
        }
        // Skip the blocks in between: the nearest block may be close to the limit, or half way.
        for (const at of [limit, limit + Math.floor((found - limit) / 2)]) {
          const near = found > limit ? await lookAt(walletId, at) : 0;
          if (near > 0) found = near;
        }
      }
      return found;
    },
  };
}
