// Pins: the only accepted file of a download on this kind of machine, by its SHA-256. It is checked
// before any part of the file is unpacked or run, because a server or a mirror can send any file.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { pipeline } from "node:stream/promises";

export interface Pin {
  file: string;
  /** In hexadecimal. */
  sha256: string;
}

type Machine = `${"linux" | "darwin"}-${"x64" | "arm64"}`;

export type Pins = Partial<Record<Machine, Pin>>;

/** @throws Error if there is no pin for this machine, so nothing is fetched */
export function pinFor(pins: Pins): Pin {
  const machine = `${process.platform}-${process.arch}`;
  const pin = pins[machine as Machine];
  if (!pin) throw new Error(`no file is pinned for ${machine}`);
  return pin;
}

/**
 * Checks a fetched file.
 * @throws Error that names the file and both hashes, if it is another file
 */
export async function requirePinned(path: string, { file, sha256 }: Pin): Promise<void> {
  if (basename(path) !== file) throw new Error(`${basename(path)} came in place of ${file}`);
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  const actual = hash.digest("hex");
  if (actual !== sha256) {
    throw new Error(
      `${file} is not the file that is pinned: expected SHA-256 ${sha256}, got ${actual}`,
    );
  }
}
