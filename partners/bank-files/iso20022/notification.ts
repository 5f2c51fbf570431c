// Reads camt.054, BankToCustomerDebitCreditNotification: what the bank has booked on accounts. An
// entry is dropped as soon as it is read; entries of other traffic are counted, so that a file from
// which an entry is missing is not read.

import { type AnswerFile, type Part, Unreadable } from "../format.ts";
import { type Detail, type Faulty, readDetail, readEntry } from "./entries.ts";
import { partsOf, type StatementAccount } from "./entry-part.ts";
import { createSummary } from "./summary.ts";
import { optional, textAt, type XmlElement } from "./xml-reader.ts";

/** Reads one message while it passes. */
export interface MessageReader {
  /** Is told of each element at its end. @returns whether the element is read, and need not stay */
  take(element: XmlElement, parents: XmlElement[]): boolean;
  /** @throws Unreadable if the message is not whole */
  end(root: XmlElement): AnswerFile;
}

/** @param payer the account of the originator */
export function readNotifications(payer: StatementAccount): MessageReader {
  const parts: Part[] = [];
  let passedOver = 0;
  let notifications = 0;
  let entries = 0;
  let summary = createSummary();
  let details: (Detail | Faulty)[] = [];

  function takeEntry(element: XmlElement, notification: XmlElement): void {
    entries += 1;
    const entry = readEntry(element);
    summary.add(entry);
    const found = partsOf(entry, details, { payer, isPayers: isAccount(notification, payer) });
    const where = `notification ${notifications + 1}, entry ${entries}`;
    parts.push(...found.map((part) => ({ where, ...part })));
    if (found.length === 0) passedOver += 1;
    details = [];
  }

  return {
    take(element, parents) {
      const parent = parents.at(-1);
      if (element.name === "TxDtls" && parent?.name === "NtryDtls") {
        details.push(readDetail(element));
        return true;
      }
      if (element.name === "Ntry" && parent?.name === "Ntfctn") {
        takeEntry(element, parent);
        return true;
      }
      if (element.name !== "Ntfctn") return false;
      summary.check(element);
      notifications += 1;
      entries = 0;
      summary = createSummary();
      return true;
    },
    end() {
      if (notifications === 0) throw new Unreadable("The file has no notification");
      return { parts, passedOver };
    },
  };
}

function isAccount(notification: XmlElement, { account }: StatementAccount): boolean {
  const holder = optional(notification, "Acct");
  const id = holder && optional(holder, "Id");
  const number = id && (textAt(id, "IBAN") ?? textAt(id, "Othr", "Id"));
  return number !== undefined && bare(number) === bare(account);
}

/** Banks write an account with leading zeros and in groups, or without. */
function bare(number: string): string {
  return number.replaceAll(/[ -]/g, "").replace(/^0+/, "").toUpperCase();
}
