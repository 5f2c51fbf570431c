// Verification: proves the books from the journal alone, and everything else against the journal.
// It reads and writes nothing, streams the journal (memory grows with the accounts of one partition,
// not with the journal), and may run beside live traffic: the watermark is read first, then the
// checkpoints, then the blocks, so that whatever a checkpoint speaks of is among the blocks read.

import type { Connection, mongo } from "mongoose";
import type { VerifyReport } from "../../shared/contracts/wallet-ledger.ts";
import { lowestIdAt } from "../../shared/ids.ts";
import { createReport, type Findings } from "./findings.ts";
import type { Account, Block, Transfer, Watermark } from "./journal.model.ts";
import { hashOf } from "./partition.ts";
import { partitionOf } from "./postings.ts";
import { verifyPayouts } from "./verify-payouts.ts";

export interface VerifyOptions {
  /** Told now and then how far it is. */
  onProgress?: (blocks: number, ofBlocks: number) => void;
}

const PROGRESS_EVERY = 1_000;

/** What the fold and the checkpoint say of an account. */
interface Checked {
  account: Account;
  balance: number;
  n: number;
  disabled: boolean;
  /** Whether the fold came by the checkpoint's block. */
  met: boolean;
}

/** Checks every invariant of the ledger. */
export async function verify(
  connection: Connection,
  { onProgress }: VerifyOptions = {},
): Promise<VerifyReport> {
  const db = connection.getClient().db(connection.name);
  const findings = createReport();
  const began = lowestIdAt(Date.now());
  const total = await db.collection("ledger_blocks").estimatedDocumentCount();
  const progress = () => {
    const blocks = findings.report.checked.blocks ?? 0;
    if (blocks % PROGRESS_EVERY === 0) onProgress?.(blocks, total);
  };
  const marks = await db
    .collection<Watermark>("ledger_watermarks")
    .find()
    .sort({ _id: 1 })
    .toArray();
  for (const mark of marks) await verifyPartition(db, mark, findings, progress);
  await verifyPayouts(db, marks.length, began, findings);
  return findings.report;
}

async function verifyPartition(
  db: mongo.Db,
  { _id: p, of }: Watermark,
  findings: Findings,
  progress: () => void,
): Promise<void> {
  const options = { readConcern: { level: "majority" as const } };
  const mark = (await db
    .collection<Watermark>("ledger_watermarks")
    .findOne({ _id: p }, options)) as Watermark;
  const accounts = new Map<string, Checked>();
  for await (const account of db.collection<Account>("ledger_accounts").find({ p }, options)) {
    findings.count("accounts");
    accounts.set(account._id, { account, balance: 0, n: 0, disabled: false, met: account.n === 0 });
  }
  const blocks = db.collection<Block>("ledger_blocks").find({ p }, options).sort({ n: 1 });
  let last = { n: 0, hash: "" };
  for await (const block of blocks) {
    verifyLink(block, last, mark, findings);
    verifyBlock(block, accounts, mark, findings);
    last = block;
    findings.count("blocks");
    progress();
  }
  if (mark.n > last.n) {
    findings.violation(
      "watermark",
      `partition ${p} is marked at ${mark.n}, its journal ends at ${last.n}`,
    );
  }
  verifyAccounts(p, of, accounts, findings);
}

/** Numbers are contiguous and hashes link and fit; the watermark names a block that is there. */
function verifyLink(
  block: Block,
  last: { n: number; hash: string },
  mark: Watermark,
  { violation }: Findings,
): void {
  const name = `block ${block.p}:${block.n}`;
  if (block.n !== last.n + 1) violation("numbers", `${name} follows ${last.n}`);
  if (block.prevHash !== last.hash) violation("links", `${name} does not link to the one before`);
  if (block.hash !== hashOf(block)) violation("hashes", `${name} is not what its hash says`);
  if (block.n === mark.n && block.hash !== mark.hash) {
    violation("watermark", `partition ${block.p} is marked at another block ${mark.n}`);
  }
}

