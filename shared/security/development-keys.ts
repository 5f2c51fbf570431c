// Development keys: the place of the keys that a development start generates, and the check by
// which production recognises them. Keys that encrypt and fingerprint have a mark in their bytes,
// so that any machine recognises them. A pair that signs cannot have a mark and is recognised only
// where its file is.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface DevelopmentKeys {
  jwtPrivateKey: string;
  jwtPublicKey: string;
  encryptionKeys: string;
  fingerprintKey: string;
}

/** In a file of its own, because the file of the other keys may be older than this key. */
export interface DevelopmentLedgerKey {
  ledgerHeadKey: string;
}

/** The id of the generated encryption key; production refuses any key under it. */
export const DEVELOPMENT_KEY_ID = "development";

/** Half of a key's 32 bytes; 128 random bits are left. */
const MARK = Buffer.from("payrail-dev-key:");

/** Makes a key of 32 bytes with the development mark. */
export function developmentKey(): Buffer {
  return Buffer.concat([MARK, randomBytes(32 - MARK.length)]);
}

/** Whether a key of 32 bytes was made by `developmentKey`. */
export function isDevelopmentKey(key: Buffer): boolean {
  return key.subarray(0, MARK.length).equals(MARK);
}

export function developmentKeysPath(dataDir: string): string {
  return join(dataDir, "development-keys.json");
}

export function developmentLedgerKeyPath(dataDir: string): string {
  return join(dataDir, "development-ledger-key.json");
}

/** The keys that were generated in that DATA_DIR; without those that cannot be read. */
export function generatedKeys(dataDir: string): Partial<DevelopmentKeys & DevelopmentLedgerKey> {
  return {
    ...read<DevelopmentKeys>(developmentKeysPath(dataDir)),
    ...read<DevelopmentLedgerKey>(developmentLedgerKeyPath(dataDir)),
  };
}

function read<Keys>(path: string): Keys | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Keys;
  } catch {
    return null;
  }
}
