// Reads balances and statements from the database, each time, by the index of the wallets' blocks.
// The latest block of a wallet says its balance. Each read is in a causally consistent session, so a
// balance that is read after a debit was answered shows the debit, whichever process reads it. No
// read uses the cache of the fold, and no read decides anything.

import { DEFAULT_LIMIT } from "../../shared/contracts/contract.ts";
import type { Result } from "../../shared/contracts/contracts.ts";
import { failField } from "../../shared/errors.ts";
import { toDecimal } from "../../shared/money.ts";
import { gather } from "../../shared/resumable/gather.ts";
import { inOneReply } from "../../shared/storage/database.ts";
import { readTransfer } from "./block-format.ts";
import type {
  Account,
  Block,
  Checkpoint,
  Collections,
  StoredBlock,
  Transfer,
} from "./journal.model.ts";
import { stateOf, transfersWhere, WITH_LATEST, type WithLatest } from "./latest.ts";
import { REVERSAL } from "./postings.ts";
import { majority, type Store } from "./store.ts";

export type Entry = Result<"wallet-ledger.entriesOf">[number];

/** An account and its current state. */
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
  const { blocks, accounts } = collections;

  async function readAccounts(ids: string[]): Promise<(AccountNow | null)[]> {
    const accountsNow = await store.causally((session) =>
      accounts
        .aggregate<WithLatest<Account>>([{ $match: { _id: { $in: ids } } }, ...WITH_LATEST], {
          ...majority(session),
          ...inOneReply(ids.length),
        })
        .toArray(),
    );
    const found = new Map(accountsNow.map((account) => [account._id, account]));
    return ids.map((id) => {
      const account = found.get(id);
      if (!account) return null;
      const { checkpoint: _checkpoint, latest: _latest, ...rest } = account;
      return { ...rest, ...stateOf(account) };
    });
  }

  const account = gather(readAccounts, { maxItems: IDS_PER_READ });

  /** Reads blocks with transfers of a wallet, up to block `n`, the newest first. */
  async function readWalletBlocks(walletId: string, n: number, limit: number) {
    const p = partitionFor(walletId);
    const found = await store.causally((session) =>
      blocks
        .aggregate<Pick<StoredBlock, "n" | "at" | "transfers">>(
          [
            { $match: { p, "transfers.wallet": walletId, n: { $lte: n } } },
            { $sort: { n: -1 } },
            { $limit: limit },
            { $project: { n: 1, at: 1, transfers: transfersWhere("wallet", [walletId]) } },
          ],
          { ...majority(session), ...inOneReply(limit) },
        )
        .toArray(),
    );
    return found.map(({ transfers, ...block }) => {
      return { ...block, p, transfers: transfers.map((each) => readTransfer(p, each)) };
    });
  }

  return {
    account,

    async statement(walletId, { cursor, limit = DEFAULT_LIMIT }) {
      const items: Entry[] = [];
      const start = cursor === undefined ? NEWEST : parseCursor(cursor);
      // One more block than entries shows whether the statement goes on after the page.
      const atOnce = limit + 1;
      for (let n = start.n; n > 0; ) {
        const found = await readWalletBlocks(walletId, n, atOnce);
        if (n === start.n && cursor !== undefined && found[0]?.n !== n) {
          failField("cursor", CURSOR_RULE);
        }
        for (const block of found) {
          const before = block.n === start.n ? start.before : Number.POSITIVE_INFINITY;
          const entries = block.transfers.filter(isEntry).slice(0, before);
          for (; entries.length > 0; ) {
            if (items.length === limit) {
              return { items, meta: { nextCursor: `${block.n}.${entries.length}` } };
            }
            items.push(toEntry(entries.pop() as Transfer, block));
          }
        }
        n = found.length < atOnce ? 0 : (found.at(-1)?.n as number) - 1;
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
}

/**
 * The position at which a page continues: the block, and how many of the wallet's entries in it are
 * still to be listed.
 */
interface Position {
  n: number;
  before: number;
}

const NEWEST: Position = { n: Number.MAX_SAFE_INTEGER, before: Number.POSITIVE_INFINITY };
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
