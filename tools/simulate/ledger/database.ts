// The ledger's database at the beginning of a schedule: its collections with their unique indexes
// (as in journal.model.ts), the accounts and the watermarks.

import {
  type Account,
  BEFORE_FIRST_BLOCK,
  type Block,
} from "../../../services/wallet-ledger/journal.model.ts";
import { systemAccounts } from "../../../services/wallet-ledger/postings.ts";
import type { WalletTransfer } from "../../../services/wallet-ledger/wallet-transfer.model.ts";
import { partitionFor } from "../../../shared/rpc/partitions.ts";
import type { Doc } from "../query.ts";
import type { CollectionSetup } from "../replica-set.ts";
import { type Plan, UNSTORABLE } from "./plan.ts";

const zero = { createdAt: new Date(0), checkpoint: BEFORE_FIRST_BLOCK };

/** The accounts of a plan that exist before its first block. */
export function createAccounts(plan: Plan): Account[] {
  const { partitionCount, wallets } = plan;
  const currencies = new Set<string>(wallets.map(({ currency }) => currency));
  const system = [...Array(partitionCount).keys()].flatMap((p) =>
    systemAccounts(p)
      .filter(({ currency }) => currencies.has(currency) || currency === "GBP")
      .map(({ id, currency }) => ({ _id: id, p, type: "SYSTEM" as const, currency, ...zero })),
  );
  const own = wallets.filter(({ opensLate }) => !opensLate);
  return [...system, ...own.map((wallet) => newWallet(plan, wallet))];
}

/** A wallet of a plan before its first block. */
export function newWallet(
  { partitionCount }: Plan,
  { id, currency }: Plan["wallets"][number],
): Account {
  const p = partitionFor(id, partitionCount);
  return { _id: id, p, type: "SPEND", currency, ...zero };
}

/** A unique index that a schedule may leave out. */
export type Dropped = "fence" | "ids" | "references";

function listReferences({ reference }: WalletTransfer): string[] {
  return reference === undefined ? [] : [reference];
}

/**
 * The collections of a ledger that is set up.
 * @param dropped unique indexes that are left out
 */
export function createCollections(
  { partitionCount }: Plan,
  accounts: Account[],
  dropped: Dropped[],
): CollectionSetup[] {
  const indexes = {
    fence: ({ p, n }: Block) => [`${p}:${n}`],
    ids: ({ p, transfers }: Block) => transfers.map(({ id }) => `${p}:${id}`),
  };
  const kept = (["fence", "ids"] as const).filter((name) => !dropped.includes(name));
  const watermarks = [...Array(partitionCount).keys()].map((p) => ({
    _id: p,
    n: 0,
    hash: "",
    of: partitionCount,
  }));
  return [
    {
      name: "ledger_blocks",
      unique: kept.map((name) => indexes[name] as unknown as (doc: Doc) => string[]),
      isStorable: (doc) =>
        !(doc as unknown as Block).transfers.some(({ id }) => id.startsWith(UNSTORABLE)),
    },
    { name: "ledger_accounts", documents: accounts as unknown as Doc[] },
    { name: "ledger_watermarks", documents: watermarks },
    {
      name: "ledger_wallet_transfers",
      unique: dropped.includes("references") ? [] : [listReferences as never],
    },
  ];
}
