// Development keys: generated once in DATA_DIR, readable by its owner alone.

import { generateKeyPairSync, randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import {
  DEVELOPMENT_KEY_ID,
  type DevelopmentKeys,
  developmentKey,
  developmentKeysPath,
} from "../../shared/development-keys.ts";
import { SetupError } from "./processes.ts";

/** The keys of that DATA_DIR; the first call there makes them. */
export function developmentKeys(dataDir: string): DevelopmentKeys {
  const path = developmentKeysPath(dataDir);
  return readKeys(path) ?? keepKeys(path, dataDir) ?? (readKeys(path) as DevelopmentKeys);
}

function readKeys(path: string): DevelopmentKeys | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new SetupError(`${path} cannot be read; set DATA_DIR to a directory of yours.`);
  }
  try {
    return JSON.parse(text) as DevelopmentKeys;
  } catch {
    throw new SetupError(`${path} is damaged; bring it back, or begin with another DATA_DIR.`);
  }
}

/** Generates and keeps them; null where another process that starts beside us was first. */
function keepKeys(path: string, dataDir: string): DevelopmentKeys | null {
  const scratch = `${path}.${randomUUID()}`;
  const keys = generateKeys();
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(scratch, JSON.stringify(keys, null, 2), { mode: 0o600 });
    // Unlike a rename, a link refuses where the name is taken.
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
  const { publicKey, privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return {
    jwtPrivateKey: privateKey,
    jwtPublicKey: publicKey,
    encryptionKeys: `${DEVELOPMENT_KEY_ID}:${developmentKey().toString("base64")}`,
    fingerprintKey: developmentKey().toString("base64"),
  };
}
