// The journal, streamed partition by partition: memory grows with the accounts of one partition,
// not with the journal. Of a partition the watermark is read first, then the checkpoints, then the
// number of the last block, then the blocks up to it. So the blocks of all checkpoints are among
// them, and live traffic does not prolong the verification.

import { readTransfer } from "../../../services/wallet-ledger/block-format.ts";
import {
  type Account,
  BEFORE_FIRST_BLOCK,
  type Block,
  type StoredBlock,
  type Transfer,
  type Watermark,
} from "../../../services/wallet-ledger/journal.model.ts";
import { CURRENCIES, type Currency } from "../../../shared/money.ts";
import { partitionFor } from "../../../shared/rpc/partitions.ts";
import type { Books } from "../books.ts";
import { type Checked, endFold, type Fold, foldBlock, unfolded } from "./fold.ts";
import { createHeadCheck, type HeadCheck, type KeptHead } from "./heads.ts";
import { shareOf } from "./legs.ts";

/** A transfer and the block that it is in. */
export interface Posted {
  transfer: Transfer;
  block: Pick<Block, "p" | "n">;
}

interface Journal {
  partitions: number;
  transit: Map<Currency, number>;
}

const BLOCKS_PER_READ = 200;
const POSTED_AT_ONCE = 1_000;

/**
 * Proves the books from the journal alone, and the checkpoints against it.
 * @param heads are compared with it
 * @param onPosted receives every transfer of each block that matches its hash, in batches
 * @returns the number of partitions, and the money in transit over all of them
 */
export async function verifyJournal(
  books: Books,
  heads: readonly KeptHead[] | undefined,
  onPosted: (posted: Posted[]) => Promise<void>,
): Promise<Journal> {
  const headCheck = createHeadCheck(heads ?? [], books.findings);
  const marks = await books.find<Watermark>("ledger_watermarks", {}).sort({ _id: 1 }).toArray();
  const partitions = marks.length === 0 ? 0 : await verifyPartitions(books, marks);
  const transit: Journal["transit"] = new Map();
  for (const mark of marks) {
    const accounts = await verifyPartition(books, mark, partitions, headCheck, onPosted);
    for (const currency of CURRENCIES) {
      const balance = accounts.get(shareOf(mark._id, "transit", currency))?.balance ?? 0;
      transit.set(currency, (transit.get(currency) ?? 0) + balance);
    }
  }
  headCheck.end(partitions);
  return { partitions, transit };
}

/**
 * Checks that every partition exists, and that no block or account lies outside of them.
 * @returns the number of partitions
 */
async function verifyPartitions(
  { find, findings: { count, violation } }: Books,
  marks: Watermark[],
): Promise<number> {
  const partitions = mostCommon(marks);
  const known = Array.from({ length: partitions }, (_, p) => p);
  count("partitions", marks.length);
  for (const p of known) {
    if (!marks.some(({ _id }) => _id === p)) {
      violation("watermarks", `partition ${p} of ${partitions} has no watermark`);
    }
  }
  for (const { _id, of } of marks) {
    if (of !== partitions || !known.includes(_id)) {
      violation("watermarks", `partition ${_id} is one of ${of}, most are of ${partitions}`);
    }
  }
  const outside = { p: { $nin: known } };
  const stray = await find<StoredBlock>("ledger_blocks", outside).limit(1).next();
  if (stray) violation("numbers", `block ${stray.p}:${stray.n} is in no partition`);
  const lost = await find<Account>("ledger_accounts", outside).limit(1).next();
  if (lost) violation("accounts", `account ${lost._id} is in partition ${lost.p} of ${partitions}`);
  return partitions;
}

function mostCommon(marks: Watermark[]): number {
  const groups = [...Map.groupBy(marks, ({ of }) => of)];
  const [most] = groups.toSorted(([, a], [, b]) => b.length - a.length);
  return most?.[0] ?? 0;
}

async function verifyPartition(
  books: Books,
  { _id: p }: Watermark,
  partitions: number,
  headCheck: HeadCheck,
  onPosted: (posted: Posted[]) => Promise<void>,
): Promise<Map<string, Checked>> {
  const { find, findings } = books;
  const mark = (await find<Watermark>("ledger_watermarks", { _id: p }).next()) as Watermark;
  const accounts = new Map<string, Checked>();
  for await (const account of find<Account>("ledger_accounts", { p })) {
    findings.count("accounts");
    // An account that was tampered with may have no checkpoint.
    const checkpoint = account.checkpoint ?? { ...BEFORE_FIRST_BLOCK, n: Number.NaN };
    accounts.set(account._id, unfolded({ ...account, checkpoint }, checkpoint));
    verifyPlace(books, account, partitions);
  }
  const tip = await find<StoredBlock>("ledger_blocks", { p }, { projection: { n: 1 } })
    .sort({ n: -1 })
    .limit(1)
    .next();
  const fold: Fold = { mark, last: { n: 0, hash: "" }, accounts, findings };
  const blocks = find<StoredBlock>("ledger_blocks", { p, n: { $lte: tip?.n ?? 0 } })
    .sort({ n: 1 })
    .batchSize(BLOCKS_PER_READ);
  let posted: Posted[] = [];
  for await (const block of blocks) {
    await readMissing(books, fold, block, partitions);
    if (foldBlock(fold, block)) posted.push(...postedTransfers(block));
    headCheck.see(fold);
    books.looked("blocks", 1);
    if (posted.length < POSTED_AT_ONCE) continue;
    await onPosted(posted);
    posted = [];
  }
  await onPosted(posted);
  endFold(fold);
  return accounts;
}

function verifyPlace({ findings }: Books, { _id: id, p, type }: Account, partitions: number) {
  const isThere = type === "SYSTEM" ? id.startsWith(`${p}:`) : partitionFor(id, partitions) === p;
  if (!isThere) {
    findings.violation("accounts", `account ${id} (${type}) does not belong to partition ${p}`);
  }
}

/** The fold reports entries that are no transfers. */
function postedTransfers({ p, n, transfers }: StoredBlock): Posted[] {
  if (!Array.isArray(transfers)) return [];
  return transfers.filter(Boolean).map((stored) => {
    return { transfer: readTransfer(p, stored), block: { p, n } };
  });
}

/** Reads accounts that a block names and that were opened after the accounts were read. */
async function readMissing(
  books: Books,
  { accounts }: Fold,
  block: StoredBlock,
  partitions: number,
): Promise<void> {
  const missing = postedTransfers(block)
    .map(({ transfer }) => transfer.wallet)
    .filter((id) => !accounts.has(id));
  if (missing.length === 0) return;
  const opened = { _id: { $in: missing }, p: block.p };
  for await (const account of books.find<Account>("ledger_accounts", opened)) {
    books.findings.count("accounts");
    // The checkpoint may be of a block that this verification does not read.
    const checkpoint = { ...account.checkpoint, n: Number.POSITIVE_INFINITY };
    accounts.set(account._id, unfolded({ ...account, checkpoint }, null));
    verifyPlace(books, account, partitions);
  }
}
