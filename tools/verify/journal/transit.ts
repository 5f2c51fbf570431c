// Money between partitions. A transfer is two postings in two partitions, and the partitions are
// read one after the other, so beside live traffic one half may be seen without the other.
// Transfers that were pending at the beginning, or are younger, are therefore counted apart. Of all
// other transfers both halves are read, and their sum is zero.

import type { Transfer } from "../../../services/wallet-ledger/journal.model.ts";
import {
  type AccountTransfer,
  parseTransferPart,
} from "../../../services/wallet-ledger/transfer.model.ts";
import { CURRENCIES, type Currency } from "../../../shared/money.ts";
import { type Books, PHASES, readOlder, select } from "../books.ts";
import { committedTimes, type Expected } from "./committed.ts";

/** The transfers that may be on their way, and the money of their halves that was seen. */
export interface OnTheWay {
  pending: Set<string>;
  sums: Map<Currency, number>;
}

/** Reads the pending transfers before the journal is read. */
export async function readPending({ find }: Books): Promise<OnTheWay> {
  const pending = await find(PHASES.moves, { status: "PENDING" }, { projection: { _id: 1 } })
    .map(({ _id }) => String(_id))
    .toArray();
  return { pending: new Set(pending), sums: new Map() };
}

/** Counts a half that the journal has committed, if its transfer may be on its way. */
export function seeHalf(
  { recently }: Books,
  { pending, sums }: OnTheWay,
  { id, legs }: Transfer,
): void {
  const transferId = parseTransferPart(id)?.transferId;
  if (transferId === undefined || (!pending.has(transferId) && transferId < recently)) return;
  for (const [account, change] of legs) {
    const currency = CURRENCIES.find((each) => account.endsWith(`:transit:${each}`));
    if (currency) sums.set(currency, (sums.get(currency) ?? 0) + change);
  }
}

/** Checks that the transit accounts of all partitions hold the money on its way. */
export function verifyTransit(
  { findings }: Books,
  transit: Map<Currency, number>,
  { sums }: OnTheWay,
): void {
  for (const [currency, sum] of transit) {
    const rest = sum - (sums.get(currency) ?? 0);
    if (rest !== 0) findings.violation("transit", `${rest} ${currency} are in transit for nothing`);
  }
}

/** Checks that every transfer has its halves. */
export async function verifyAccountTransfers(books: Books, partitions: number): Promise<void> {
  const fields = select("status", "accountId", "walletId");
  for await (const batch of readOlder<AccountTransfer>(books, PHASES.moves, fields)) {
    const part = (name: "out" | "in" | "back"): Expected[] =>
      batch.map(({ _id, accountId, walletId }) => ({
        transferId: `${_id}:${name}`,
        walletId: name === "in" ? walletId : accountId,
      }));
    // From the later halves to the earlier one: if a later half is seen, the earlier half is seen
    // too.
    const later = await committedTimes(books, [...part("in"), ...part("back")], partitions);
    const earlier = await committedTimes(books, part("out"), partitions);
    for (const transfer of batch) {
      const times = (name: string) =>
        (name === "out" ? earlier : later).get(`${transfer._id}:${name}`) ?? 0;
      verifyHalves(books, transfer, times("out"), times("in"), times("back"));
    }
    books.looked("moves", batch.length);
  }
}

function verifyHalves(
  { findings }: Books,
  { _id, status }: AccountTransfer,
  out: number,
  arrived: number,
  back: number,
): void {
  const isRight =
    status === "SUCCESS"
      ? out === 1 && arrived === 1 && back === 0
      : status === "FAILED"
        ? out <= 1 && arrived === 0 && back === out
        : out <= 1 && arrived + back <= out;
  if (!isRight) {
    const halves = `out ${out}, in ${arrived} and back ${back} times`;
    findings.violation("transit", `transfer ${_id} (${status}) went ${halves}`);
  } else if (status === "PENDING" && out > arrived + back) {
    findings.count("transfers on their way");
  }
}
