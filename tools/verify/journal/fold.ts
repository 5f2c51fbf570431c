// The fold of one partition, checked block by block and transfer by transfer; pure except for its
// findings. It adds the legs up itself, and shares only the hash with the code that commits.

import { readBlock } from "../../../services/wallet-ledger/block-format.ts";
import {
  type Account,
  BEFORE_FIRST_BLOCK,
  type Block,
  type Checkpoint,
  hashBlock,
  type StoredBlock,
  type Transfer,
  type Watermark,
} from "../../../services/wallet-ledger/journal.model.ts";
import type { Findings } from "../findings.ts";

/** An account with the state of its checkpoint, and with the state of the fold so far. */
export interface Checked extends Checkpoint {
  account: Account;
  /** Whether the fold has passed the checkpoint's block. */
  met: boolean;
}

export interface Fold {
  /** Checkpoints are written before the watermark, so one that is behind the watermark is wrong. */
  mark: Watermark;
  last: Pick<Block, "n" | "hash">;
  accounts: Map<string, Checked>;
  findings: Findings;
}

/** @param checkpoint null for an account that was opened since the accounts were read */
export function unfolded(account: Account, checkpoint: Checkpoint | null): Checked {
  return { account, ...BEFORE_FIRST_BLOCK, met: (checkpoint?.n ?? 0) === 0 };
}

/**
 * Takes the next block into the fold. A block with a wrong hash may hold anything.
 * @returns whether the block matches its hash
 */
export function foldBlock(fold: Fold, block: StoredBlock): boolean {
  const { last, findings } = fold;
  const isWhole = checkLink(fold, block);
  fold.last = block;
  try {
    for (const checked of foldTransfers(fold, readBlock(block)))
      meetCheckpoint(fold, checked, block.n);
  } catch (error) {
    if (isWhole) throw error;
    findings.violation(
      "hashes",
      `${describeBlock(block)} after ${last.n} has not the form of a block`,
    );
  }
  return isWhole;
}

const FIELDS = ["_id", "p", "n", "at", "transfers", "prevHash", "hash"];

/**
 * Checks that the block follows the last one and matches its hash.
 * @returns whether it matches its hash
 */
function checkLink({ last, mark, findings: { violation } }: Fold, block: StoredBlock): boolean {
  const name = describeBlock(block);
  if (block.n !== last.n + 1) violation("numbers", `${name} follows block ${last.n}`);
  if (block.prevHash !== last.hash) violation("links", `${name} does not link to the one before`);
  if (block.n === mark.n && block.hash !== mark.hash) {
    violation("watermarks", `partition ${block.p} is marked at another block ${mark.n}`);
  }
  const others = Object.keys(block).filter((field) => !FIELDS.includes(field));
  if (others.length > 0) violation("hashes", `${name} also has ${others.join(", ")}`);
  const isWhole = block.hash === hashBlock(block);
  if (!isWhole) violation("hashes", `${name} does not match its hash`);
  return isWhole;
}

/** @returns the accounts that the block touched */
function foldTransfers(fold: Fold, block: Block): Set<Checked> {
  const { accounts, findings } = fold;
  const { violation } = findings;
  const ids = new Set<string>();
  const prevs = new Map<string, number>();
  const touched = new Set<Checked>();
  for (const transfer of block.transfers) {
    findings.count("transfers");
    const name = `transfer ${transfer.id} in ${describeBlock(block)}`;
    if (ids.has(transfer.id)) violation("ids", `${name} is there twice`);
    ids.add(transfer.id);
    for (const checked of foldTransfer(fold, transfer, name)) touched.add(checked);
    const wallet = accounts.get(transfer.wallet);
    if (!wallet) {
      violation("accounts", `${name} is of wallet ${transfer.wallet}, which is not there`);
      continue;
    }
    if (wallet.balance !== transfer.balance) {
      violation(
        "balances",
        `${name} leaves ${transfer.balance} on ${transfer.wallet}, the journal ${wallet.balance}`,
      );
    }
    if (transfer.disabled !== undefined && transfer.disabled !== wallet.disabled) {
      violation("balances", `${name} leaves ${transfer.wallet} with another mark than the journal`);
    }
    const prev = prevs.get(transfer.wallet) ?? wallet.n;
    prevs.set(transfer.wallet, prev);
    if (transfer.prev !== prev) {
      violation("statements", `${name} names block ${transfer.prev} before it, not ${prev}`);
    }
  }
  return touched;
}

