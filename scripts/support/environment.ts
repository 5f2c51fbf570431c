// The environment of a development start: completed where something is unset, so that shared/env.ts
// finds what it needs. Production brings its own; it gets nothing here.

import { createPublicKey } from "node:crypto";
import { developmentKeys } from "./keys.ts";
import { SetupError } from "./processes.ts";

export type Environment = Record<string, string | undefined>;

/** The environment, completed outside production. */
export function withDevelopmentKeys(environment: Environment): Environment {
  if (environment.NODE_ENV?.trim() === "production") return environment;
  const unset = (name: string) => !environment[name]?.trim();
  const completed = { ...environment };
  const keys = developmentKeys(environment.DATA_DIR?.trim() || ".data");
  if (["JWT_PUBLIC_KEY", "JWT_JWKS_URL", "JWT_SECRET"].every(unset)) {
    if (unset("JWT_PRIVATE_KEY")) completed.JWT_PRIVATE_KEY = keys.jwtPrivateKey;
    completed.JWT_PUBLIC_KEY = publicKeyOf(completed.JWT_PRIVATE_KEY as string);
  }
  if (unset("ENCRYPTION_KEYS")) completed.ENCRYPTION_KEYS = keys.encryptionKeys;
  if (unset("FINGERPRINT_KEY")) completed.FINGERPRINT_KEY = keys.fingerprintKey;
  return completed;
}

/** A newcomer looks at the banner, not at log lines; LOG_LEVEL=info shows them. */
export function quietly(environment: Environment): Environment {
  const { NODE_ENV, LOG_LEVEL } = environment;
  return NODE_ENV === "production" || LOG_LEVEL
    ? environment
    : { ...environment, LOG_LEVEL: "warn" };
}

function publicKeyOf(privateKey: string): string {
  try {
    return createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
  } catch {
    throw new SetupError("JWT_PRIVATE_KEY must be a PEM private key.");
  }
}
