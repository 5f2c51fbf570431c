// The environment of a development start: sets the missing variables that shared/config/env.ts
// needs. It changes nothing in production.

import { createPublicKey } from "node:crypto";
import { type Config, type ConfigUser, PARTS } from "../../shared/config/config.ts";
import { environmentReader, isSet, type Variables } from "../../shared/config/env-reader.ts";
import { developmentKeys, developmentLedgerKey } from "./keys.ts";
import { SetupError } from "./processes.ts";

/**
 * Returns the environment, with development keys outside production. DATA_DIR is written only if a
 * key is missing.
 * @param user the service or command whose keys are set; without it, all keys
 */
export function withDevelopmentKeys(environment: Variables, user?: ConfigUser): Variables {
  if (environment.NODE_ENV?.trim() === "production") return environment;
  const unset = (name: string) => !isSet(environment, name);
  const parts: readonly (keyof Config)[] | undefined = user && PARTS[user];
  const uses = (part: keyof Config) => parts?.includes(part) ?? true;
  const completed = { ...environment };
  const dataDir = environment.DATA_DIR?.trim() || ".data";
  const keys = () => developmentKeys(dataDir);
  const usesTokens = uses("jwtSource") || uses("jwtSigner");
  if (usesTokens && ["JWT_PUBLIC_KEY", "JWT_JWKS_URL", "JWT_SECRET"].every(unset)) {
    if (unset("JWT_PRIVATE_KEY")) completed.JWT_PRIVATE_KEY = keys().jwtPrivateKey;
    // A problem of the private key's file is reported by loadConfig.
    const privateKey = environmentReader(completed, []).text("JWT_PRIVATE_KEY");
    if (privateKey !== null) completed.JWT_PUBLIC_KEY = derivePublicKey(privateKey);
  }
  if (uses("encryptionKeys") && unset("ENCRYPTION_KEYS")) {
    completed.ENCRYPTION_KEYS = keys().encryptionKeys;
  }
  if (uses("fingerprintKey") && unset("FINGERPRINT_KEY")) {
    completed.FINGERPRINT_KEY = keys().fingerprintKey;
  }
  if (uses("ledgerHeadKey") && unset("LEDGER_HEAD_KEY")) {
    completed.LEDGER_HEAD_KEY = developmentLedgerKey(dataDir).ledgerHeadKey;
  }
  return completed;
}

/**
 * Reduces logging, because a newcomer reads the banner, not log lines; LOG_LEVEL=info shows them.
 */
export function quietly(environment: Variables): Variables {
  const { NODE_ENV, LOG_LEVEL } = environment;
  return NODE_ENV === "production" || LOG_LEVEL
    ? environment
    : { ...environment, LOG_LEVEL: "warn" };
}

function derivePublicKey(privateKey: string): string {
  try {
    return createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
  } catch {
    throw new SetupError("JWT_PRIVATE_KEY must be a PEM private key.");
  }
}
