// Money between partitions. A transfer is two postings in two partitions, and the partitions are
// read one after the other, so beside live traffic one half may be seen without the other.
// Transfers that were pending at the beginning, or are younger, are therefore counted apart. Of all
// other transfers both halves are read, and their sum is zero.

import type { Transfer } from "../../../services/wallet-ledger/journal.model.ts";
import { parseTransferPart } from "../../../services/wallet-ledger/transfer.model.ts";
import { CURRENCIES, type Currency } from "../../../shared/money.ts";
import { type Books, PHASES, readOlder, select } from "../books.ts";
import { type Document, describe, type Kind } from "../kinds/kind.ts";
import { KINDS } from "../kinds/kinds.ts";
import { committedTimes, type Expected } from "./committed.ts";

/** A kind of transfer: the fields of its accounts, and the kinds of its postings. */
export interface TransferKind {
  kind: Pick<Kind, "name" | "phase">;
  from: string;
  to: string;
  halves: { out: "transfer-out" | "wallet-transfer-out"; in: "transfer-in" | "wallet-transfer-in" };
}

export const TRANSFERS: TransferKind[] = [
  {
    kind: KINDS.accountTransfers,
    from: "accountId",
    to: "walletId",
    halves: { out: "transfer-out", in: "transfer-in" },
  },
  {
    kind: KINDS.walletTransfers,
    from: "walletId",
    to: "toWalletId",
    halves: { out: "wallet-transfer-out", in: "wallet-transfer-in" },
  },
];

/** The transfers that may be on their way, and the money of their halves that was seen. */
export interface OnTheWay {
  pending: Set<string>;
  sums: Map<Currency, number>;
}

/** Reads the pending transfers before the journal is read. */
export async function readPending({ find }: Books): Promise<OnTheWay> {
  const pending = new Set<string>();
  for (const { kind } of TRANSFERS) {
    const asked = { status: "PENDING" };
    const found = find(PHASES[kind.phase], asked, { projection: { _id: 1 } });
    for await (const { _id } of found) pending.add(String(_id));
  }
  return { pending, sums: new Map() };
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

/** Checks that every transfer of a kind has its halves. */
export async function verifyHalves(
  books: Books,
  { kind, from, to }: TransferKind,
  partitions: number,
): Promise<void> {
  const fields = select("status", "step", from, to);
  for await (const batch of readOlder<Halved>(books, PHASES[kind.phase], fields)) {
    const part = (name: "out" | "in" | "back"): Expected[] =>
      batch.map((transfer) => ({
        transferId: `${transfer._id}:${name}`,
        walletId: transfer[name === "in" ? to : from] as string,
      }));
    // From the later halves to the earlier one: if a later half is seen, the earlier half is seen
    // too.
    const later = await committedTimes(books, [...part("in"), ...part("back")], partitions);
    const earlier = await committedTimes(books, part("out"), partitions);
    for (const transfer of batch) {
      const times = (name: string) =>
        (name === "out" ? earlier : later).get(`${transfer._id}:${name}`) ?? 0;
      const [out, arrived, back] = [times("out"), times("in"), times("back")];
      if (!isRight(transfer, out, arrived, back)) {
        const halves = `out ${out}, in ${arrived} and back ${back} times`;
        books.findings.violation("transit", `${describe(kind, transfer)} went ${halves}`);
      } else if (transfer.status === "PENDING" && out > arrived + back) {
        books.findings.count("transfers on their way");
      }
    }
  }
}

interface Halved extends Pick<Document, "_id" | "status" | "step"> {
  [field: string]: unknown;
}

function isRight({ status }: Halved, out: number, arrived: number, back: number): boolean {
  switch (status) {
    case "SUCCESS":
      return out === 1 && arrived === 1 && back === 0;
    case "FAILED":
      return out <= 1 && arrived === 0 && back === out;
    default:
      return out <= 1 && arrived + back <= out;
  }
}
