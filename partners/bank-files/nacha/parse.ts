// Parses ACH files of payments, returns and notifications of change. A file is parsed only if it is
// whole: every record has its place, and every control record agrees with the records before it
// (Nacha Operating Rules, Appendix One, 1.3, and Two, 2.3 and 2.4). There is no sum over account
// numbers and names, so a changed one of these is not noticed.

import { Unreadable } from "../format.ts";
import {
  BATCH_CONTROL,
  BATCH_HEADER,
  BLOCKING_FACTOR,
  ENTRY,
  FILE_CONTROL,
  FILE_HEADER,
  FILLER,
  type Fields,
  fieldsOf,
  numberIn,
} from "./record.ts";
import { addSums, type Sums, sumsOfEntry } from "./sums.ts";

export interface ParsedEntry {
  /** The number of its record in the file, from 1. */
  at: number;
  fields: Fields<typeof ENTRY>;
  amountMinor: number;
  /** Its addenda records. */
  addenda: string[];
}

export interface ParsedBatch {
  header: Fields<typeof BATCH_HEADER>;
  /** At least one. */
  entries: ParsedEntry[];
}

export interface ParsedFile {
  batches: ParsedBatch[];
  sums: Sums;
}

/** @throws Unreadable that names the record */
export function parseFile(bytes: Buffer): ParsedFile {
  const lines = linesOf(bytes);
  const last = lines.findLastIndex((line) => line !== FILLER);
  const records = lines.slice(0, last + 1);
  checkFileHeader(records[0] ?? "");
  const { batches, sums } = batchesOf(records.slice(1, -1));
  const control = fieldsOf(FILE_CONTROL, records.at(-1) ?? "");
  const place = "the file control record";
  if (control.recordType !== "9") throw new Unreadable("the file has no control record at its end");
  const total = addSums(sums);
  requireSums(control, total, place);
  requireNumber(control.batchCount, batches.length, `the number of batches in ${place}`);
  const blocks = `the number of blocks in ${place}`;
  requireNumber(control.blockCount, lines.length / BLOCKING_FACTOR, blocks);
  requireNumber(control.blockCount, Math.ceil(records.length / BLOCKING_FACTOR), blocks);
  return { batches, sums: total };
}

/** Lines end with LF or all with CRLF, and the last one may end without. */
function linesOf(bytes: Buffer): string[] {
  const text = bytes.toString("latin1");
  const lines = text.split(text.includes("\r\n") ? "\r\n" : "\n");
  if (lines.at(-1) === "") lines.pop();
  const wrong = lines.findIndex((line) => !/^[ -~]{94}$/.test(line));
  if (wrong !== -1) {
    throw new Unreadable(`record ${wrong + 1} is not of 94 printable ASCII characters`);
  }
  if (lines.length === 0 || lines.length % BLOCKING_FACTOR !== 0) {
    throw new Unreadable(`the file does not have whole blocks of ${BLOCKING_FACTOR} records`);
  }
  return lines;
}

function checkFileHeader(record: string): void {
  const header = fieldsOf(FILE_HEADER, record);
  const { recordType, priorityCode, recordSize, blockingFactor, formatCode } = header;
  const fixed = [recordType, priorityCode, recordSize, blockingFactor, formatCode].join(" ");
  if (fixed !== "1 01 094 10 1") throw new Unreadable("record 1 is not a file header");
}

/** @param records all between the header and the control record of the file */
function batchesOf(records: string[]): { batches: ParsedBatch[]; sums: Sums[] } {
  const batches: ParsedBatch[] = [];
  const sums: Sums[] = [];
  let open: ParsedBatch | null = null;
  for (const [index, record] of records.entries()) {
    const at = index + 2;
    const type = record.charAt(0);
    const entry: ParsedEntry | undefined = open?.entries.at(-1);
    if (type === "5" && !open) open = { header: fieldsOf(BATCH_HEADER, record), entries: [] };
    else if (type === "6" && open) open.entries.push(entryOf(record, at));
    else if (type === "7" && entry) entry.addenda.push(record);
    else if (type === "8" && open && entry) {
      sums.push(checkedSums(open, fieldsOf(BATCH_CONTROL, record), at));
      batches.push(open);
      open = null;
    } else throw new Unreadable(`record ${at} is not at its place`);
  }
  if (open) throw new Unreadable("the last batch has no control record");
  return { batches, sums };
}

function entryOf(record: string, at: number): ParsedEntry {
  const fields = fieldsOf(ENTRY, record);
  const place = `in record ${at}`;
  numberIn(fields.transactionCode, `the transaction code ${place}`);
  numberIn(fields.receivingDfi, `the routing number ${place}`);
  numberIn(fields.traceNumber, `the trace number ${place}`);
  const amountMinor = numberIn(fields.amount, `the amount ${place}`);
  return { at, fields, amountMinor, addenda: [] };
}

/** @throws Unreadable if the control record at `at` differs from its batch */
function checkedSums(
  { header, entries }: ParsedBatch,
  control: Fields<typeof BATCH_CONTROL>,
  at: number,
): Sums {
  const place = `the batch control record ${at}`;
  for (const entry of entries) {
    if (entry.fields.addendaIndicator !== (entry.addenda.length > 0 ? "1" : "0")) {
      throw new Unreadable(`record ${entry.at} has other addenda than it says`);
    }
  }
  for (const name of ["serviceClass", "companyId", "originatingDfi", "batchNumber"] as const) {
    // Some banks right-justify the company's id in the control record.
    if (control[name].trim() !== header[name].trim()) {
      throw new Unreadable(`${place} has another ${name} than its batch header`);
    }
  }
  numberIn(header.batchNumber, `the batch number of ${place}`);
  const items = entries.map(({ fields, amountMinor, addenda }) =>
    sumsOfEntry({ ...fields, amountMinor, addendaCount: addenda.length }),
  );
  const sums = addSums(items);
  requireSums(control, sums, place);
  return sums;
}

type SumFields = Record<"count" | "hash" | "debits" | "credits", string>;

function requireSums(control: SumFields, sums: Sums, place: string): void {
  requireNumber(control.count, sums.count, `the number of entries and addenda in ${place}`);
  requireNumber(control.hash, sums.hash, `the entry hash in ${place}`);
  requireNumber(control.debits, sums.debitMinor, `the sum of debits in ${place}`);
  requireNumber(control.credits, sums.creditMinor, `the sum of credits in ${place}`);
}

function requireNumber(field: string, expected: number, name: string): void {
  if (numberIn(field, name) !== expected) throw new Unreadable(`${name} is wrong`);
}
