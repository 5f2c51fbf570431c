// Development keys: the place of the keys that a development start generates, and the check by
// which production recognises them. Keys that encrypt and fingerprint have a mark in their bytes,
// so that any machine recognises them. The pair that signs tokens cannot have a mark and is
// recognised only where its file is.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface DevelopmentKeys {
  jwtPrivateKey: string;
  jwtPublicKey: string;
  encryptionKeys: string;
  fingerprintKey: string;
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

/** The keys that were generated in that DATA_DIR; null if none can be read. */
export function generatedKeys(dataDir: string): DevelopmentKeys | null {
  try {
    return JSON.parse(readFileSync(developmentKeysPath(dataDir), "utf8")) as DevelopmentKeys;
  } catch {
    return null;
  }
}
