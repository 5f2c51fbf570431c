// The environment of a development start: sets the missing variables that shared/env.ts needs. It
// changes nothing in production.

import { createPublicKey } from "node:crypto";
import { developmentKeys } from "./keys.ts";
import { SetupError } from "./processes.ts";

export type Environment = Record<string, string | undefined>;

/** Returns the environment, with development keys outside production. */
export function withDevelopmentKeys(environment: Environment): Environment {
  if (environment.NODE_ENV?.trim() === "production") return environment;
  const unset = (name: string) => !environment[name]?.trim();
  const completed = { ...environment };
  const keys = developmentKeys(environment.DATA_DIR?.trim() || ".data");
  if (["JWT_PUBLIC_KEY", "JWT_JWKS_URL", "JWT_SECRET"].every(unset)) {
    if (unset("JWT_PRIVATE_KEY")) completed.JWT_PRIVATE_KEY = keys.jwtPrivateKey;
    completed.JWT_PUBLIC_KEY = derivePublicKey(completed.JWT_PRIVATE_KEY as string);
  }
  if (unset("ENCRYPTION_KEYS")) completed.ENCRYPTION_KEYS = keys.encryptionKeys;
  if (unset("FINGERPRINT_KEY")) completed.FINGERPRINT_KEY = keys.fingerprintKey;
  return completed;
}

/**
 * Reduces logging, because a newcomer reads the banner, not log lines; LOG_LEVEL=info shows them.
 */
export function quietly(environment: Environment): Environment {
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
