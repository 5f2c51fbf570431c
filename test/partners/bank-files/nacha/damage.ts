// Damages a file at every byte, so that a test sees which bytes a reader does not protect.

import { Unreadable } from "../../../../partners/bank-files/format.ts";

/** Reads bytes; null if they are unreadable. Any other error fails the test. */
export function tryRead<T>(read: (bytes: Buffer) => T, bytes: Buffer): T | null {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/**
 * Changes each byte of a file in turn: to its neighbours, a blank, a line end and no ASCII.
 * @returns the places at which a changed file is still read, as the record's type with the position
 * in the record, and what is read there
 */
export function readableDamages<T>(file: Buffer, read: (bytes: Buffer) => T) {
  const found: { place: string; result: T }[] = [];
  for (const [index, byte] of file.entries()) {
    const start = file.subarray(0, index).lastIndexOf("\n") + 1;
    const record = file.toString("latin1", start, start + 94);
    const type = record === "9".repeat(94) ? "filler" : record.charAt(0);
    for (const changed of [byte + 1, byte - 1, 0x20, 0x0a, 0xc3]) {
      if (changed === byte) continue;
      const damaged = Buffer.from(file);
      damaged[index] = changed;
      const result = tryRead(read, damaged);
      if (result !== null) found.push({ place: `${type}:${index - start + 1}`, result });
    }
  }
  return found;
}

/** The places from one position of a record type to another. */
export function places(type: string, from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => `${type}:${from + i}`);
}

/**
 * The file without one of its records, for each record, and the file cut after each record but the
 * last. Fillers are no records.
 */
export function cutFiles(file: Buffer): Buffer[] {
  const lines = file.toString("latin1").split("\n").slice(0, -1);
  const records = lines.filter((line) => !/^9+$/.test(line));
  const join = (some: string[]) => Buffer.from(some.map((line) => `${line}\n`).join(""));
  return records.flatMap((_, i) => [join(records.toSpliced(i, 1)), join(records.slice(0, i))]);
}
