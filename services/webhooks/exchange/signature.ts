// Signatures by Standard Webhooks 1.0: the headers webhook-id, webhook-timestamp and
// webhook-signature, HMAC-SHA256 over `id.timestamp.body`. The standard's own library,
// standardwebhooks, verifies them in the tests and does not sign here, because it computes SHA-256
// in JavaScript: 15 us more for a body of 700 bytes and 30 to 45 us more for one of 2 KB, where a
// whole delivery costs 160 us. A rotation's second signature would double that.

import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
/** The standard says 24 to 64. */
const SECRET_BYTES = 32;

/** A new signing secret: `whsec_` and base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** The signing secret of random bits in base64url. */
export function signingSecret(bits: string): string {
  return PREFIX + Buffer.from(bits, "base64url").toString("base64");
}

/** The key of a secret: an object, because Node parses raw bytes for longer than it signs. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(secret.slice(PREFIX.length), "base64");
}

/**
 * The headers that prove a message's origin to its receiver.
 * @param keys each of them signs; a receiver accepts any signature that fits its secret
 * @param id the event's id, the same on every attempt
 * @param body the exact text that is sent
 * @param at epoch ms of this attempt; receivers refuse old timestamps
 */
export function signedHeaders(
  keys: KeyObject[],
  id: string,
  body: string,
  at: number,
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const content = `${id}.${timestamp}.${body}`;
  const signatures = keys.map(
    (key) => `v1,${createHmac("sha256", key).update(content).digest("base64")}`,
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
