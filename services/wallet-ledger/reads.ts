// Reads balances and statements. A balance is the account's checkpoint plus the blocks after it,
// read from the database each time: the watermark first, then the blocks after it, then the
// accounts, all in one causally consistent session. So a balance that is read after a debit was
// answered shows the debit, whichever process reads it. No read uses the cache of the fold, and no
// read decides anything.
//
// A statement follows the blocks of its wallet backwards (wallet-blocks.ts).

import type { mongo } from "mongoose";
import { DEFAULT_LIMIT } from "../../shared/contracts/contract.ts";
import type { Result } from "../../shared/contracts/contracts.ts";
import { failField } from "../../shared/errors.ts";
import { toDecimal } from "../../shared/money.ts";
import { gather } from "../../shared/resumable/gather.ts";
import { FOREIGN_CURSOR } from "../../shared/storage/paging.ts";
import { readBlock } from "./block-format.ts";
import type { Account, Block, Checkpoint, StoredBlock, Transfer } from "./journal.model.ts";
import { bringUpToDate, sumChanges, type TailBlock } from "./partition.ts";
import { REVERSAL } from "./postings.ts";
import { type Collections, majority, type Store, transfersWhere } from "./store.ts";
import type { WalletBlocks } from "./wallet-blocks.ts";

export type Entry = Result<"wallet-ledger.entriesOf">[number];

/** The current state of an account: its checkpoint, brought up to date. */
export type AccountNow = Omit<Account, "checkpoint"> & Checkpoint;

export interface Reads {
  /**
   * The current state of an account; null if no account has the id. Concurrent callers share the
   * round trips.
   */
  account(id: string): Promise<AccountNow | null>;
  /**
   * A page of a wallet's statement, newest first.
   * @param page `from` (inclusive) and `to` (exclusive) are ISO 8601
   */
  statement(
    walletId: string,
    page: { from?: string; to?: string; cursor?: string; limit?: number },
  ): Promise<Result<"wallet-ledger.entries">>;
  /** A transaction's entries on a wallet, oldest first. */
  transactionEntries(walletId: string, transactionId: string): Promise<Entry[]>;
  /** Whether each posting is committed. A read decides nothing: a posting may still commit. */
  committed(postings: { id: string; walletId: string }[]): Promise<boolean[]>;
}

const IDS_PER_READ = 500;
/** What the postings of a transaction add to its id, if they add anything. */
const PARTS = [REVERSAL, ":out", ":in", ":back"];

export function createReads({
  store,
  collections,
  walletBlocks,
  partitionFor,
}: {
  store: Store;
  collections: Collections;
  walletBlocks: WalletBlocks;
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

  return {
    account,

    async statement(walletId, { from, to, cursor, limit = DEFAULT_LIMIT }) {
      const p = partitionFor(walletId);
      const items: Entry[] = [];
      let { n: newest, before } = cursor === undefined ? await begin(walletId, to) : parse(cursor);
      const after = from === undefined ? 0 : await lastBefore(walletId, from);
      for await (const { n, at, transfers } of walletBlocks.backwards(walletId, newest, after)) {
        const entries = transfers.filter(isEntry).slice(0, before);
        before = Number.POSITIVE_INFINITY;
        while (entries.length > 0) {
          if (items.length === limit) {
            return { items, meta: { nextCursor: `${n}.${entries.length}` } };
          }
          items.push(toEntry(entries.pop() as Transfer, { p, n, at }));
        }
      }
      return { items, meta: { nextCursor: null } };
    },

    async transactionEntries(walletId, transactionId) {
      const ids = ["", ...PARTS].map((part) => transactionId + part);
      const p = partitionFor(walletId);
      const found = await store.findTransfers(p, ids);
      return found
        .filter((transfer) => transfer.wallet === walletId && isEntry(transfer))
        .toSorted((a, b) => a.n - b.n)
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

  /** The position of the newest entry of a wallet, or of its newest one before a moment. */
  async function begin(walletId: string, to?: string): Promise<Position> {
    const newest = (await account(walletId))?.n ?? 0;
    const n =
      to === undefined
        ? newest
        : await walletBlocks.newestUpTo(walletId, newest, await lastBefore(walletId, to));
    return { n, before: Number.POSITIVE_INFINITY };
  }

  function lastBefore(walletId: string, time: string): Promise<number> {
    return walletBlocks.lastBefore(walletId, Date.parse(time));
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

function parse(cursor: string): Position {
  const match = /^(\d{1,15})\.(\d{1,6})$/.exec(cursor);
  if (!match || Number(match[1]) === 0) failField("cursor", FOREIGN_CURSOR);
  return { n: Number(match[1]), before: Number(match[2]) };
}

/** Whether a statement lists the transfer. Declines and marks are only in the journal. */
export function isEntry({ outcome, legs }: Transfer): boolean {
  return outcome === "committed" && legs.length > 0;
}

/** The id of the transaction that a transfer belongs to. */
export function transactionOf({ id }: Pick<Transfer, "id">): string {
  const part = PARTS.find((each) => id.endsWith(each)) ?? "";
  return id.slice(0, id.length - part.length);
}

/** The kinds that a statement names as the lists of transactions do, whichever half they are. */
const STATEMENT_KIND: Record<string, string> = {
  "wallet-transfer-out": "TRANSFER",
  "wallet-transfer-in": "TRANSFER",
  "adjustment-credit": "ADJUSTMENT",
  "adjustment-debit": "ADJUSTMENT",
};

function toEntry(
  { id, kind, legs, balance }: Transfer,
  { p, n, at }: Pick<Block, "p" | "n" | "at">,
): Entry {
  const change = legs[0]?.[1] as number;
  return {
    id,
    transactionId: transactionOf({ id }),
    kind: STATEMENT_KIND[kind] ?? kind,
    entry: change < 0 ? "DEBIT" : "CREDIT",
    amount: toDecimal(Math.abs(change)),
    balance: toDecimal(balance),
    block: `${p}.${n}`,
    createdAt: new Date(at).toISOString(),
  };
}
