// A bank's answers to an ACH file: returns and notifications of change, made of the records of the
// file itself as a receiving bank makes them (Nacha Operating Rules, Appendix Four, 4.3, and Five,
// 5.4). It cuts records by position and uses nothing of the format under test.

/** What a receiving bank says about one entry. */
export interface BankAnswer {
  /** The entry's Individual Identification Number. */
  payment: string;
  /** R01 to R85: the entry is returned. C01 to C14: its data should change. */
  code: string;
  /** For a change: up to 29 characters. */
  corrected?: string;
}

interface Entry {
  record: string;
  answer: BankAnswer;
}

/** The bank's own number for its answers, which is in their traces. */
const FIRST_TRACE = 1;

/**
 * Makes an answer file: one batch for each receiving bank and kind of answer, with LF as line ends.
 * @param file of payments
 * @throws Error if the file has no entry of a payment
 */
export function returnFile(file: Buffer, answers: BankAnswer[]): Buffer {
  const records = file.toString("latin1").split(/\r?\n/);
  const header = records[0] as string;
  const batchHeader = records[1] as string;
  const groups = Map.groupBy(answers, (answer) => {
    const record = entryOf(records, answer.payment);
    return `${answer.code.charAt(0)}${at(record, 4, 11)}`;
  });
  const batches = [...groups.values()].map((group, index) =>
    batchOf(
      batchHeader,
      group.map((answer) => ({ record: entryOf(records, answer.payment), answer })),
      index + 1,
    ),
  );
  // The bank sends it, so the sides change places.
  const sides = at(header, 14, 23) + at(header, 4, 13);
  const names = at(header, 64, 86) + at(header, 41, 63);
  return fileOf(put(put(header, 4, sides), 41, names), batches);
}

function entryOf(records: string[], payment: string): string {
  const found = records.find((record) => /^6/.test(record) && at(record, 40, 54) === payment);
  if (found === undefined) throw new Error(`the file has no entry ${payment}`);
  return found;
}

/** The batch header stays as it was, except its class, the bank that sends it and its number. */
function batchOf(original: string, entries: Entry[], number: number): string[] {
  const [first] = entries as [Entry];
  const bank = at(first.record, 4, 11);
  const entryClass = first.answer.code.startsWith("C") ? "COR" : "PPD";
  const origin = bank + digits(number, 7);
  const records = entries.flatMap((entry, index) => {
    return answerRecords(entry, at(original, 80, 87), bank + digits(FIRST_TRACE + index, 7));
  });
  return closedBatch(put(put(original, 51, entryClass), 80, origin), records);
}

/** A batch with its control record. */
export function closedBatch(header: string, records: string[]): string[] {
  const company = at(header, 41, 50).padEnd(35);
  const control = `8${at(header, 2, 4)}${sumsOf(records, 6)}${company}${at(header, 80, 94)}`;
  return [header, ...records, control];
}

function answerRecords({ record, answer }: Entry, odfi: string, trace: string): string[] {
  const { code, corrected = "" } = answer;
  const isChange = code.startsWith("C");
  const entry = [
    { from: 2, value: `${at(record, 2, 2)}1` },
    { from: 4, value: odfi + checkDigit(odfi) },
    ...(isChange ? [{ from: 30, value: digits(0, 10) }] : []),
    { from: 79, value: `1${trace}` },
  ].reduce((changed, { from, value }) => put(changed, from, value), record);
  const original = `${at(record, 80, 94)}${" ".repeat(6)}${at(record, 4, 11)}`;
  const addenda = `7${isChange ? "98" : "99"}${code}${original}${corrected.padEnd(44)}${trace}`;
  return [entry, addenda];
}

/** A whole file of batches: its control record and its last block. */
export function fileOf(header: string, batches: string[][]): Buffer {
  const all = batches.flat();
  const blocks = Math.ceil((all.length + 2) / 10);
  const counts = digits(batches.length, 6) + digits(blocks, 6);
  const control = `9${counts}${sumsOf(all, 8)}`.padEnd(94);
  const records = [header, ...all, control];
  while (records.length < blocks * 10) records.push("9".repeat(94));
  return Buffer.from(records.map((record) => `${record}\n`).join(""), "latin1");
}

/** The count of entries and addenda, the hash, and the sums of debits and credits. */
function sumsOf(records: string[], countLength: number): string {
  const entries = records.filter((record) => record.startsWith("6"));
  const addenda = records.filter((record) => record.startsWith("7"));
  const sum = (some: string[], from: number, to: number) =>
    some.reduce((total, record) => total + Number(at(record, from, to)), 0);
  const count = digits(entries.length + addenda.length, countLength);
  const hash = digits(sum(entries, 4, 11), 10).slice(-10);
  const debits = entries.filter((record) => at(record, 3, 3) >= "5");
  const credits = entries.filter((record) => at(record, 3, 3) < "5");
  return count + hash + digits(sum(debits, 30, 39), 12) + digits(sum(credits, 30, 39), 12);
}

/** The check digit of a routing number's first eight digits. */
export function checkDigit(eight: string): string {
  const sum = Array.from(eight, Number).reduce(
    (total, digit, i) => total + digit * ([3, 7, 1][i % 3] as number),
    0,
  );
  return `${(10 - (sum % 10)) % 10}`;
}

/** The characters of a record from one position to another, counted from 1. */
export function at(record: string, from: number, to: number): string {
  return record.slice(from - 1, to);
}

/** The record with other characters from a position on. */
export function put(record: string, from: number, value: string): string {
  return record.slice(0, from - 1) + value + record.slice(from - 1 + value.length);
}

function digits(value: number, length: number): string {
  return `${value}`.padStart(length, "0");
}
