// Reads a file of our own back from its bytes alone. A file is read only if it is as `writeFile`
// writes it: whatever changes an amount, a sum, a payout's id or the order of records makes it
// unreadable. The originator's data is not compared, because files of earlier data stay readable.

import { Unreadable, type WrittenFile } from "../format.ts";
import { BATCH_ID, idIn, shortId } from "./identification.ts";
import { type BatchHeader, type ParsedEntry, parseFile } from "./parse.ts";
import { TRANSACTION_CODES } from "./payment.ts";
import { CREDITS, fieldsOf, PAYMENT_ADDENDA, PPD } from "./record.ts";
import { isRoutingNumber } from "./routing-number.ts";

/** @throws Unreadable that names the record */
export function readFile(bytes: Buffer): WrittenFile {
  const { batches, batchCount, sums } = parseFile(bytes, { make: (entry) => [entry] });
  const [batch] = batches;
  if (!batch || batchCount > 1) throw new Unreadable("the file does not have exactly one batch");
  const { header, items: entries } = batch;
  const id = header.companyDiscretionaryData.trimEnd();
  if (header.serviceClass !== CREDITS || header.entryClass !== PPD || !BATCH_ID.test(id)) {
    throw new Unreadable("the batch header is not of a file of payouts");
  }
  const first = Number(entries[0]?.fields.traceNumber);
  const payments = entries.map((entry, index) => paymentOf(entry, header, first + index));
  if (new Set(payments.map((payment) => payment.id)).size < payments.length) {
    throw new Unreadable("the file pays a payout twice");
  }
  return { id, currency: "USD", amountMinor: sums.creditMinor, payments };
}

/** @param trace the entry's place in the order of traces */
function paymentOf(
  { at, fields, amountMinor, addenda }: ParsedEntry,
  { originatingDfi }: BatchHeader,
  trace: number,
) {
  const { transactionCode, receivingDfi, checkDigit, traceNumber, individualId } = fields;
  const fault = (words: string) => new Unreadable(`record ${at} ${words}`);
  if (!Object.values(TRANSACTION_CODES).includes(transactionCode)) throw fault("is no credit");
  if (!isRoutingNumber(receivingDfi + checkDigit)) throw fault("has no valid routing number");
  if (amountMinor < 1) throw fault("pays nothing");
  if (!traceNumber.startsWith(originatingDfi) || Number(traceNumber) !== trace) {
    throw fault("has no trace number of its place");
  }
  const [record, ...others] = addenda;
  if (record === undefined || others.length > 0) throw fault("does not have exactly one addenda");
  const { addendaType, information, addendaNumber, entryNumber } = fieldsOf(
    PAYMENT_ADDENDA,
    record,
  );
  const id = idIn(information);
  const isOfEntry = addendaNumber === "0001" && traceNumber.endsWith(entryNumber);
  if (addendaType !== "05" || !isOfEntry || id === null || shortId(id) !== individualId) {
    throw fault("has no addenda with the payout's id");
  }
  return { id, amountMinor };
}
