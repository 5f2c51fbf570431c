// Verification of payouts against the journal: the only code that reads another service's collection,
// and it writes none. What is on its way (not accepted yet, or its reversal not answered yet) is
// pending, not wrong.

import type { mongo } from "mongoose";
import type { Method } from "../../shared/fees.ts";
import type { Currency } from "../../shared/money.ts";
import type { Findings } from "./findings.ts";
import type { Block, Transfer } from "./journal.model.ts";
import { legsOf, partitionOf } from "./postings.ts";
import { REVERSAL } from "./reads.ts";
import { transfersWhere } from "./store.ts";

/** What a payout's document says that the journal has to bear out. */
interface Payout {
  _id: string;
  /** Moves with every change. */
  v: number;
  step: string;
  status: string;
  visible: boolean;
  walletId: string;
  currency: Currency;
  method: Method;
  amountMinor: number;
  feesMinor: number;
}

const PAYOUTS_PER_READ = 500;
const MAJORITY = { readConcern: { level: "majority" as const } };

/**
 * Every payout that was accepted has exactly the debit that it says, FAILED has exactly one reversal,
 * nothing else has one; a declined one moved nothing.
 * @param before judges payouts made before this id (a UUID v7) alone
 */
export async function verifyPayouts(
  db: mongo.Db,
  partitions: number,
  before: string,
  findings: Findings,
): Promise<void> {
  const payouts = db.collection<Payout>("payouts");
  let last = "";
  for (;;) {
    const batch = await payouts
      .find({ _id: { $gt: last, $lt: before } }, MAJORITY)
      .sort({ _id: 1 })
      .limit(PAYOUTS_PER_READ)
      .toArray();
    for (const detail of await wrongWith(db, partitions, batch)) {
      findings.violation("payouts", detail);
    }
    findings.count("payouts", batch.length);
    if (batch.length < PAYOUTS_PER_READ) return;
    last = batch.at(-1)?._id as string;
  }
}

/**
 * What is wrong with these payouts. The journal is read after them, so one that moved meanwhile may
 * only seem wrong: what seems wrong is read again, and counts if it has not moved.
 */
async function wrongWith(db: mongo.Db, partitions: number, batch: Payout[]): Promise<string[]> {
  const transfers = await transfersOf(db, partitions, batch);
  const problems = new Map<Payout, string[]>();
  for (const payout of batch) {
    const found = problemsOf(payout, partitions, transfers);
    if (found.length > 0) problems.set(payout, found);
  }
  if (problems.size === 0) return [];
  const ids = [...problems.keys()].map(({ _id }) => _id);
  const again = await db
    .collection<Payout>("payouts")
    .find({ _id: { $in: ids } }, MAJORITY)
    .toArray();
  const now = new Map(again.map((payout) => [payout._id, payout]));
  const moved = again.filter(
    ({ _id, v }) => !batch.some((each) => each._id === _id && each.v === v),
  );
  const stood = [...problems].filter(([{ _id, v }]) => now.get(_id)?.v === v);
  const later = moved.length > 0 ? await wrongWith(db, partitions, moved) : [];
  return [...stood.flatMap(([, found]) => found), ...later];
}

/** What the journal has of these payouts, by the transfer's id. */
async function transfersOf(
  db: mongo.Db,
  partitions: number,
  payouts: Payout[],
): Promise<Map<string, Transfer>> {
  const ids = new Map<number, string[]>();
  for (const { _id, walletId } of payouts) {
    const p = partitionOf(walletId, partitions);
    ids.set(p, [...(ids.get(p) ?? []), _id, _id + REVERSAL]);
  }
  const found = await Promise.all(
    [...ids].map(([p, wanted]) =>
      db
        .collection<Block>("ledger_blocks")
        .aggregate<Pick<Block, "transfers">>(
          [
            { $match: { p, "transfers.id": { $in: wanted } } },
            { $project: { transfers: transfersWhere("id", wanted) } },
          ],
          MAJORITY,
        )
        .toArray(),
    ),
  );
  const transfers = found.flat().flatMap((block) => block.transfers);
  return new Map(transfers.map((transfer) => [transfer.id, transfer]));
}

function problemsOf(
  payout: Payout,
  partitions: number,
  transfers: Map<string, Transfer>,
): string[] {
  const { _id: id, step, status, visible } = payout;
  const debit = transfers.get(id);
  const reversal = transfers.get(id + REVERSAL);
  const name = `payout ${id} (${status}, ${step})`;
  if (step === "claim" || step === "debit") return [];
  if (step === "declined") {
    const moved = debit?.outcome === "committed" || reversal !== undefined;
    return moved ? [`${name} moved money`] : [];
  }
  const problems = differences(payout, "payout", debit, partitions);
  if (!visible) problems.push(`${name} is hidden`);
  if (step === "reverse") return problems;
  if (status === "FAILED") {
    problems.push(...differences(payout, "payout-reversal", reversal, partitions));
  } else if (reversal) {
    problems.push(`${name} has a reversal in the journal`);
  }
  return problems;
}

/** The transfer is there, committed, and moves what the payout says. */
function differences(
  payout: Payout,
  kind: "payout" | "payout-reversal",
  transfer: Transfer | undefined,
  partitions: number,
): string[] {
  const { _id, walletId, currency, method, amountMinor, feesMinor, status } = payout;
  const name = `payout ${_id} (${status})`;
  if (transfer?.outcome !== "committed") return [`${name} has no ${kind} in the journal`];
  const posting = { id: _id, kind, walletId, currency, method, amountMinor, feesMinor };
  const expected = legsOf(posting, partitionOf(walletId, partitions));
  return JSON.stringify(expected) === JSON.stringify(transfer.legs)
    ? []
    : [`${name} and its ${kind} in the journal differ in wallet, amount or fees`];
}