function verifyBlock(
  block: Block,
  accounts: Map<string, Checked>,
  mark: Watermark,
  findings: Findings,
): void {
  const { violation } = findings;
  const ids = new Set<string>();
  const before = new Map<string, number>();
  const touched = new Set<Checked>();
  for (const transfer of block.transfers) {
    findings.count("transfers");
    const name = `transfer ${transfer.id} in block ${block.p}:${block.n}`;
    if (ids.has(transfer.id)) violation("ids", `${name} is there twice`);
    ids.add(transfer.id);
    for (const checked of applyTransfer(transfer, name, accounts, findings)) touched.add(checked);
    const wallet = accounts.get(transfer.wallet);
    if (!wallet) continue;
    if (wallet.balance !== transfer.balance) {
      violation("balances", `${name} says ${transfer.balance}, the journal ${wallet.balance}`);
    }
    const prev = before.get(transfer.wallet) ?? wallet.n;
    before.set(transfer.wallet, prev);
    if (transfer.prev !== prev)
      violation("statements", `${name} names ${transfer.prev}, not ${prev}`);
  }
  for (const checked of touched) meetCheckpoint(checked, block, mark, findings);
}

/** Applies a transfer to the fold; the accounts that it touched. */
function applyTransfer(
  { outcome, kind, legs, wallet }: Transfer,
  name: string,
  accounts: Map<string, Checked>,
  { violation }: Findings,
): Checked[] {
  const sums = new Map<string, number>();
  const touched: Checked[] = [];
  if (outcome === "declined" && legs.length > 0) violation("declines", `${name} moves money`);
  for (const [id, amountMinor] of legs) {
    const checked = accounts.get(id);
    if (!checked) {
      violation("accounts", `${name} names the account ${id}, which is not there`);
      continue;
    }
    const { currency, type } = checked.account;
    sums.set(currency, (sums.get(currency) ?? 0) + amountMinor);
    checked.balance += amountMinor;
    touched.push(checked);
    if (type !== "SYSTEM" && checked.balance < 0 && amountMinor < 0) {
      violation("funds", `${name} leaves ${checked.balance} on ${id}`);
    }
  }
  for (const [currency, sum] of sums) {
    if (sum !== 0) violation("sums", `${name} creates ${sum} ${currency} out of nothing`);
  }
  const marked = accounts.get(wallet);
  if (marked && outcome === "committed" && (kind === "disable" || kind === "enable")) {
    marked.disabled = kind === "disable";
    touched.push(marked);
  }
  return touched;
}

/** An account's checkpoint says what the fold says at the same block, and none is left behind. */
function meetCheckpoint(
  checked: Checked,
  { n }: Block,
  mark: Watermark,
  { violation }: Findings,
): void {
  const { account, balance, disabled } = checked;
  checked.n = n;
  if (n === account.n) {
    checked.met = true;
    if (account.balance !== balance || account.disabled !== disabled) {
      violation(
        "checkpoints",
        `account ${account._id} has ${account.balance} at block ${n}, the journal ${balance}`,
      );
    }
  }
  if (n > account.n && n <= mark.n) {
    violation(
      "checkpoints",
      `account ${account._id} lacks block ${n}, which is below the watermark`,
    );
  }
}

function verifyAccounts(
  p: number,
  partitions: number,
  accounts: Map<string, Checked>,
  { violation }: Findings,
): void {
  const sums = new Map<string, number>();
  for (const { account, balance, met } of accounts.values()) {
    const { _id: id, currency, type } = account;
    sums.set(currency, (sums.get(currency) ?? 0) + balance);
    if (!met)
      violation("checkpoints", `account ${id} names block ${account.n}, which is not its own`);
    if (account.n === 0 && account.balance !== 0) {
      violation("checkpoints", `account ${id} has ${account.balance} before its first block`);
    }
    if (type !== "SYSTEM" && partitionOf(id, partitions) !== p) {
      violation("partitions", `account ${id} does not belong to partition ${p}`);
    }
  }
  for (const [currency, sum] of sums) {
    if (sum !== 0) violation("sums", `partition ${p} holds ${sum} ${currency} too much`);
  }
}
