// Reads balances and statements. A balance is the account's checkpoint plus the blocks after it,
// read from the database each time: the watermark first, then the blocks after it, then the
// accounts, all in one causally consistent session. So a balance that is read after a debit was
// answered shows the debit, whichever process reads it. No read uses the cache of the fold, and no
// read decides anything.
//
// A statement follows the blocks of its wallet backwards: every transfer names the last block that
// touched the wallet before it (`prev`). A page costs as many reads as it has blocks, however long
// the journal is.

import type { mongo } from "mongoose";
import { DEFAULT_LIMIT } from "../../shared/contracts/contract.ts";
import type { Result } from "../../shared/contracts/contracts.ts";
import { failField } from "../../shared/errors.ts";
import { toDecimal } from "../../shared/money.ts";
import { gather } from "../../shared/resumable/gather.ts";
import { readBlock, readTransfer } from "./block-format.ts";
import type { Account, Block, Checkpoint, StoredBlock, Transfer } from "./journal.model.ts";
import { bringUpToDate, sumChanges, type TailBlock } from "./partition.ts";
import { REVERSAL } from "./postings.ts";
import { type Collections, majority, type Store, transfersWhere } from "./store.ts";

export type Entry = Result<"wallet-ledger.entriesOf">[number];

/** The current state of an account: its checkpoint, brought up to date. */
export type AccountNow = Omit<Account, "checkpoint"> & Checkpoint;

export interface Reads {
  /**
   * The current state of an account; null if no account has the id. Concurrent callers share the
   * round trips.
   */
  account(id: string): Promise<AccountNow | null>;
  /** A page of a wallet's statement, newest first. */
  statement(
    walletId: string,
    page: { cursor?: string; limit?: number },
  ): Promise<Result<"wallet-ledger.entries">>;
  /** A transaction's entries on a wallet, oldest first. */
  transactionEntries(walletId: string, transactionId: string): Promise<Entry[]>;
  /** Whether each posting is committed. A read decides nothing: a posting may still commit. */
  committed(postings: { id: string; walletId: string }[]): Promise<boolean[]>;
}

const IDS_PER_READ = 500;
/** The suffixes that the postings of a transaction add to its id. */
const PART = /:(reversal|out|in|back)$/;

