// Secrets of 256 random bits: of API clients, application tokens and payment links. Each is shown
// once and stored as a digest. A fast digest without salt is enough, because 256 bits cannot be
// searched, and it allows finding a token by equality.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const BYTES = 32;

export function newSecret(): string {
  return randomBytes(BYTES).toString("base64url");
}

/** SHA-256 in base64url. */
export function digest(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/**
 * Whether a secret has that digest, in constant time, so that timing does not reveal a partial
 * match.
 */
export function matches(secret: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(digest(secret)), Buffer.from(expected));
}
