// Encrypts what must not be read in a database or an archive: the numbers of accounts, and the
// files with them. JWE (RFC 7516) in its compact form, with A256GCM under a key that is never sent.

import { CompactEncrypt, compactDecrypt } from "jose";

export interface Sealer {
  seal(bytes: Buffer): Promise<string>;
  /** @throws Error if no key fits, or the text was changed */
  open(sealed: string): Promise<Buffer>;
}

const KEYS_FORM = "one or more of name:base64, with 32 bytes each, separated by commas";

/**
 * @param keys `name:base64`, separated by commas: the first key seals, all of them open
 * @throws Error if they have another form; the message has no key
 */
export function createSealer(keys: string): Sealer {
  const named = new Map(keys.split(",").map((key) => parseKey(key.trim())));
  const [first] = named;
  const [kid, key] = first as [string, Buffer];
  return {
    seal: (bytes) =>
      new CompactEncrypt(bytes)
        .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid })
        .encrypt(key),

    async open(sealed) {
      const { plaintext } = await compactDecrypt(sealed, (header) => {
        const found = named.get(header.kid ?? "");
        if (!found) throw new Error(`BANK_FILES_KEYS lacks the key ${header.kid}`);
        return found;
      });
      return Buffer.from(plaintext);
    },
  };
}

function parseKey(text: string): [string, Buffer] {
  const [, name, base64] = /^([\w-]{1,32}):([\w+/=-]+)$/.exec(text) ?? [];
  const key = Buffer.from(base64 ?? "", "base64");
  if (name === undefined || key.length !== 32) {
    throw new Error(`BANK_FILES_KEYS must be ${KEYS_FORM}`);
  }
  return [name, key];
}
