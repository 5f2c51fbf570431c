// Reads the movements of an account in a period, for the balance report. The period is a range of
// the account's blocks, cut at its two moments (wallet-blocks.ts). The invariants, which need no
// other document than the journal:
//  - opening + the sum of net = closing, because all three are of the same range of one list of
//    blocks, and a block has the balance after each of its transfers.
//  - The next period opens with this one's closing balance, because both have the same cut.
//  - A range that was found does not change while the account goes on moving.
// A long range is read in pages, the oldest first, so that no process holds more than a page. Their
// ends are found backwards, a few at a time. What is left is divided in the middle, so that the
// oldest page is found soon, however long the range is.

import type { Result } from "../../shared/contracts/contracts.ts";
import { BLOCKS_PER_CALL, MOVEMENT_KIND, PAGE_MOVEMENTS } from "../../shared/contracts/reports.ts";
import { isoTime } from "../../shared/iso-time.ts";
import { toDecimal } from "../../shared/money.ts";
import type { Transfer } from "./journal.model.ts";
import { systemAccountName } from "./postings.ts";
import { isEntry, transactionOf } from "./reads.ts";
import type { WalletBlock, WalletBlocks } from "./wallet-blocks.ts";

type Period = Omit<Result<"wallet-ledger.period">[number], "id">;
type Pages = Result<"wallet-ledger.pages">;
type Movement = Omit<Result<"wallet-ledger.movements">[number], "reference">;

/** The blocks of an account after one block, up to and with another of the account. */
export interface BlockRange {
  accountId: string;
  after: number;
  through: number;
}

export interface ReadPeriod {
  /**
   * The range and the balances of a period.
   * @param account its id, and its newest block
   * @param from epoch ms, inclusive; `to` is exclusive
   */
  range(account: { _id: string; n: number }, from: number, to: number): Promise<Period>;
  /** The newest pages of a range, each by its last block, and the range left before them. */
  pages(range: BlockRange): Promise<Pages>;
  /** The movements of a page, oldest first. */
  movements(page: BlockRange): Promise<Movement[]>;
}

export function createReadPeriod({ backwards, lastBefore, newestUpTo }: WalletBlocks): ReadPeriod {
  /** The balance of an account after its block `n`. */
  async function balanceAfter(id: string, n: number): Promise<number> {
    if (n === 0) return 0;
    const { value } = await backwards(id, n, n - 1).next();
    return ((value as WalletBlock).transfers.at(-1) as Transfer).balance;
  }

  return {
    async range({ _id: id, n }, from, to) {
      const [first, last] = await Promise.all([lastBefore(id, from), lastBefore(id, to)]);
      const through = await newestUpTo(id, n, last);
      const after = await newestUpTo(id, through, first);
      const [opening, closing] = await Promise.all([
        balanceAfter(id, after),
        balanceAfter(id, through),
      ]);
      return { opening, closing, after, through };
    },

    async pages({ accountId, after, through }) {
      const ends: number[] = [];
      let count = PAGE_MOVEMENTS;
      let blocks = 0;
      for await (const { n, transfers } of backwards(accountId, through, after)) {
        if (count >= PAGE_MOVEMENTS) {
          if (blocks >= BLOCKS_PER_CALL) {
            const middle = await newestUpTo(accountId, n, after + Math.floor((n - after) / 2));
            const rest = { middle: Math.max(after, middle), through: n };
            return { ends: ends.toReversed(), rest };
          }
          ends.push(n);
          count = 0;
        }
        count += transfers.length;
        blocks += 1;
      }
      return { ends: ends.toReversed(), rest: null };
    },

    async movements({ accountId, after, through }) {
      const blocks: WalletBlock[] = [];
      for await (const block of backwards(accountId, through, after)) blocks.push(block);
      return blocks.toReversed().flatMap(movementsOf);
    },
  };
}

function movementsOf({ at, transfers }: WalletBlock): Movement[] {
  return transfers.filter(isEntry).map((transfer) => {
    const { kind, legs, balance } = transfer;
    const net = legs[0]?.[1] as number;
    const [, fee = 0] = legs.find(([account]) => systemAccountName(account) === "fees") ?? [];
    return {
      createdAt: isoTime(at),
      kind: MOVEMENT_KIND[kind as keyof typeof MOVEMENT_KIND],
      transactionId: transactionOf(transfer),
      gross: toDecimal(net + fee),
      fee: toDecimal(fee),
      net: toDecimal(net),
      balance: toDecimal(balance),
    };
  });
}
