// The ledger's database at the beginning of a schedule: its collections with their unique indexes
// (as in journal.model.ts), the accounts and the partitions. It may have blocks of a release that
// wrote checkpoints, with the checkpoints that a migration leaves.

import {
  type Account,
  BEFORE_FIRST_BLOCK,
  type Block,
  hashBlock,
  type StoredBlock,
  type Transfer,
  type Watermark,
} from "../../../services/wallet-ledger/journal.model.ts";
import {
  buildLegs,
  hashPayload,
  systemAccounts,
} from "../../../services/wallet-ledger/postings.ts";
import { partitionFor } from "../../../shared/rpc/partitions.ts";
import type { Doc } from "../query.ts";
import type { CollectionSetup } from "../replica-set.ts";
import { oldPostings, type Plan, UNSTORABLE } from "./plan.ts";

const zero = { createdAt: new Date(0), checkpoint: BEFORE_FIRST_BLOCK };

export interface Documents {
  accounts: Account[];
  blocks: Block[];
  watermarks: Watermark[];
}

/** The documents of a plan at its beginning. */
export function createDocuments(plan: Plan): Documents {
  const accounts = createAccounts(plan);
  const of = plan.partitionCount;
  const blocks: Block[] = [];
  const watermarks: Watermark[] = [];
  for (let p = 0; p < of; p++) {
    const own = plan.hasOldBlocks ? createOldBlocks(plan, accounts, p) : [];
    blocks.push(...own);
    const { n, hash } = own.at(-1) ?? { n: 0, hash: "" };
    watermarks.push({ _id: p, n, hash, of });
  }
  return { accounts, blocks, watermarks };
}

/** The accounts of a plan that exist before its first block. */
function createAccounts(plan: Plan): Account[] {
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

/** Writes the old postings of a partition into two blocks, and the checkpoints of its accounts. */
function createOldBlocks({ wallets }: Plan, accounts: Account[], p: number): Block[] {
  const owned = accounts.filter((account) => account.p === p);
  const of = new Map(owned.map((account) => [account._id, account]));
  const postings = wallets.flatMap(oldPostings).filter(({ walletId }) => of.has(walletId));
  const blocks: Block[] = [];
  const append = (n: number, transfers: Transfer[]) => {
    if (transfers.length === 0) return;
    const prevHash = blocks.at(-1)?.hash ?? "";
    const content = { _id: `old-${p}-${n}`, p, n, at: 0, transfers, prevHash };
    blocks.push({ ...content, hash: hashBlock(content) });
  };
  const transfers = postings.map((posting): Transfer => {
    const { id, kind, walletId: wallet } = posting;
    const legs = buildLegs(posting, p);
    for (const [account, amountMinor] of [...legs, [wallet, 0] as const]) {
      const found = of.get(account) as Account;
      const { balance, disabled } = found.checkpoint;
      const isOff = disabled || kind === "disable";
      found.checkpoint = { n: 1, balance: balance + amountMinor, disabled: isOff };
    }
    const { balance } = (of.get(wallet) as Account).checkpoint;
    const payloadHash = hashPayload(posting);
    return { id, kind, payloadHash, outcome: "committed", legs, wallet, balance, prev: 0 };
  });
  append(1, transfers);
  // A block in which the latest transfer of a wallet is declined.
  const [last] = transfers.slice(-1);
  const declined = { id: `void${p}`, outcome: "declined", reason: "void", prev: 1 } as const;
  append(2, last ? [{ ...last, ...declined, legs: [] }] : []);
  return blocks;
}

/** A wallet of a plan before its first block. */
export function newWallet(
  { partitionCount }: Plan,
  { id, currency }: Plan["wallets"][number],
): Account {
  const p = partitionFor(id, partitionCount);
  return { _id: id, p, type: "SPEND", currency, ...zero };
}

/**
 * The collections of a ledger that is set up.
 * @param dropped unique indexes that are left out
 */
export function createCollections(
  { accounts, blocks, watermarks }: Documents,
  dropped: ("fence" | "ids")[],
): CollectionSetup[] {
  const indexes = {
    fence: ({ p, n }: StoredBlock) => [`${p}:${n}`],
    ids: ({ p, transfers }: StoredBlock) => transfers.map(({ id }) => `${p}:${id}`),
  };
  const kept = (["fence", "ids"] as const).filter((name) => !dropped.includes(name));
  return [
    {
      name: "ledger_blocks",
      documents: blocks as unknown as Doc[],
      unique: kept.map((name) => indexes[name] as unknown as (doc: Doc) => string[]),
      isStorable: (doc) =>
        !(doc as unknown as StoredBlock).transfers.some(({ id }) => id.startsWith(UNSTORABLE)),
    },
    { name: "ledger_accounts", documents: accounts as unknown as Doc[] },
    { name: "ledger_watermarks", documents: watermarks as unknown as Doc[] },
  ];
}
