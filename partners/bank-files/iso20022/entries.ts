// Entries of a notification, and the proofs that they are whole: the counts and sums that the bank
// states for the notification, and for the details of an entry.

import { Unreadable } from "../format.ts";
import { type Decimal, parseCount, parseDecimal } from "./amounts.ts";
import { children, optional, requiredText, textAt, type XmlElement } from "./xml-reader.ts";

export interface Entry {
  element: XmlElement;
  /** The amount as the bank writes it. */
  text: string;
  amount: Decimal;
  currency: string;
  direction: "CRDT" | "DBIT";
  isReversal: boolean;
  /** Entries that are pending or for information have moved no money. */
  isBooked: boolean;
}

export function readEntry(element: XmlElement): Entry {
  const { text, currency = "" } = amountOf(element) ?? {};
  const amount = text === undefined ? null : parseDecimal(text);
  if (text === undefined || amount === null) throw new Unreadable("An entry has no amount");
  return {
    element,
    text,
    amount,
    currency,
    direction: direction(requiredText(element, "CdtDbtInd")),
    isReversal: ["true", "1"].includes(textAt(element, "RvslInd") ?? ""),
    // Up to version 7 of the message the status is the text itself.
    isBooked: (textAt(element, "Sts", "Cd") ?? requiredText(element, "Sts")) === "BOOK",
  };
}

function direction(text: string): Entry["direction"] {
  if (text === "CRDT" || text === "DBIT") return text;
  throw new Unreadable("An entry is no debit and no credit");
}

/** A detail can go the other way than its entry, which is then the difference. */
export function directionOf(entry: Entry, detail: XmlElement): Entry["direction"] {
  return direction(textAt(detail, "CdtDbtInd") ?? entry.direction);
}

/** The details of the entry, one for each transaction, as far as the bank gives them. */
export function details({ element }: Entry): XmlElement[] {
  return children(element, "NtryDtls").flatMap((each) => children(each, "TxDtls"));
}

/** The amount of an entry or a detail; up to version 3 a detail has it in AmtDtls. */
export function amountOf(element: XmlElement): { text: string; currency: string } | null {
  const inDetails = optional(element, "AmtDtls");
  const transaction = inDetails && optional(inDetails, "TxAmt");
  const amount = optional(element, "Amt") ?? (transaction && optional(transaction, "Amt"));
  return amount ? { text: amount.text, currency: amount.attributes.get("Ccy") ?? "" } : null;
}

/**
 * Checks the sums of an entry with payments of ours. An entry that has charges in it is refused too:
 * its details do not add up to it.
 * @throws Unreadable if the details are not all there, or their sum is not the entry's amount
 */
export function requireDetailsOf(entry: Entry): void {
  const found = details(entry);
  requireBatchCount(entry, found.length);
  const amounts = found.map((detail) => ({ detail, amount: amountOf(detail) }));
  if (amounts.some(({ amount }) => amount?.currency !== entry.currency)) return;
  const sum = amounts.reduce((total, { detail, amount }) => {
    const decimal = parseDecimal(amount?.text ?? "");
    if (decimal === null) throw new Unreadable("A detail has a wrong amount");
    return directionOf(entry, detail) === entry.direction ? total + decimal : total - decimal;
  }, 0n);
  if (sum !== entry.amount) throw new Unreadable("An entry is not the sum of its details");
}

function requireBatchCount({ element }: Entry, count: number): void {
  const batches = children(element, "NtryDtls").flatMap((each) => children(each, "Btch"));
  const stated = batches.flatMap((batch) => textAt(batch, "NbOfTxs") ?? []);
  if (stated.length === 0) return;
  const sum = stated.reduce((total, text) => total + (parseCount(text) ?? Number.NaN), 0);
  if (sum !== count) throw new Unreadable("An entry lacks some of its details");
}

/**
 * Checks the totals that the notification states.
 * @throws Unreadable if a number or a sum is not that of the entries
 */
export function requireSummary(notification: XmlElement, entries: Entry[]): void {
  const summary = optional(notification, "TxsSummry");
  if (!summary) return;
  const credits = entries.filter((entry) => entry.direction === "CRDT");
  const debits = entries.filter((entry) => entry.direction === "DBIT");
  requireTotal(summary, "TtlNtries", entries);
  requireTotal(summary, "TtlCdtNtries", credits);
  requireTotal(summary, "TtlDbtNtries", debits);
}

function requireTotal(summary: XmlElement, name: string, entries: Entry[]): void {
  const stated = optional(summary, name);
  if (!stated) return;
  const count = textAt(stated, "NbOfNtries");
  if (count !== undefined && parseCount(count) !== entries.length) {
    throw new Unreadable(`NbOfNtries of ${name} is not the number of entries`);
  }
  const sum = textAt(stated, "Sum");
  const actual = entries.reduce((total, { amount }) => total + amount, 0n);
  if (sum !== undefined && parseDecimal(sum) !== actual) {
    throw new Unreadable(`Sum of ${name} is not the sum of the entries`);
  }
}
