// The keys of access tokens, as PEM text: checks them, and fixes the one algorithm of each.

import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

export interface JwtKey {
  key: KeyObject;
  algorithm: "ES256" | "RS256";
}

const LEAST_RSA_BITS = 2_048;

/** The public key in a PEM text; null if tokens cannot use it. */
export function readPublicKey(pem: string): JwtKey | null {
  return readKey(() => createPublicKey(pem));
}

/** The private key in a PEM text (without a passphrase); null if tokens cannot use it. */
export function readPrivateKey(pem: string): JwtKey | null {
  return readKey(() => createPrivateKey(pem));
}

/** Whether the public key verifies signatures of the private key. */
function isPair(privateKey: JwtKey, publicKey: JwtKey): boolean {
  return createPublicKey(privateKey.key).equals(publicKey.key);
}

/** The problems of JWT_PUBLIC_KEY and JWT_PRIVATE_KEY, each a PEM text or null if unset. */
export function wrongKeys(publicPem: string | null, privatePem: string | null): string[] {
  const kinds = "RSA of at least 2048 bits or P-256";
  const wrong: string[] = [];
  // A private key contains the public one too, and must not reach a service that only verifies.
  const isPublic = publicPem?.includes("BEGIN PUBLIC KEY");
  const publicKey = publicPem && isPublic ? readPublicKey(publicPem) : null;
  if (publicPem && !publicKey) wrong.push(`JWT_PUBLIC_KEY must be a PEM public key, ${kinds}`);
  const privateKey = privatePem ? readPrivateKey(privatePem) : null;
  if (privatePem && !privateKey) {
    wrong.push(`JWT_PRIVATE_KEY must be a PEM private key without a passphrase, ${kinds}`);
  }
  if (publicKey && privateKey && !isPair(privateKey, publicKey)) {
    wrong.push("JWT_PRIVATE_KEY must be the private key of JWT_PUBLIC_KEY");
  }
  return wrong;
}

function readKey(read: () => KeyObject): JwtKey | null {
  try {
    const key = read();
    const algorithm = readAlgorithm(key);
    return algorithm && { key, algorithm };
  } catch {
    return null;
  }
}

function readAlgorithm({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) {
  const { namedCurve, modulusLength = 0 } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === "rsa" && modulusLength >= LEAST_RSA_BITS) return "RS256";
  return asymmetricKeyType === "ec" && namedCurve === "prime256v1" ? "ES256" : null;
}
