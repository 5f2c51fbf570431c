// The keys of access tokens, as PEM text: which are good, and the one algorithm that each is for.

import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

export interface JwtKey {
  key: KeyObject;
  algorithm: "ES256" | "RS256";
}

const LEAST_RSA_BITS = 2_048;

/** The public key in a PEM text; null where it is none that is good for tokens. */
export function readPublicKey(pem: string): JwtKey | null {
  return readKey(() => createPublicKey(pem));
}

/** The private key in a PEM text (without a passphrase); null where it is none good for tokens. */
export function readPrivateKey(pem: string): JwtKey | null {
  return readKey(() => createPrivateKey(pem));
}

/** Whether what one signs the other verifies. */
export function isPair(privateKey: JwtKey, publicKey: JwtKey): boolean {
  return createPublicKey(privateKey.key).equals(publicKey.key);
}

function readKey(read: () => KeyObject): JwtKey | null {
  try {
    const key = read();
    const algorithm = algorithmOf(key);
    return algorithm && { key, algorithm };
  } catch {
    return null;
  }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) {
  const { namedCurve, modulusLength = 0 } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === "rsa" && modulusLength >= LEAST_RSA_BITS) return "RS256";
  return asymmetricKeyType === "ec" && namedCurve === "prime256v1" ? "ES256" : null;
}
