// Parses ACH files of payments, returns and notifications of change. A file is parsed only if it is
// whole: every record has its place, and every control record agrees with the records before it
// (Nacha Operating Rules, Appendix One, 1.3, and Two, 2.3 and 2.4). There is no sum over account
// numbers and names, so a changed one of these is not noticed. Batches whose entries the caller
// does not know, of whatever layout, count with the sums that they state.

import { Unreadable } from "../format.ts";
import { piecesOf } from "../pieces.ts";
import { createRecordReader, type NumberedRecord } from "./container.ts";
import {
  BATCH_CONTROL,
  BATCH_HEADER,
  BLOCKING_FACTOR,
  ENTRY,
  FILE_CONTROL,
  fieldsOf,
  numberIn,
  type RecordFields,
} from "./record.ts";
import { addSums, type ControlTotals, sumsOfEntry } from "./sums.ts";

export type BatchHeader = RecordFields<typeof BATCH_HEADER>;

export interface ParsedEntry {
  /** The number of its record in the file, from 1. */
  at: number;
  fields: RecordFields<typeof ENTRY>;
  amountMinor: number;
  /** Its addenda records. */
  addenda: string[];
}

export interface ParsedBatch<T> {
  /** The number of its header in the file. */
  at: number;
  header: BatchHeader;
  /** What was made of its entries. */
  items: T[];
}

export interface ParsedFile<T> {
  /** The batches of which something was made: a bank's file can have very many others. */
  batches: ParsedBatch<T>[];
  /** How many batches the file has. */
  batchCount: number;
  sums: ControlTotals;
}

interface Reading<T> {
  /** Whether the batch has the layout of entries that is checked; true by default. */
  isKnown?(header: BatchHeader): boolean;
  /** Makes something of an entry, whose amount is 0 in a batch that is not known. */
  make(entry: ParsedEntry, header: BatchHeader): T[];
}

interface OpenBatch<T> extends ParsedBatch<T> {
  isKnown: boolean;
  sums: ControlTotals;
  entry?: ParsedEntry;
}

/** Its functions throw Unreadable that names the record. */
export interface FileParser<T> {
  write(piece: Buffer): void;
  end(): ParsedFile<T>;
}

/** Reads the records one by one. Of each entry the parser keeps the result of `make` alone. */
export function createFileParser<T>(reading: Reading<T>): FileParser<T> {
  const records = createRecordReader();
  const batches: ParsedBatch<T>[] = [];
  let batchCount = 0;
  let sums = addSums([]);
  let open: OpenBatch<T> | null = null;
  let control: NumberedRecord | null = null;

  function take(numbered: NumberedRecord): void {
    const { at, record } = numbered;
    const type = record.charAt(0);
    if (at === 1) return;
    if (control) throw misplaced(at, type);
    if (type === "5" && !open) open = begun(numbered, reading);
    else if (type === "6" && open) addEntry(open, numbered, reading);
    else if (type === "7" && open?.entry) open.entry.addenda.push(record);
    else if (type === "8" && open) {
      endEntry(open, reading);
      sums = addSums([sums, checkedSums(open, fieldsOf(BATCH_CONTROL, record), at)]);
      batchCount += 1;
      const { at: begins, header, items } = open;
      if (items.length > 0) batches.push({ at: begins, header, items });
      open = null;
    } else if (type === "9" && !open) control = numbered;
    else throw misplaced(at, type);
  }

  return {
    write(piece) {
      for (const record of records.write(piece)) take(record);
    },
    end() {
      for (const record of records.end()) take(record);
      if (open) throw new Unreadable("the last batch has no control record");
      if (!control) throw new Unreadable("the file has no control record at its end");
      requireTotal(control, sums, batchCount);
      return { batches, batchCount, sums };
    },
  };
}

/** @throws Unreadable that names the record */
export function parseFile<T>(bytes: Buffer, reading: Reading<T>): ParsedFile<T> {
  const parser = createFileParser(reading);
  for (const piece of piecesOf(bytes)) parser.write(piece);
  return parser.end();
}

function misplaced(at: number, type: string): Unreadable {
  const shown = /[0-9A-Za-z]/.test(type) ? ` of type ${type}` : "";
  return new Unreadable(`record ${at}${shown} is not at its place`);
}

function begun<T>({ at, record }: NumberedRecord, { isKnown }: Reading<T>): OpenBatch<T> {
  const header = fieldsOf(BATCH_HEADER, record);
  const known = isKnown?.(header) ?? true;
  return { at, header, isKnown: known, items: [], sums: addSums([]) };
}

