// Development keys: where a development start keeps those that it generates, and how production tells
// that a key is one of them. Keys that encrypt and fingerprint carry a mark in their bytes, so that they
// are known on any machine; the pair that signs tokens cannot carry one and is known where it lies.

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

/** A new key of 32 bytes that is known as one for development. */
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

/** The keys that were generated in that DATA_DIR; null where there are none that can be read. */
export function generatedKeys(dataDir: string): DevelopmentKeys | null {
  try {
    return JSON.parse(readFileSync(developmentKeysPath(dataDir), "utf8")) as DevelopmentKeys;
  } catch {
    return null;
  }
}
