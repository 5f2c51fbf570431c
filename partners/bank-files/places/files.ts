// What all places have in common about files: their names, their temporary names, and their size.

import { randomUUID } from "node:crypto";

/** The answers of banks are far smaller; a larger file is not an answer. */
const MAX_BYTES = 32 * 2 ** 20;
const MAX_NAMES = 1_000;
/** A folder with more entries was never tidied, and its listing takes too long. */
const MAX_ENTRIES = 100_000;

/** The names that uploads of other programs have until they are whole. */
const TEMPORARY = /\.(?:filepart|part|partial|tmp)$/i;
const OWN_TEMPORARY = /^\.payrail-[0-9a-f-]{36}\.tmp$/;
/** Longer than any put lasts (10 minutes at most), and than clocks of two machines differ. */
const LEFT_OVER_AFTER_MS = 86_400_000;

/** @throws Error if payrail puts no file of this name */
export function requirePuttable(name: string): void {
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(name) || !isListed(name)) {
    throw new Error("the name is none that payrail gives to a file");
  }
}

/** @throws Error if no file of this name is ever listed, such as a path with folders */
export function requireListed(name: string): void {
  if (!isListed(name)) throw new Error("the name is none of a whole file");
}

function isListed(name: string): boolean {
  const isPrintable = /^[\x20-\x7e]{1,200}$/.test(name) && !name.includes("/");
  return isPrintable && !name.startsWith(".") && !TEMPORARY.test(name);
}

/** @throws Error if a folder with this many entries is too large to list */
export function requireListable(entries: number): void {
  if (entries > MAX_ENTRIES) throw new Error(`the folder has more than ${MAX_ENTRIES} entries`);
}

/** The names of whole files that come after one, sorted, at most 1,000. */
export function listed(names: string[], after: string): string[] {
  const whole = names.filter((name) => isListed(name) && name > after);
  return whole.sort().slice(0, MAX_NAMES);
}

/** A new hidden name for a file until it is whole. */
export function temporaryName(): string {
  return `.payrail-${randomUUID()}.tmp`;
}

/** Whether the name is a temporary one that payrail gave. */
export function isTemporary(name: string): boolean {
  return OWN_TEMPORARY.test(name);
}

/**
 * Whether a temporary file is left over from a process that ended during its put.
 * @param modifiedAt epoch milliseconds
 */
export function isLeftOver(modifiedAt: number): boolean {
  return modifiedAt < Date.now() - LEFT_OVER_AFTER_MS;
}

/**
 * Reads a file from its beginning to its end.
 * @param size in bytes, as the file's folder states it
 * @param read fills a buffer from an offset on with the file's bytes from the same offset on, and
 *   returns the number of bytes, 0 at the file's end
 * @throws Error if the file is too large, or its bytes are more or fewer than its size
 */
export async function readWhole(
  size: number,
  read: (buffer: Buffer, offset: number) => Promise<number>,
): Promise<Buffer> {
  if (size > MAX_BYTES) throw new Error(`the file is larger than ${MAX_BYTES} bytes`);
  // One byte more shows a file that grows, because its upload is still under way.
  const buffer = Buffer.alloc(size + 1);
  let length = 0;
  while (length < buffer.length) {
    const got = await read(buffer, length);
    if (got === 0) break;
    length += got;
  }
  if (length !== size) throw new Error("the file changes while it is read");
  return buffer.subarray(0, size);
}
