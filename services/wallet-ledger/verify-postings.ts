// From the journal to what it was written for: every transfer of a payout, its reversal or a funding
// has that document, stored before it was posted, and moves what the document says. So there is no
// debit without its payout and none on another's wallet.

import type { Method } from "../../shared/fees.ts";
import type { Currency } from "../../shared/money.ts";
import type { Funding } from "./funding.model.ts";
import type { Transfer } from "./journal.model.ts";
import { legsOf, type Posting, payloadHashOf } from "./postings.ts";
import { REVERSAL } from "./reads.ts";
import type { Books } from "./verify-books.ts";
import type { Posted } from "./verify-journal.ts";

/** What a payout's document says that the journal has to bear out. */
interface Payout {
  _id: string;
  step: string;
  status: string;
  walletId: string;
  currency: Currency;
  method: Method;
  amountMinor: number;
  feesMinor: number;
}

const PAYOUT_FIELDS = {
  step: 1,
  status: 1,
  walletId: 1,
  currency: 1,
  method: 1,
  amountMinor: 1,
  feesMinor: 1,
};
const FUNDING_FIELDS = { status: 1, walletId: 1, currency: 1, amountMinor: 1 };

/** Checks transfers against their documents, which are read after them. */
export async function verifyPostings(books: Books, posted: Posted[]): Promise<void> {
  const { violation } = books.findings;
  const payoutIds = new Set<string>();
  const fundingIds = new Set<string>();
  for (const { transfer } of posted) {
    if (isOfPayout(transfer)) payoutIds.add(payoutIdOf(transfer));
    else if (transfer.kind === "funding") fundingIds.add(transfer.id);
  }
  const payouts = await readAll<Payout>(books, "payouts", payoutIds, PAYOUT_FIELDS);
  const fundings = await readAll<Funding>(books, "ledger_fundings", fundingIds, FUNDING_FIELDS);
  for (const { transfer, block } of posted) {
    const name = `${transfer.kind} ${transfer.id} in block ${block.p}:${block.n}`;
    if (isOfPayout(transfer)) {
      verifyPayout(books, name, payouts.get(payoutIdOf(transfer)), transfer, block.p);
    } else if (transfer.kind === "funding") {
      verifyFunding(books, name, fundings.get(transfer.id), transfer, block.p);
    } else if (transfer.kind !== "disable" && transfer.kind !== "enable") {
      violation("postings", `${name} is of a kind that nobody posts`);
    }
  }
}

function isOfPayout({ kind }: Transfer): boolean {
  return kind === "payout" || kind === "payout-reversal";
}

function payoutIdOf({ kind, id }: Transfer): string {
  return kind === "payout-reversal" && id.endsWith(REVERSAL) ? id.slice(0, -REVERSAL.length) : id;
}

async function readAll<T extends { _id: string }>(
  { find }: Books,
  collection: string,
  ids: Set<string>,
  projection: Record<string, number>,
): Promise<Map<string, T>> {
  if (ids.size === 0) return new Map();
  const found = await find(
    collection,
    { _id: { $in: [...ids] } as never },
    { projection },
  ).toArray();
  return new Map((found as unknown as T[]).map((document) => [document._id, document]));
}

function verifyPayout(
  { findings: { violation } }: Books,
  name: string,
  payout: Payout | undefined,
  transfer: Transfer,
  p: number,
): void {
  if (!payout) {
    violation("postings", `${name} is of a payout that is not there`);
    return;
  }
  const { _id, step, status, walletId, currency, method, amountMinor, feesMinor } = payout;
  const kind = transfer.kind as "payout" | "payout-reversal";
  const id = kind === "payout" ? _id : _id + REVERSAL;
  const posting: Posting = { id, kind, walletId, currency, method, amountMinor, feesMinor };
  verifyTransfer(violation, `${name} and its payout`, posting, transfer, p);
  if (transfer.outcome !== "committed") return;
  const fate = `payout ${_id} (${status}, ${step})`;
  const isReversible = step === "reverse" || status === "FAILED";
  if (kind === "payout-reversal" && !isReversible) {
    violation("payouts", `${fate} was reversed: ${name}`);
  }
  if (step === "claim" || step === "declined") violation("payouts", `${fate} moved money: ${name}`);
}

function verifyFunding(
  { findings: { violation } }: Books,
  name: string,
  funding: Funding | undefined,
  transfer: Transfer,
  p: number,
): void {
  if (!funding) {
    violation("postings", `${name} is of a funding that is not there`);
    return;
  }
  const { _id: id, walletId, currency, amountMinor, status } = funding;
  const posting = { id, kind: "funding" as const, walletId, currency, amountMinor };
  verifyTransfer(violation, `${name} and its document`, posting, transfer, p);
  const contradiction = transfer.outcome === "committed" ? "FAILED" : "SUCCESS";
  if (status === contradiction) {
    violation("fundings", `${name} is ${transfer.outcome}, its document ${status}`);
  }
}

/** The transfer is the one that the posting became; what differs is named. */
function verifyTransfer(
  violation: Books["findings"]["violation"],
  name: string,
  posting: Posting,
  transfer: Transfer,
  p: number,
): void {
  const differences: string[] = [];
  if (transfer.wallet !== posting.walletId) {
    differences.push(both("wallet", transfer.wallet, posting.walletId));
  }
  if (transfer.outcome === "committed") {
    const legs = legsOf(posting, p);
    for (let i = 0; i < Math.max(legs.length, transfer.legs.length); i++) {
      const [says, should] = [transfer.legs[i], legs[i]].map((leg) => leg?.join(" ") ?? "none");
      if (says !== should) differences.push(both(LEGS[i] ?? "leg", says, should));
    }
  }
  if (differences.length === 0 && transfer.payloadHash !== payloadHashOf(posting)) {
    differences.push("payload hash");
  }
  if (differences.length > 0) violation("postings", `${name} differ in ${differences.join("; ")}`);
}

/** What the legs of a posting are about, by their place. */
const LEGS = ["the wallet's leg", "amount", "fees"];

function both(what: string, says?: string, should?: string): string {
  return `${what} (journal: ${says}, document: ${should})`;
}
