// Development keys: generated once in DATA_DIR, readable only by their owner.

import { generateKeyPairSync, randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import {
  DEVELOPMENT_KEY_ID,
  type DevelopmentKeys,
  type DevelopmentLedgerKey,
  developmentKey,
  developmentKeysPath,
  developmentLedgerKeyPath,
} from "../../shared/security/development-keys.ts";
import { makeDirectory } from "./data-dir.ts";
import { SetupError } from "./processes.ts";

export function developmentKeys(dataDir: string): DevelopmentKeys {
  return provideKeys(developmentKeysPath(dataDir), dataDir, generateKeys);
}

export function developmentLedgerKey(dataDir: string): DevelopmentLedgerKey {
  return provideKeys(developmentLedgerKeyPath(dataDir), dataDir, () => ({
    ledgerHeadKey: generatePair().privateKey,
  }));
}

function provideKeys<Keys>(path: string, dataDir: string, generate: () => Keys): Keys {
  const keys = readKeys<Keys>(path) ?? keepKeys(path, dataDir, generate());
  return keys ?? (readKeys(path) as Keys);
}

function readKeys<Keys>(path: string): Keys | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    throw new SetupError(`${path} cannot be read (${code}); set DATA_DIR to a directory of yours.`);
  }
  try {
    return JSON.parse(text) as Keys;
  } catch {
    throw new SetupError(`${path} is damaged; bring it back, or begin with another DATA_DIR.`);
  }
}

/** Stores generated keys; null if another starting process was first. */
function keepKeys<Keys>(path: string, dataDir: string, keys: Keys): Keys | null {
  const scratch = `${path}.${randomUUID()}`;
  makeDirectory(dataDir);
  try {
    writeFileSync(scratch, JSON.stringify(keys, null, 2), { mode: 0o600 });
    // Unlike a rename, a link fails if the name exists.
    linkSync(scratch, path);
    return keys;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return null;
    throw new SetupError(
      `DATA_DIR ${dataDir} cannot be written (${(error as NodeJS.ErrnoException).code}); set DATA_DIR to a directory of yours.`,
    );
  } finally {
    rmSync(scratch, { force: true });
  }
}

function generateKeys(): DevelopmentKeys {
  const { publicKey, privateKey } = generatePair();
  return {
    jwtPrivateKey: privateKey,
    jwtPublicKey: publicKey,
    encryptionKeys: `${DEVELOPMENT_KEY_ID}:${developmentKey().toString("base64")}`,
    fingerprintKey: developmentKey().toString("base64"),
  };
}

function generatePair() {
  return generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}
