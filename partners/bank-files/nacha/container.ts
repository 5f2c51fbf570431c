// The container of an ACH file: how its records of 94 characters are laid out in bytes. The Nacha
// Operating Rules leave that to each exchange, so banks separate records by any line end or none,
// cut blanks at the ends of records or add some, leave out the fillers of the last block, and send
// names in UTF-8, Latin-1 or Windows-1252. All of this is read. What a record says is checked by
// its readers.

import { Unreadable } from "../format.ts";
import { FILLER, RECORD_LENGTH } from "./record.ts";

export interface NumberedRecord {
  /** Its number in the file, from 1. */
  at: number;
  record: string;
}

/** The least length of records whose last fields can be blank; a header needs no field. */
const SHORTEST: Record<string, number> = { "1": 1, "9": 55 };
/** Of the records after the header. */
const RECORD_TYPES = "56789";

/** The places of a record, from 1, that have texts for people: only these have more than ASCII. */
const FREE_TEXTS: Record<string, readonly (readonly [number, number])[]> = {
  "1": [[41, 94]],
  "5": [
    [5, 40],
    [54, 69],
  ],
  "6": [[55, 76]],
};
/** By type of addenda: returns and notifications of change have numbers before their text. */
const ADDENDA_TEXT = [4, 83] as const;
const ANSWER_TEXT = [36, 79] as const;

/** Its functions return records without fillers, and throw Unreadable that names the record. */
export interface RecordReader {
  write(piece: Buffer): Iterable<NumberedRecord>;
  end(): Iterable<NumberedRecord>;
}

/** As a text with a character for each byte. */
const BYTE_ORDER_MARK = Buffer.from("\ufeff").toString("latin1");
/** Old systems end a file with the character of Control-Z. */
const END_OF_FILE = "\x1a";

export function createRecordReader(): RecordReader {
  /** The beginning of the line that goes on in the next piece, with a character for each byte. */
  let line = "";
  let at = 0;

  function* recordsIn(whole: string): Generator<NumberedRecord> {
    const isMarked = at === 0 && whole.startsWith(BYTE_ORDER_MARK);
    const [text = "", ...others] = readingsOf(
      isMarked ? whole.slice(BYTE_ORDER_MARK.length) : whole,
    );
    if (!text) return;
    if (at === 0 && !text.startsWith("1")) throw new Unreadable("record 1 is not a file header");
    for (const record of cut([text, ...others], at + 1)) {
      at += 1;
      if (record !== FILLER) yield { at, record: checked(record, at) };
    }
  }

  return {
    *write(piece) {
      if (piece.includes(0)) throw new Unreadable("the file is not in ASCII: it has zero bytes");
      const [rest = "", ...lines] = piece.toString("latin1").split(/[\r\n]/);
      line += rest;
      for (const next of lines) {
        yield* recordsIn(line);
        line = next;
      }
    },
    end: () => recordsIn(line.endsWith(END_OF_FILE) ? line.slice(0, -1) : line),
  };
}

/**
 * A line without the blanks at its end: in UTF-8, and with a character for each byte. A system that
 * writes UTF-8 may fill its records up to 94 characters or to 94 bytes.
 */
function readingsOf(line: string): string[] {
  const ofBytes = line.trimEnd();
  if (!/[\u0080-\u00ff]/.test(line)) return [ofBytes];
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(line, "latin1"));
    return [text.trimEnd(), ofBytes];
  } catch {
    return [ofBytes];
  }
}

/**
 * @param texts the readings of a line, of which the first counts that has whole records
 * @param at the number of the line's first record
 */
function cut(texts: string[], at: number): Iterable<string> {
  const whole = texts.find((text) => wrongIn(text) === -1);
  if (whole !== undefined) return recordsOf(whole);
  const [line = ""] = texts;
  const wrong = wrongIn(line);
  const isLineOfOne = line.length < 2 * RECORD_LENGTH;
  const length = isLineOfOne ? line.length : Math.min(line.length - wrong, RECORD_LENGTH);
  const number = isLineOfOne ? at : at + wrong / RECORD_LENGTH;
  if (length === RECORD_LENGTH)
    throw new Unreadable(`record ${number} does not begin with its type`);
  throw new Unreadable(`record ${number} has ${length} characters, and not ${RECORD_LENGTH}`);
}

/** One by one, because a file without line ends is a line of very many records. */
function* recordsOf(line: string): Generator<string> {
  for (let from = 0; from < line.length; from += RECORD_LENGTH) {
    yield line.slice(from, from + RECORD_LENGTH).padEnd(RECORD_LENGTH);
  }
}

/** Where a record begins that is too short, or that begins at another record's place; or -1. */
function wrongIn(line: string): number {
  for (let from = 0; from < line.length; from += RECORD_LENGTH) {
    const type = line.charAt(from);
    const isTooShort = line.length - from < (SHORTEST[type] ?? RECORD_LENGTH);
    if (isTooShort || (from > 0 && !RECORD_TYPES.includes(type))) return from;
  }
  return -1;
}

function checked(record: string, at: number): string {
  const place = record.search(/[^ -~]/) + 1;
  if (place === 0) return record;
  const isFree = (index: number) => {
    return freeTexts(record).some(([first, last]) => index >= first && index <= last);
  };
  for (let index = place; index <= RECORD_LENGTH; index++) {
    const code = record.charCodeAt(index - 1);
    if ((code >= 0x20 && code <= 0x7e) || (code > 0x7f && isFree(index))) continue;
    const byte = code.toString(16).toUpperCase().padStart(2, "0");
    throw new Unreadable(`record ${at} has the byte ${byte} in place ${index}`);
  }
  return record;
}

function freeTexts(record: string): readonly (readonly [number, number])[] {
  if (!record.startsWith("7")) return FREE_TEXTS[record.charAt(0)] ?? [];
  return [/^79[89]/.test(record) ? ANSWER_TEXT : ADDENDA_TEXT];
}
