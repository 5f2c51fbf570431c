// Secrets of 256 random bits: of API clients, application tokens and payment links. Each is shown
// once and stored as a digest. A fast digest without salt is enough, because 256 bits cannot be
// searched, and it allows finding a token by equality.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { isObject } from "../contracts/field.ts";

const BYTES = 32;

export function newSecret(): string {
  return randomBytes(BYTES).toString("base64url");
}

/** SHA-256 in base64url. */
export function digest(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/** The digest of a value of JSON, whatever the order of the names in its objects. */
export function digestOf(value: unknown): string {
  return digest(JSON.stringify(sorted(value)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

/**
 * Whether a secret has that digest, in constant time, so that timing does not reveal a partial
 * match.
 */
export function matches(secret: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(digest(secret)), Buffer.from(expected));
}
