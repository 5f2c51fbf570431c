// Entries of a notification and their details, as far as payrail needs them: which way the money
// goes, how much, and whether it comes back. They are read one by one as they pass.

import { Unreadable } from "../format.ts";
import { type Decimal, parseCount, parseDecimal } from "./amounts.ts";
import { type Names, namesIn } from "./entry-names.ts";
import { children, optional, requiredText, textAt, type XmlElement } from "./xml-reader.ts";

export type Direction = "CRDT" | "DBIT";

export interface Money {
  /** Null if the text is no amount. */
  amount: Decimal | null;
  currency: string;
}

/** What entries and details have alike. */
interface Item {
  names: Names;
  /** The bank's own reference. */
  reference?: string;
  isReturn: boolean;
  /** The charges that are stated beside the amount; 0 if there are none. */
  charges: Decimal;
  /** Those of them which the bank says are in the amount. */
  chargesIncluded: Decimal;
}

export interface Detail extends Item {
  /** A detail can go the other way than its entry, which is then the difference. */
  direction?: Direction;
  /** The bank's code for the reason of a return. */
  reason?: string;
  /** The amount on the account. */
  booked?: Money;
  /** The amounts of the payment itself, the payer's instruction first. */
  instructed: Money[];
}

export interface StatementEntry extends Item {
  money: Money;
  direction: Direction;
  isReversal: boolean;
  /** Entries that are pending or for information have moved no money. */
  isBooked: boolean;
  /** How many payments its batches have, if the bank says so. */
  payments?: number;
}

/** An entry or a detail that cannot be understood, and the names in it. */
export interface Faulty {
  names: Names;
  fault: string;
}

/** ExternalBankTransactionSubFamily1Code: a payment came back, by itself or by a recall. */
const RETURNS = ["RRTN", "RPCR"];
/** Texts that stand for no reference. */
const NO_REFERENCE = /^(NOTPROVIDED|NONREF|0+|-)$/i;

export function readEntry(element: XmlElement): StatementEntry | Faulty {
  return understood(element, (names) => ({
    names,
    ...readItem(element, ["AcctSvcrRef"]),
    money: moneyOf(optional(element, "Amt")) ?? { amount: null, currency: "" },
    direction: directionOf(requiredText(element, "CdtDbtInd")),
    isReversal: isTrue(textAt(element, "RvslInd")),
    isBooked: isBooked(element),
    payments: paymentsOf(element),
  }));
}

export function readDetail(element: XmlElement): Detail | Faulty {
  return understood(element, (names) => {
    const direction = textAt(element, "CdtDbtInd");
    const amounts = optional(element, "AmtDtls");
    const [instructed, transaction, counter] = ["InstdAmt", "TxAmt", "CntrValAmt"].map((name) => {
      const amount = amounts && optional(amounts, name);
      return moneyOf(amount && optional(amount, "Amt"));
    });
    return {
      names,
      ...readItem(element, ["Refs", "AcctSvcrRef"]),
      direction: direction === undefined ? undefined : directionOf(direction),
      reason: textAt(element, "RtrInf", "Rsn", "Cd"),
      // Up to version 3 a detail has its amount in AmtDtls alone.
      booked: moneyOf(optional(element, "Amt")) ?? transaction,
      instructed: [instructed, transaction, counter].filter((money) => money !== undefined),
    };
  });
}

function understood<T>(element: XmlElement, read: (names: Names) => T): T | Faulty {
  const names = namesIn(element);
  try {
    return read(names);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { names, fault: error.message };
  }
}

function readItem(element: XmlElement, reference: string[]): Omit<Item, "names"> {
  const text = textAt(element, ...reference);
  const kind = textAt(element, "BkTxCd", "Domn", "Fmly", "SubFmlyCd") ?? "";
  return {
    reference: text === undefined || NO_REFERENCE.test(text) ? undefined : text,
    isReturn: RETURNS.includes(kind) || children(element, "RtrInf").length > 0,
    charges: chargesOf(element),
    chargesIncluded: includedChargesOf(element),
  };
}

/** Undefined without an amount; some banks write empty ones. */
function moneyOf(element: XmlElement | undefined): Money | undefined {
  if (!element?.text) return undefined;
  return { amount: parseDecimal(element.text), currency: element.attributes.get("Ccy") ?? "" };
}

function chargesOf(element: XmlElement): Decimal {
  const sums = children(element, "Chrgs").map((charges) => {
    const total = optional(charges, "TtlChrgsAndTaxAmt") ?? optional(charges, "Amt");
    const records = children(charges, "Rcrd").flatMap((record) => children(record, "Amt"));
    return total ? [total] : records;
  });
  return sumOf(sums.flat());
}

function includedChargesOf(element: XmlElement): Decimal {
  const all = children(element, "Chrgs").flatMap((charges) => [
    charges,
    ...children(charges, "Rcrd"),
  ]);
  const included = all.filter((record) => isTrue(textAt(record, "ChrgInclInd")));
  return sumOf(included.flatMap((record) => children(record, "Amt")));
}

function sumOf(amounts: XmlElement[]): Decimal {
  return amounts.reduce((sum, { text }) => sum + (parseDecimal(text) ?? 0n), 0n);
}

/** As XML Schema writes it. */
function isTrue(text: string | undefined): boolean {
  return text === "true" || text === "1";
}

function directionOf(text: string): Direction {
  if (text === "CRDT" || text === "DBIT") return text;
  throw new Unreadable("CdtDbtInd is neither CRDT nor DBIT");
}

/** Up to version 7 of the message the status is the text itself. Banks have their own statuses. */
function isBooked(element: XmlElement): boolean {
  const [text, code, own] = [[], ["Cd"], ["Prtry"]].map((path) => textAt(element, "Sts", ...path));
  const status = (text ?? code ?? own)?.toUpperCase();
  if (status === "BOOK") return true;
  if (status !== undefined && ["PDNG", "INFO", "FUTR"].includes(status)) return false;
  throw new Unreadable("The entry has no status of the standard");
}

function paymentsOf(element: XmlElement): number | undefined {
  const batches = children(element, "NtryDtls").flatMap((each) => children(each, "Btch"));
  const counts = batches.flatMap((batch) => parseCount(textAt(batch, "NbOfTxs") ?? "") ?? []);
  if (counts.length === 0) return undefined;
  return counts.reduce((sum, count) => sum + count, 0);
}

export function isFaulty(item: StatementEntry | Detail | Faulty): item is Faulty {
  return "fault" in item;
}