function addEntry<T>(
  open: OpenBatch<T>,
  { at, record }: NumberedRecord,
  reading: Reading<T>,
): void {
  endEntry(open, reading);
  const fields = fieldsOf(ENTRY, record);
  if (!open.isKnown) {
    open.entry = { at, fields, amountMinor: 0, addenda: [] };
    return;
  }
  const place = `in record ${at}`;
  numberIn(fields.transactionCode, `the transaction code ${place}`);
  numberIn(fields.receivingDfi, `the routing number ${place}`);
  numberIn(fields.traceNumber, `the trace number ${place}`);
  const amountMinor = numberIn(fields.amount, `the amount ${place}`);
  open.entry = { at, fields, amountMinor, addenda: [] };
}

function endEntry<T>(open: OpenBatch<T>, { make }: Reading<T>): void {
  const { entry, header, isKnown, sums } = open;
  if (!entry) return;
  const { fields, amountMinor, addenda } = entry;
  if (isKnown && fields.addendaIndicator !== (addenda.length > 0 ? "1" : "0")) {
    throw new Unreadable(`record ${entry.at} has other addenda than it says`);
  }
  const ofEntry = sumsOfEntry({ ...fields, amountMinor, addendaCount: addenda.length });
  if (isKnown) open.sums = addSums([sums, ofEntry]);
  open.items.push(...make(entry, header));
  delete open.entry;
}

/** @throws Unreadable if the control record at `at` differs from its batch */
function checkedSums<T>(
  { header, isKnown, sums }: OpenBatch<T>,
  control: RecordFields<typeof BATCH_CONTROL>,
  at: number,
): ControlTotals {
  const place = `the batch control record ${at}`;
  if (!isKnown) return statedSums(header, control);
  for (const name of ["serviceClass", "companyId", "originatingDfi", "batchNumber"] as const) {
    // Some banks right-justify the company's id in the control record, or leave it out.
    const repeated = control[name].trim().toUpperCase();
    if (repeated && repeated !== header[name].trim().toUpperCase()) {
      throw new Unreadable(`${place} has another ${name} than its batch header`);
    }
  }
  requireSums(control, sums, place);
  return sums;
}

/** What a control record states; NaN for an unreadable number, which then proves nothing. */
function statedSums(
  header: BatchHeader,
  control: RecordFields<typeof BATCH_CONTROL>,
): ControlTotals {
  // Automated accounting advices have longer sums in other places (Appendix Three, 3.2.2).
  const isAdvice = header.entryClass.toUpperCase() === "ADV";
  const sum = (field: string) => (isAdvice ? Number.NaN : stated(field));
  return {
    count: stated(control.count),
    hash: stated(control.hash),
    debitMinor: sum(control.debits),
    creditMinor: sum(control.credits),
  };
}

function stated(field: string): number {
  return /^\d+$/.test(field) ? Number(field) : Number.NaN;
}

/** @throws Unreadable if the file control record differs from the batches */
function requireTotal({ at, record }: NumberedRecord, sums: ControlTotals, batches: number): void {
  const control = fieldsOf(FILE_CONTROL, record);
  const place = "the file control record";
  requireSums(control, sums, place);
  requireNumber(control.batchCount, batches, `the number of batches in ${place}`);
  const blocks = `the number of blocks in ${place}`;
  // It counts the last block as full, whether or not its fillers are there.
  if (batches > 0) requireNumber(control.blockCount, Math.ceil(at / BLOCKING_FACTOR), blocks);
}

type SumFields = Record<"count" | "hash" | "debits" | "credits", string>;

function requireSums(control: SumFields, sums: ControlTotals, place: string): void {
  requireNumber(control.count, sums.count, `the number of entries and addenda in ${place}`);
  requireNumber(control.hash, sums.hash, `the entry hash in ${place}`);
  requireNumber(control.debits, sums.debitMinor, `the sum of debits in ${place}`);
  requireNumber(control.credits, sums.creditMinor, `the sum of credits in ${place}`);
}

/** Files without batches may have blanks for zeros. */
function requireNumber(field: string, expected: number, name: string): void {
  if (Number.isNaN(expected) || (expected === 0 && field.trim() === "")) return;
  if (numberIn(field, name) !== expected) throw new Unreadable(`${name} is wrong`);
}
