// Encryption at rest: AES-256-GCM (NIST SP 800-38D) with a random nonce, stored with the key's id.
// The first key of ENCRYPTION_KEYS encrypts, all of them decrypt. A text that was sealed for one
// place cannot be opened for another. Fingerprints find sealed data without opening it.

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomBytes,
} from "node:crypto";
import type { Config } from "../config/config.ts";
import type { EncryptionKey } from "../config/env-values.ts";
import { fail } from "../errors.ts";

export interface Sealed {
  keyId: string;
  /** Nonce, ciphertext and tag, in base64. */
  box: string;
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a text.
 * @param place the text's place, such as `linked-account:<id>`; the same place is needed to open it
 */
export function seal(
  { encryptionKeys }: Pick<Config, "encryptionKeys">,
  place: string,
  text: string,
): Sealed {
  const { id, key } = encryptionKeys[0] as EncryptionKey;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(place));
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  const box = Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]);
  return { keyId: id, box: box.toString("base64") };
}

/**
 * Decrypts a text that `seal` encrypted for that place.
 * @throws UNREADABLE if its key is not configured any more, or the box was changed; only this field
 *   is affected, so a list still shows the others
 */
export function unseal(
  { encryptionKeys }: Pick<Config, "encryptionKeys">,
  place: string,
  { keyId, box }: Sealed,
): string {
  const found = encryptionKeys.find(({ id }) => id === keyId);
  if (!found) {
    return fail("UNREADABLE", `Encrypted with the key ${keyId}, which ENCRYPTION_KEYS lacks`);
  }
  const bytes = Buffer.from(box, "base64");
  try {
    const nonce = bytes.subarray(0, NONCE_BYTES);
    // The key is an object, because Node takes longer to read key bytes than to decrypt.
    const key = createSecretKey(found.key);
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const ciphertext = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
    return decipher.update(ciphertext, undefined, "utf8") + decipher.final("utf8");
  } catch {
    // Node's own message adds nothing, and its cause could contain a part of the text.
    return fail("UNREADABLE", `What the key ${keyId} encrypted was changed, or the key was`);
  }
}

/**
 * A keyed digest (HMAC-SHA-256, base64url): equal for equal parts. Without FINGERPRINT_KEY it does
 * not reveal them, even if they are as short as an account number.
 * @param parts the first one names their kind, so that different kinds never have equal digests
 */
export function fingerprint(
  { fingerprintKey }: Pick<Config, "fingerprintKey">,
  parts: string[],
): string {
  // The key is an object, because Node takes longer to read key bytes than to compute the digest.
  const key = createSecretKey(fingerprintKey);
  return createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");
}
