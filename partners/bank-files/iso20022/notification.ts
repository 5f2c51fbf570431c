// Reads camt.054, BankToCustomerDebitCreditNotification: what the bank has booked on accounts. A
// debit of the payer's account with a payout's id settles the payment, and a credit that says it is a
// return brings it back. All other entries are ordinary traffic of the account. They are passed over,
// but counted, so that a file from which an entry is missing is not read.

import { type Answer, type BookedBatch, type Told, Unreadable } from "../format.ts";
import { isCurrency, parseCount, parseMinor } from "./amounts.ts";
import {
  amountOf,
  details,
  directionOf,
  type Entry,
  readEntry,
  requireDetailsOf,
  requireSummary,
} from "./entries.ts";
import { payoutId } from "./payment-ids.ts";
import { reasonCode } from "./reason-codes.ts";
import { children, only, textAt, type XmlElement } from "./xml-reader.ts";

/** ExternalBankTransactionSubFamily1Code: reimbursement of a returned payment. */
const RETURN = "RRTN";

/**
 * @param root the document's element
 * @param account the payer's, as the originator has it
 * @throws Unreadable if counts or sums are wrong, or if it books a payment in a way that payments are
 *   not booked
 */
export function readNotification(root: XmlElement, account: string): Answer {
  const notifications = children(only(root, "BkToCstmrDbtCdtNtfctn"), "Ntfctn");
  if (notifications.length === 0) throw new Unreadable("The file has no notification");
  const told: Told[] = [];
  const booked: BookedBatch[] = [];
  for (const notification of notifications) {
    const entries = children(notification, "Ntry").map(readEntry);
    requireSummary(notification, entries);
    const isPayers = accountOf(notification) === account;
    for (const entry of entries.filter(({ isBooked }) => isBooked)) {
      told.push(...readPayments(entry, isPayers));
      if (isPayers) booked.push(...readBatches(entry));
    }
  }
  return { told: lastStates(told), ...(booked.length > 0 && { booked }) };
}

function accountOf(notification: XmlElement): string {
  const id = only(only(notification, "Acct"), "Id");
  const number = textAt(id, "IBAN") ?? textAt(id, "Othr", "Id") ?? "";
  return number.replaceAll(" ", "").toUpperCase();
}

function readPayments(entry: Entry, isPayers: boolean): Told[] {
  const ours = details(entry).flatMap((detail) => {
    const payment = payoutIn(detail);
    return payment === null ? [] : [{ detail, payment }];
  });
  if (ours.length > 0) requireDetailsOf(entry);
  return ours.flatMap(({ detail, payment }) => {
    const change = changeOf(entry, detail);
    // The recipient can be an account of the payer too.
    if (change === null && !isPayers) return [];
    if (change === null || !isPayers) {
      throw new Unreadable(`Payment ${payment} is booked as no payment of the account is`);
    }
    return [{ payment, ...moneyOf(entry, detail, payment), ...change }];
  });
}

function payoutIn(detail: XmlElement): string | null {
  const ids = ["EndToEndId", "InstrId"].map((name) => textAt(detail, "Refs", name) ?? "");
  const [first, second] = ids.map(payoutId).filter((id) => id !== null);
  if (second !== undefined && second !== first) throw new Unreadable("A payment has two ids");
  return first ?? null;
}

/** What an entry does to a payment; null for a credit that is no return, or a reversed debit. */
function changeOf(entry: Entry, detail: XmlElement): Pick<Told, "state" | "code"> | null {
  if (directionOf(entry, detail) === "DBIT") {
    return entry.isReversal ? null : { state: "settled" };
  }
  if (!isReturn(entry, detail)) return null;
  return { state: "returned", code: reasonCode(textAt(detail, "RtrInf", "Rsn", "Cd")) };
}

function isReturn(entry: Entry, detail?: XmlElement): boolean {
  const kinds = [entry.element, ...(detail ? [detail] : [])].map((element) =>
    textAt(element, "BkTxCd", "Domn", "Fmly", "SubFmlyCd"),
  );
  const hasReason = detail !== undefined && children(detail, "RtrInf").length > 0;
  return entry.isReversal || hasReason || kinds.includes(RETURN);
}

function moneyOf(entry: Entry, detail: XmlElement, payment: string) {
  const amount = amountOf(detail) ?? (details(entry).length === 1 ? amountOf(entry.element) : null);
  if (!amount) return {};
  const amountMinor = parseMinor(amount.text);
  const { currency } = amount;
  if (amountMinor === null || !isCurrency(currency)) {
    throw new Unreadable(`The amount of payment ${payment} is wrong`);
  }
  return { amountMinor, currency };
}

/** Batches that the bank books as one sum, without a detail for each payment. */
function readBatches(entry: Entry): BookedBatch[] {
  if (details(entry).length > 0) return [];
  const [first, ...others] = children(entry.element, "NtryDtls").flatMap((each) =>
    children(each, "Btch"),
  );
  const batch = first && (textAt(first, "MsgId") ?? textAt(first, "PmtInfId"));
  const { currency, text } = entry;
  const amountMinor = parseMinor(text);
  if (!batch || others.length > 0 || amountMinor === null || !isCurrency(currency)) return [];
  if (entry.direction === "CRDT" && !isReturn(entry)) return [];
  if (entry.direction === "CRDT" || entry.isReversal) {
    throw new Unreadable("A batch comes back in one sum, without its payments");
  }
  const payments = parseCount(textAt(first, "NbOfTxs") ?? "") ?? undefined;
  return [{ batch, amountMinor, currency, payments }];
}

/**
 * A payment that settles and comes back within the file has come back. Any other repetition would
 * be a second payment or a second return.
 */
function lastStates(changes: Told[]): Told[] {
  const told = new Map<string, Told>();
  for (const each of changes) {
    const before = told.get(each.payment);
    if (before?.state === each.state) {
      throw new Unreadable(`Payment ${each.payment} is booked twice`);
    }
    if (before?.state !== "returned") told.set(each.payment, each);
  }
  return [...told.values()];
}
