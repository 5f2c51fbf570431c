// The keys that sign access tokens and the heads of the ledger, as PEM text: checks them, fixes the
// one algorithm of each, and names each by its thumbprint, which signed texts carry as `kid`.

import { createPrivateKey, createPublicKey, hash, type KeyObject } from "node:crypto";

export interface JwtKey {
  key: KeyObject;
  algorithm: "ES256" | "RS256";
}

const LEAST_RSA_BITS = 2_048;
const KINDS = "RSA of at least 2048 bits or P-256";
/** The form of a private key, for messages. */
export const PRIVATE_KEY_FORM = `a PEM private key without a passphrase, ${KINDS}`;
const PUBLIC_BLOCK = /-----BEGIN PUBLIC KEY-----[^-]*-----END PUBLIC KEY-----/g;

/** The public keys in a text of PEM blocks; null if tokens cannot use all of them. */
export function readPublicKeys(text: string): JwtKey[] | null {
  const blocks = text.match(PUBLIC_BLOCK) ?? [];
  // A private key contains the public one too, and must not reach a service that only verifies.
  const hasOthers = text.split("-----BEGIN ").length !== blocks.length + 1;
  const keys = blocks.flatMap((pem) => readKey(() => createPublicKey(pem)) ?? []);
  return keys.length === 0 || keys.length < blocks.length || hasOthers ? null : keys;
}

/** The private key in a PEM text (without a passphrase); null if tokens cannot use it. */
export function readPrivateKey(pem: string): JwtKey | null {
  return readKey(() => createPrivateKey(pem));
}

/**
 * The thumbprint of a pair (RFC 7638), the same from either half. jose has it only as a promise;
 * the tests compare both.
 */
export function thumbprint({ key }: JwtKey): string {
  const half = key.type === "private" ? createPublicKey(key) : key;
  const { crv, e, kty, n, x, y } = half.export({ format: "jwk" });
  // The required members in the order of their names; JSON leaves out those of the other kind.
  return hash("sha256", JSON.stringify({ crv, e, kty, n, x, y }), "base64url");
}

/** The public half of a pair as an entry of a JWKS (RFC 7517), made from either half. */
export function publicJwk(pair: JwtKey) {
  const { key, algorithm: alg } = pair;
  const half = key.type === "private" ? createPublicKey(key) : key;
  const { kty = "", ...parts } = half.export({ format: "jwk" });
  return { kty, ...parts, kid: thumbprint(pair), alg, use: "sig" as const };
}

/** The problems of JWT_PUBLIC_KEY, a PEM text or null if unset. */
export function wrongPublicKeys(text: string | null): string[] {
  const keys = text && readPublicKeys(text);
  if (text && !keys) return [`JWT_PUBLIC_KEY must be a PEM public key, ${KINDS}, or several`];
  const algorithms = new Set((keys || []).map(({ algorithm }) => algorithm));
  return algorithms.size > 1
    ? ["JWT_PUBLIC_KEY must have keys of one kind, all RSA or all P-256"]
    : [];
}

/** The problems of JWT_PRIVATE_KEY beside JWT_PUBLIC_KEY, each a PEM text or null if unset. */
export function wrongPair(privatePem: string | null, publicText: string | null): string[] {
  if (privatePem === null) return [];
  const privateKey = readPrivateKey(privatePem);
  if (!privateKey) {
    return [`JWT_PRIVATE_KEY must be ${PRIVATE_KEY_FORM}`];
  }
  const publicKeys = publicText && readPublicKeys(publicText);
  if (!publicKeys) return [];
  const own = thumbprint(privateKey);
  return publicKeys.some((key) => thumbprint(key) === own)
    ? []
    : ["JWT_PRIVATE_KEY must be the private key of JWT_PUBLIC_KEY, or of one of its keys"];
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
