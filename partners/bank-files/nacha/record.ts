// Records of ACH files: the position of every field, and how a record is formed and taken apart.
// A record has 94 characters of printable ASCII. The positions count from 1 and are those of the
// Nacha Operating Rules: Appendix Three for payments, Four (4.3) for returns, Five (5.4) for
// notifications of change. Reserved positions are no fields, and are blank.

import { Unreadable } from "../format.ts";

type Span = readonly [first: number, last: number];
type Layout = Readonly<Record<string, Span>>;
export type RecordFields<L extends Layout> = { [Name in keyof L]: string };

export const RECORD_LENGTH = 94;
/** A file has whole blocks of this many records; fillers complete the last one. */
export const BLOCKING_FACTOR = 10;
export const FILLER = "9".repeat(RECORD_LENGTH);

/** The service class of a batch with credits only. */
export const CREDITS = "220";
/** The entry class Prearranged Payment and Deposit: credits to accounts of persons. */
export const PPD = "PPD";

export const FILE_HEADER = {
  recordType: [1, 1],
  priorityCode: [2, 3],
  immediateDestination: [4, 13],
  immediateOrigin: [14, 23],
  creationDate: [24, 29],
  creationTime: [30, 33],
  fileIdModifier: [34, 34],
  recordSize: [35, 37],
  blockingFactor: [38, 39],
  formatCode: [40, 40],
  destinationName: [41, 63],
  originName: [64, 86],
} as const;

export const BATCH_HEADER = {
  recordType: [1, 1],
  serviceClass: [2, 4],
  companyName: [5, 20],
  companyDiscretionaryData: [21, 40],
  companyId: [41, 50],
  entryClass: [51, 53],
  entryDescription: [54, 63],
  effectiveDate: [70, 75],
  originatorStatus: [79, 79],
  originatingDfi: [80, 87],
  batchNumber: [88, 94],
} as const;

export const ENTRY = {
  recordType: [1, 1],
  transactionCode: [2, 3],
  receivingDfi: [4, 11],
  checkDigit: [12, 12],
  accountNumber: [13, 29],
  amount: [30, 39],
  individualId: [40, 54],
  individualName: [55, 76],
  addendaIndicator: [79, 79],
  traceNumber: [80, 94],
} as const;

export const PAYMENT_ADDENDA = {
  recordType: [1, 1],
  addendaType: [2, 3],
  information: [4, 83],
  addendaNumber: [84, 87],
  entryNumber: [88, 94],
} as const;

/** The addenda of a return. */
export const RETURN_ADDENDA = {
  addendaType: [2, 3],
  reasonCode: [4, 6],
  originalTrace: [7, 21],
  traceNumber: [80, 94],
} as const;

/** The addenda of a notification of change. */
export const CHANGE_ADDENDA = {
  addendaType: [2, 3],
  changeCode: [4, 6],
  originalTrace: [7, 21],
  correctedData: [36, 64],
  traceNumber: [80, 94],
} as const;

export const BATCH_CONTROL = {
  recordType: [1, 1],
  serviceClass: [2, 4],
  count: [5, 10],
  hash: [11, 20],
  debits: [21, 32],
  credits: [33, 44],
  companyId: [45, 54],
  originatingDfi: [80, 87],
  batchNumber: [88, 94],
} as const;

export const FILE_CONTROL = {
  recordType: [1, 1],
  batchCount: [2, 7],
  blockCount: [8, 13],
  count: [14, 21],
  hash: [22, 31],
  debits: [32, 43],
  credits: [44, 55],
} as const;

/**
 * Forms a record. A number is written with leading zeros, a text with blanks after it.
 * @throws RangeError if a value does not fit into its field; the message has only the field's name
 */
export function formRecord<L extends Layout>(
  layout: L,
  values: Record<keyof L, string | number>,
): string {
  let record = " ".repeat(RECORD_LENGTH);
  for (const [name, [first, last]] of Object.entries(layout)) {
    const value = values[name as keyof L];
    const length = last - first + 1;
    const field =
      typeof value === "number" ? `${value}`.padStart(length, "0") : value.padEnd(length);
    if (field.length !== length || !/^[ -~]*$/.test(field)) {
      throw new RangeError(`the value does not fit into the field ${name} of an ACH record`);
    }
    record = record.slice(0, first - 1) + field + record.slice(last);
  }
  return record;
}

/** Takes the fields out of a record, with their blanks. */
export function fieldsOf<L extends Layout>(layout: L, record: string): RecordFields<L> {
  const fields = Object.entries(layout).map(([name, span]) => [name, slice(record, span)]);
  return Object.fromEntries(fields) as RecordFields<L>;
}

/** The characters at positions that count from 1. */
export function slice(text: string, [first, last]: Span): string {
  return text.slice(first - 1, last);
}

/**
 * Reads a numeric field, which has digits alone.
 * @param name of the field and its record, for the error
 * @throws Unreadable
 */
export function numberIn(field: string, name: string): number {
  if (!/^\d+$/.test(field)) throw new Unreadable(`${name} is not a number`);
  return Number(field);
}
