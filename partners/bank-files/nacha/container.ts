// The container of an ACH file: how its records of 94 characters are laid out in bytes. The Nacha
// Operating Rules leave that to each exchange, so banks separate records by any line end or none, cut
// blanks at the ends of records or add some, leave out the fillers of the last block, and send names
// in UTF-8 or Latin-1. All of this is read. What a record says is checked by its readers.

import { Unreadable } from "../format.ts";
import { FILLER, RECORD_LENGTH } from "./record.ts";

export interface NumberedRecord {
  /** Its number in the file, from 1. */
  at: number;
  record: string;
}

/** The least characters of the records whose last fields can be blank; no field of a header is needed. */
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
/** By the type of the addenda: returns and notifications of change have numbers before their text. */
const ADDENDA_TEXT = [4, 83] as const;
const ANSWER_TEXT = [36, 79] as const;

/**
 * The records of a file, without fillers.
 * @throws Unreadable that names the record
 */
export function* recordsIn(bytes: Buffer): Generator<NumberedRecord> {
  const text = decode(bytes);
  let at = 0;
  for (const line of linesIn(text)) {
    if (at === 0 && !line.startsWith("1")) throw new Unreadable("record 1 is not a file header");
    for (const record of cut(line, at + 1)) {
      at += 1;
      if (record !== FILLER) yield { at, record: checked(record, at) };
    }
  }
}

/** Strips a byte order mark too. */
function decode(bytes: Buffer): string {
  if (bytes.includes(0)) throw new Unreadable("the file is not in ASCII: it has zero bytes");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}

/** The lines that are not blank, without the blanks at their ends. */
function* linesIn(text: string): Generator<string> {
  const line = /[^\r\n]+/g;
  for (let found = line.exec(text); found; found = line.exec(text)) {
    const trimmed = found[0].trimEnd();
    if (trimmed) yield trimmed;
  }
}

/** @param at the number of the line's first record */
function cut(line: string, at: number): string[] {
  const count = Math.ceil(line.length / RECORD_LENGTH);
  const records = Array.from({ length: count }, (_, index) =>
    line.slice(index * RECORD_LENGTH, (index + 1) * RECORD_LENGTH),
  );
  const wrong = records.findIndex((record, index) => {
    const type = record.charAt(0);
    const isTooShort = record.length < (SHORTEST[type] ?? RECORD_LENGTH);
    return isTooShort || (index > 0 && !RECORD_TYPES.includes(type));
  });
  if (wrong === -1) return records.map((record) => record.padEnd(RECORD_LENGTH));
  const isLineOfOne = line.length < 2 * RECORD_LENGTH;
  const length = isLineOfOne ? line.length : (records[wrong] as string).length;
  throw new Unreadable(
    `record ${isLineOfOne ? at : at + wrong} has ${length} characters, and not ${RECORD_LENGTH}`,
  );
}

function checked(record: string, at: number): string {
  const place = record.search(/[^ -~]/) + 1;
  if (place === 0) return record;
  const isFree = (index: number) => {
    return freeTexts(record).some(([first, last]) => index >= first && index <= last);
  };
  for (let index = place; index <= RECORD_LENGTH; index++) {
    const code = record.charCodeAt(index - 1);
    if ((code >= 0x20 && code <= 0x7e) || (code > 0x9f && isFree(index))) continue;
    const byte = code.toString(16).toUpperCase().padStart(2, "0");
    throw new Unreadable(`record ${at} has the byte ${byte} in place ${index}`);
  }
  return record;
}

function freeTexts(record: string): readonly (readonly [number, number])[] {
  if (!record.startsWith("7")) return FREE_TEXTS[record.charAt(0)] ?? [];
  return [/^79[89]/.test(record) ? ANSWER_TEXT : ADDENDA_TEXT];
}
