// The proof that a notification is whole: the counts and sums that the bank states for its entries.

import { Unreadable } from "../format.ts";
import { type Decimal, parseCount, parseDecimal } from "./amounts.ts";
import { type Faulty, isFaulty, type StatementEntry } from "./entries.ts";
import { optional, textAt, type XmlElement } from "./xml-reader.ts";

export interface Summary {
  add(entry: StatementEntry | Faulty): void;
  /** @throws Unreadable if the summary has a number or a sum that is not the entries' */
  check(notification: XmlElement): void;
}

interface Total {
  entries: number;
  /** Null once an entry's amount cannot be read: then the sum proves nothing. */
  sum: Decimal | null;
}

export function createSummary(): Summary {
  const all: Total = { entries: 0, sum: 0n };
  const totals = { TtlNtries: all, TtlCdtNtries: { ...all }, TtlDbtNtries: { ...all } };
  /** An entry of no direction belongs to one of these, and nothing says to which. */
  let isDirected = true;

  return {
    add(entry) {
      if (isFaulty(entry)) {
        isDirected = false;
        addTo(totals.TtlNtries, null);
        return;
      }
      addTo(totals.TtlNtries, entry.money.amount);
      const { TtlCdtNtries, TtlDbtNtries } = totals;
      addTo(entry.direction === "CRDT" ? TtlCdtNtries : TtlDbtNtries, entry.money.amount);
    },
    check(notification) {
      const summary = optional(notification, "TxsSummry");
      if (!summary) return;
      for (const [name, total] of Object.entries(totals)) {
        if (isDirected || total === totals.TtlNtries) requireTotal(summary, name, total);
      }
    },
  };
}

function addTo(total: Total, amount: Decimal | null): void {
  total.entries += 1;
  total.sum = total.sum === null || amount === null ? null : total.sum + amount;
}

function requireTotal(summary: XmlElement, name: string, { entries, sum }: Total): void {
  const stated = optional(summary, name);
  if (!stated) return;
  const count = textAt(stated, "NbOfNtries");
  if (count !== undefined && parseCount(count) !== entries) {
    throw new Unreadable(`NbOfNtries of ${name} is not the number of entries, ${entries}`);
  }
  const statedSum = textAt(stated, "Sum");
  if (statedSum !== undefined && sum !== null && parseDecimal(statedSum) !== sum) {
    throw new Unreadable(`Sum of ${name} is not the sum of the entries`);
  }
}