export function createReads({
  store,
  collections,
  partitionFor,
}: {
  store: Store;
  collections: Collections;
  partitionFor: (walletId: string) => number;
}): Reads {
  const { blocks, accounts, watermarks } = collections;

  async function readAccounts(ids: string[]): Promise<(AccountNow | null)[]> {
    const partitions = [...new Set(ids.map(partitionFor))];
    const { tail, checkpoints } = await store.causally(async (session) => {
      const marks = await watermarks
        .find({ _id: { $in: partitions } }, majority(session))
        .toArray();
      const after = marks.map(({ _id: p, n }) => ({ p, n: { $gt: n } }));
      return {
        tail: await readTail(session, after, ids),
        checkpoints: await accounts.find({ _id: { $in: ids } }, majority(session)).toArray(),
      };
    });
    const found = new Map(checkpoints.map((account) => [account._id, account]));
    return ids.map((id) => {
      const account = found.get(id);
      if (!account) return null;
      const { checkpoint, ...rest } = account;
      return { ...rest, ...bringUpToDate(checkpoint, id, tail.get(account.p) ?? []) };
    });
  }

  /** Reads the changes of these accounts after the watermarks, by partition, in order. */
  async function readTail(
    session: mongo.ClientSession,
    after: { p: number; n: { $gt: number } }[],
    ids: string[],
  ): Promise<Map<number, TailBlock[]>> {
    const found = await blocks
      .aggregate<StoredBlock>(
        [
          { $match: { $or: after } },
          { $sort: { p: 1, n: 1 } },
          { $project: { p: 1, n: 1, transfers: transfersWhere("wallet", ids) } },
        ],
        majority(session),
      )
      .toArray();
    const tail = new Map<number, TailBlock[]>();
    for (const block of found.map(readBlock)) {
      const before = tail.get(block.p) ?? [];
      tail.set(block.p, [...before, { n: block.n, changes: sumChanges(block) }]);
    }
    return tail;
  }

  const account = gather(readAccounts, { maxItems: IDS_PER_READ });

  /** Reads the transfers of a wallet in block `n`, committed and declined, in order. */
  async function readWalletBlock(
    walletId: string,
    n: number,
  ): Promise<Pick<Block, "at" | "transfers">> {
    const p = partitionFor(walletId);
    const [block] = await store.causally((session) =>
      blocks
        .aggregate<Pick<StoredBlock, "at" | "transfers">>(
          [
            { $match: { p, n } },
            { $project: { at: 1, transfers: transfersWhere("wallet", [walletId]) } },
          ],
          majority(session),
        )
        .toArray(),
    );
    if (!block || block.transfers.length === 0) failField("cursor", CURSOR_RULE);
    return { at: block.at, transfers: block.transfers.map((each) => readTransfer(p, each)) };
  }

  return {
    account,

    async statement(walletId, { cursor, limit = DEFAULT_LIMIT }) {
      const items: Entry[] = [];
      let position = cursor === undefined ? await newest(walletId) : parseCursor(cursor);
      while (position.n > 0) {
        const { at, transfers } = await readWalletBlock(walletId, position.n);
        const entries = transfers.filter(isEntry).slice(0, position.before);
        while (entries.length > 0) {
          const before = entries.length;
          if (items.length === limit) {
            return { items, meta: { nextCursor: `${position.n}.${before}` } };
          }
          const block = { p: partitionFor(walletId), n: position.n, at };
          items.push(toEntry(entries.pop() as Transfer, block));
        }
        position = { n: transfers[0]?.prev ?? 0, before: Number.POSITIVE_INFINITY };
      }
      return { items, meta: { nextCursor: null } };
    },

    async transactionEntries(walletId, transactionId) {
      const ids = [transactionId, transactionId + REVERSAL];
      const p = partitionFor(walletId);
      const found = await store.findTransfers(p, ids);
      return found
        .filter((transfer) => transfer.wallet === walletId && isEntry(transfer))
        .toSorted((a, b) => a.id.length - b.id.length)
        .map((transfer) => toEntry(transfer, { p, n: transfer.n, at: transfer.at }));
    },

    async committed(postings) {
      const ofPartitions = Map.groupBy(postings, ({ walletId }) => partitionFor(walletId));
      const found = await Promise.all(
        [...ofPartitions].map(([p, asked]) =>
          store.findTransfers(
            p,
            asked.map(({ id }) => id),
          ),
        ),
      );
      const outcomes = new Map(
        found.flat().map(({ id, wallet, outcome }) => [`${wallet} ${id}`, outcome]),
      );
      return postings.map(({ id, walletId }) => outcomes.get(`${walletId} ${id}`) === "committed");
    },
  };

  async function newest(walletId: string): Promise<Position> {
    const wallet = await account(walletId);
    return { n: wallet?.n ?? 0, before: Number.POSITIVE_INFINITY };
  }
}

/**
 * The position at which a page continues: the block, and how many of the wallet's entries in it are
 * still to be listed.
 */
interface Position {
  n: number;
  before: number;
}

const CURSOR_RULE = "must be a nextCursor of this list";

function parseCursor(cursor: string): Position {
  const match = /^(\d{1,15})\.(\d{1,6})$/.exec(cursor);
  if (!match || Number(match[1]) === 0) failField("cursor", CURSOR_RULE);
  return { n: Number(match[1]), before: Number(match[2]) };
}

/** Whether a statement lists the transfer. Declines and marks are only in the journal. */
function isEntry({ outcome, legs }: Transfer): boolean {
  return outcome === "committed" && legs.length > 0;
}

function toEntry(
  { id, kind, legs, balance }: Transfer,
  { p, n, at }: Pick<Block, "p" | "n" | "at">,
): Entry {
  const change = legs[0]?.[1] as number;
  return {
    id,
    transactionId: id.replace(PART, ""),
    kind,
    entry: change < 0 ? "DEBIT" : "CREDIT",
    amount: toDecimal(Math.abs(change)),
    balance: toDecimal(balance),
    block: `${p}.${n}`,
    createdAt: new Date(at).toISOString(),
  };
}
