// Reads the answers of a bank: returns of our entries, and notifications of change. An answer is
// taken as a whole: an entry that is not ours or cannot be understood makes the file unreadable, so
// that a misrouted file changes nothing and an operator looks at it. A file without entries is an
// answer that tells nothing; some banks send one on every day.
//
// Every return is `returned`, also one by the ACH operator before the entry settles: the return
// gives the money back by an entry of its own, and `returned` is true whether or not payrail takes
// the payment as settled already.

import { type Answer, type Told, Unreadable } from "../format.ts";
import { isChangeCode, noticeOf } from "./change-codes.ts";
import { isShortId } from "./identification.ts";
import type { Originator } from "./originator.ts";
import { type ParsedEntry, parseFile } from "./parse.ts";
import { CHANGE_ADDENDA, fieldsOf, PPD, RETURN_ADDENDA } from "./record.ts";
import { isReturnCode, reasonOf } from "./return-codes.ts";

/** The class of batches with notifications of change. */
const COR = "COR";
/** Returns and notifications of change for credits to checking (22) and savings (32). */
const ANSWER_CODES = ["21", "31"];

/** @throws Unreadable that names the record */
export function readAnswer(bytes: Buffer, originator: Originator): Answer {
  const seen = new Set<string>();
  const { batches } = parseFile(bytes);
  const told = batches.flatMap(({ header, entries }) => {
    if (header.companyId.trim() !== originator.companyId) {
      throw new Unreadable(`the batch of record ${entries[0]?.at} is of another company`);
    }
    return entries.map((entry) => {
      const one = toldBy(entry, header.entryClass, originator);
      // A second notification of change may correct another field.
      const key = [one.payment, one.state, one.notice].join();
      if (seen.has(key)) throw fault(entry, "repeats an answer of the file");
      seen.add(key);
      return one;
    });
  });
  return { told };
}

function toldBy(entry: ParsedEntry, entryClass: string, originator: Originator): Told {
  const { transactionCode, individualId } = entry.fields;
  if (!ANSWER_CODES.includes(transactionCode)) throw fault(entry, "is no answer to a credit");
  if (!isShortId(individualId)) throw fault(entry, "names no payout");
  if (entryClass === PPD) return returnIn(entry, originator);
  if (entryClass === COR) return changeIn(entry, originator);
  throw fault(entry, "is in a batch that is no answer to payouts");
}

function returnIn(entry: ParsedEntry, originator: Originator): Told {
  const addenda = fieldsOf(RETURN_ADDENDA, addendaOf(entry));
  requireOurs(entry, "99", addenda, originator);
  if (!isReturnCode(addenda.reasonCode)) throw fault(entry, "has no code of a return (R01 to R60)");
  if (entry.amountMinor < 1) throw fault(entry, "returns nothing");
  return {
    payment: entry.fields.individualId,
    amountMinor: entry.amountMinor,
    currency: "USD",
    state: "returned",
    code: reasonOf(addenda.reasonCode),
  };
}

function changeIn(entry: ParsedEntry, originator: Originator): Told {
  const addenda = fieldsOf(CHANGE_ADDENDA, addendaOf(entry));
  requireOurs(entry, "98", addenda, originator);
  if (!isChangeCode(addenda.changeCode)) throw fault(entry, "has no code of a change (C01 to C14)");
  if (entry.amountMinor !== 0) throw fault(entry, "notifies of a change with an amount");
  return {
    payment: entry.fields.individualId,
    state: "noted",
    notice: noticeOf(addenda.changeCode, addenda.correctedData),
  };
}

function addendaOf(entry: ParsedEntry): string {
  const [record, ...others] = entry.addenda;
  if (record === undefined || others.length > 0) throw fault(entry, "does not have one addenda");
  return record;
}

/** The trace of our entry begins with our ODFI; the addenda has the trace of its own entry (R27). */
function requireOurs(
  entry: ParsedEntry,
  type: "98" | "99",
  addenda: Record<"addendaType" | "originalTrace" | "traceNumber", string>,
  { odfi }: Originator,
): void {
  if (addenda.addendaType !== type) throw fault(entry, `has no addenda of type ${type}`);
  if (addenda.traceNumber !== entry.fields.traceNumber) {
    throw fault(entry, "has the addenda of another entry");
  }
  if (!/^\d{15}$/.test(addenda.originalTrace) || !addenda.originalTrace.startsWith(odfi)) {
    throw fault(entry, "answers an entry of another bank");
  }
}

function fault({ at }: ParsedEntry, words: string): Unreadable {
  return new Unreadable(`record ${at} ${words}`);
}
