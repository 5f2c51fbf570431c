// Secrets of 256 random bits: API clients', application tokens, payment links'. Shown once, kept as a digest; as
// nobody can search 256 bits, a fast digest without salt is enough, and finds a token by equality.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const BYTES = 32;

export function newSecret(): string {
  return randomBytes(BYTES).toString("base64url");
}

/** SHA-256 in base64url. */
export function digest(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/** Whether a secret has that digest, in a time that does not tell how much of it is right. */
export function matches(secret: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(digest(secret)), Buffer.from(expected));
}
