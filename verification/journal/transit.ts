// Money between partitions. A transfer is two postings in two partitions, which are read one after the
// other; so beside live traffic one half may be seen and the other not. Transfers that were pending
// when the verification began, or are younger, are therefore counted by themselves; of all others both
// halves are in what is read, and come to nothing.

import type { Transfer } from "../../services/wallet-ledger/journal.model.ts";
import { parseTransferPart } from "../../services/wallet-ledger/postings.ts";
import type { Transfer as AccountTransfer } from "../../services/wallet-ledger/transfer.model.ts";
import { CURRENCIES, type Currency } from "../../shared/money.ts";
import { type Books, inBatches, PHASES } from "../books.ts";
import { committedTimes, type Expected } from "./committed.ts";

const PHASE = "moves";
const READ_AT_ONCE = 1_000;

/** What is on its way, as far as it was seen. */
export interface OnTheWay {
  pending: Set<string>;
  sums: Map<Currency, number>;
}

/** Before the journal is read: what is pending by then. */
export async function readPending({ find }: Books): Promise<OnTheWay> {
  const pending = await find(PHASES[PHASE], { status: "PENDING" }, { projection: { _id: 1 } })
    .map(({ _id }) => String(_id))
    .toArray();
  return { pending: new Set(pending), sums: new Map() };
}

/** Comes by with each half that the journal has committed. */
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

/** Transit over all partitions is what is on its way. */
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

/** Every transfer has the halves that it has to have. */
export async function verifyAccountTransfers(books: Books, partitions: number): Promise<void> {
  const filter = { _id: { $lt: books.began } };
  const cursor = books
    .find<AccountTransfer>(PHASES[PHASE], filter)
    .sort({ _id: 1 })
    .batchSize(READ_AT_ONCE);
  for await (const batch of inBatches(cursor, READ_AT_ONCE)) {
    const part = (name: "out" | "in" | "back"): Expected[] =>
      batch.map(({ _id, accountId, walletId }) => ({
        transferId: `${_id}:${name}`,
        walletId: name === "in" ? walletId : accountId,
      }));
    // From the later ones to the earlier: who sees one of those sees what came before it.
    const later = await committedTimes(books, [...part("in"), ...part("back")], partitions);
    const earlier = await committedTimes(books, part("out"), partitions);
    for (const transfer of batch) {
      const times = (name: string) =>
        (name === "out" ? earlier : later).get(`${transfer._id}:${name}`) ?? 0;
      verifyHalves(books, transfer, times("out"), times("in"), times("back"));
    }
    books.looked(PHASE, batch.length);
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