function foldTransfer(
  { accounts, findings: { violation } }: Fold,
  { outcome, kind, legs, wallet }: Transfer,
  name: string,
): Checked[] {
  if (outcome !== "committed") {
    if (legs.length > 0) violation("declines", `${name} is ${outcome} and moves money`);
    return [];
  }
  const sums = new Map<string, number>();
  const touched: Checked[] = [];
  for (const [id, amountMinor] of legs) {
    const checked = accounts.get(id);
    if (!checked) {
      violation("accounts", `${name} has a leg on account ${id}, which is not there`);
      continue;
    }
    const { currency, type } = checked.account;
    sums.set(currency, (sums.get(currency) ?? 0) + amountMinor);
    checked.balance = plus(checked.balance, amountMinor);
    touched.push(checked);
    if (type !== "SYSTEM" && checked.balance < 0 && amountMinor < 0) {
      violation("funds", `${name} leaves ${checked.balance} on ${id}`);
    }
  }
  for (const [currency, sum] of sums) {
    if (sum !== 0) violation("sums", `the legs of ${name} sum to ${sum} ${currency}`);
  }
  const marked = accounts.get(wallet);
  if (marked && (kind === "disable" || kind === "enable")) {
    marked.disabled = kind === "disable";
    touched.push(marked);
  }
  return touched;
}

/**
 * A checkpoint equals the fold at its block, and no checkpoint lacks a block below the watermark.
 */
function meetCheckpoint({ mark, findings }: Fold, checked: Checked, n: number): void {
  const { account, balance, disabled } = checked;
  const { checkpoint } = account;
  const name = `account ${account._id}`;
  checked.n = n;
  if (n === checkpoint.n) {
    checked.met = true;
    if (checkpoint.balance !== balance || checkpoint.disabled !== disabled) {
      const said = (minor: number, isOff: boolean) => `${minor}${isOff ? " and disabled" : ""}`;
      findings.violation(
        "checkpoints",
        `${name} has ${said(checkpoint.balance, checkpoint.disabled)} at block ${account.p}:${n}, the journal ${said(balance, disabled)}`,
      );
    }
  }
  if (n > checkpoint.n && n <= mark.n) {
    findings.violation(
      "watermarks",
      `${name} has its checkpoint at block ${account.p}:${checkpoint.n} and lacks block ${n}, which is below the watermark`,
    );
  }
}

/** The number of safe integers: balances are modulo it (docs/change/ledger.md, Stored data). */
const BALANCES = 2n ** 54n - 1n;

function plus(balance: number, amountMinor: number): number {
  const sum = balance + amountMinor;
  // A damaged journal may have NaN and fractions.
  if (Number.isSafeInteger(sum) || !Number.isInteger(sum)) return sum;
  const exact = BigInt(balance) + BigInt(amountMinor);
  return Number(exact > 0n ? exact - BALANCES : exact + BALANCES);
}

/** Checks the partition as a whole at the end of its journal. */
export function endFold({ mark, last, accounts, findings: { violation } }: Fold): void {
  const { _id: p } = mark;
  if (mark.n > last.n) {
    violation(
      "watermarks",
      `partition ${p} is marked at block ${mark.n}, its journal ends at ${last.n}`,
    );
  }
  // Big integers, because the sum of many balances may exceed the safe integers.
  const sums = new Map<string, bigint>();
  for (const { account, balance, met } of accounts.values()) {
    const { _id: id, currency, checkpoint } = account;
    if (Number.isSafeInteger(balance)) {
      sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(balance));
    } else {
      violation("sums", `account ${id} comes to ${balance}, which is no amount`);
    }
    if (!met) {
      violation(
        "checkpoints",
        `account ${id} names block ${p}:${checkpoint.n}, which is not its own`,
      );
    }
    const isUntouched = checkpoint.n === 0 && checkpoint.balance === 0 && !checkpoint.disabled;
    if (checkpoint.n === 0 && !isUntouched) {
      violation("checkpoints", `account ${id} has ${checkpoint.balance} before its first block`);
    }
  }
  for (const [currency, sum] of sums) {
    if (sum % BALANCES !== 0n)
      violation("sums", `the accounts of partition ${p} sum to ${sum} ${currency}`);
  }
}

function describeBlock({ p, n }: Pick<Block, "p" | "n">): string {
  return `block ${p}:${n}`;
}
