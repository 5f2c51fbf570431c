// Authentication: who calls, proven by a bearer token (RFC 6750, RFC 7519). One algorithm is pinned
// by the configured key; nothing that the token says of itself chooses the algorithm, and only the
// configured key set is ever asked for a key.

import { createPublicKey, hash, KeyObject } from "node:crypto";
import { createRemoteJWKSet, errors } from "jose";
import jwt, { type Algorithm, type JwtHeader, type JwtPayload } from "jsonwebtoken";
import { LRUCache } from "lru-cache";
import type { Actor } from "../../shared/actions.ts";
import { type Config, ConfigError, type JwtKeySource } from "../../shared/env.ts";
import { fail } from "../../shared/errors.ts";
import { isUuid } from "../../shared/ids.ts";

export interface Caller extends Actor {
  scopes: readonly string[];
}

/** @throws UNAUTHORIZED for any token that is not good now; UNAVAILABLE where no key can be had */
export type Authenticate = (token: string) => Promise<Caller>;

interface VerificationKey {
  key: KeyObject | string;
  algorithm: Algorithm;
}
type FindKey = (header: JwtHeader) => VerificationKey | Promise<VerificationKey>;

interface Verified {
  caller: Caller;
  /** Epoch seconds. */
  exp: number;
}

const SKEW_S = 30;
const ROLES: readonly string[] = ["user", "merchant", "admin"];
const CACHED_TOKENS = 10_000;

/** Verifies tokens by the configured key, audience and issuer. */
export function authenticator({ jwt: settings }: Pick<Config, "jwt">): Authenticate {
  const { issuer, audience } = settings;
  const findKey = keyFinder(settings.source);
  // Checking an ES256 signature costs some 100 us, more than all else that the gateway does for a
  // request. A client uses its token many times, so what was verified is remembered until it expires,
  // by the token's hash: the tokens themselves are not kept in memory.
  const cache = new LRUCache<string, Verified>({ max: CACHED_TOKENS });

  return async (token) => {
    const digest = hash("sha256", token, "base64");
    const known = cache.get(digest);
    if (known && known.exp + SKEW_S > nowS()) return known.caller;
    const { key, algorithm } = await findKey(headerOf(token));
    const verified = readClaims(
      verify(token, key, { algorithms: [algorithm], issuer, audience, clockTolerance: SKEW_S }),
    );
    cache.set(digest, verified);
    return verified.caller;
  };
}

function headerOf(token: string): JwtHeader {
  try {
    return jwt.decode(token, { complete: true })?.header ?? fail("UNAUTHORIZED");
  } catch {
    return fail("UNAUTHORIZED");
  }
}

function verify(token: string, key: KeyObject | string, options: jwt.VerifyOptions): JwtPayload {
  try {
    const claims = jwt.verify(token, key, options);
    return typeof claims === "string" ? fail("UNAUTHORIZED") : claims;
  } catch {
    return fail("UNAUTHORIZED");
  }
}

/** The claims beyond those that the library checks: it lets exp, iat and sub be absent. */
function readClaims({ exp, iat, sub, role, scope = "" }: JwtPayload): Verified {
  const isRight =
    typeof exp === "number" &&
    typeof iat === "number" &&
    iat <= nowS() + SKEW_S &&
    isUuid(sub) &&
    ROLES.includes(role) &&
    typeof scope === "string";
  if (!isRight) return fail("UNAUTHORIZED");
  const scopes = scope.split(" ").filter((each) => each !== "");
  return { exp, caller: { sub, role, scopes } };
}

function nowS(): number {
  return Date.now() / 1_000;
}

function keyFinder(source: JwtKeySource): FindKey {
  if (source.kind === "secret") {
    const pinned: VerificationKey = { key: source.secret, algorithm: "HS256" };
    return () => pinned;
  }
  if (source.kind === "jwks") return keySet(source.url);
  const pinned = publicKey(source.pem);
  return () => pinned;
}

function publicKey(pem: string): VerificationKey {
  const key = readPublicKey(pem);
  if (key?.asymmetricKeyType === "rsa") return { key, algorithm: "RS256" };
  const { namedCurve } = key?.asymmetricKeyDetails ?? {};
  if (key && namedCurve === "prime256v1") return { key, algorithm: "ES256" };
  throw new ConfigError("JWT_PUBLIC_KEY must be an RSA or a P-256 public key in PEM.");
}

function readPublicKey(pem: string): KeyObject | null {
  try {
    return createPublicKey(pem);
  } catch {
    return null;
  }
}

/**
 * Keys from a JWKS, kept for ten minutes; a key id that is not in it is looked for at most every 30 s,
 * so a rotated key is found soon and made-up ids cannot make us ask often. Each key of the set is good
 * for its own algorithm alone, and both are asymmetric: there is nothing to confuse them with.
 */
function keySet(url: string): FindKey {
  const find = createRemoteJWKSet(new URL(url), { timeoutDuration: 2_000 });
  return async ({ alg, kid }) => {
    if (alg !== "ES256" && alg !== "RS256") return fail("UNAUTHORIZED");
    try {
      const key = await find({ alg, ...(kid !== undefined && { kid }) });
      return { key: KeyObject.from(key), algorithm: alg };
    } catch (error) {
      const isAbsent =
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys;
      return fail(isAbsent ? "UNAUTHORIZED" : "UNAVAILABLE");
    }
  };
}
