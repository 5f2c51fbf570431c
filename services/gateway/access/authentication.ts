// Authentication: who calls, proven by a bearer token (RFC 6750, RFC 7519). One algorithm is pinned
// by the configured key; nothing that the token says of itself chooses the algorithm, and only the
// configured key set is ever asked for a key.

import { hash, type KeyObject } from "node:crypto";
import jwt, { type Algorithm, type JwtHeader, type JwtPayload } from "jsonwebtoken";
import { LRUCache } from "lru-cache";
import type { Actor } from "../../../shared/actions.ts";
import { type Config, ConfigError } from "../../../shared/env.ts";
import type { JwtKeySource } from "../../../shared/env-values.ts";
import { fail } from "../../../shared/errors.ts";
import { isUuid } from "../../../shared/ids.ts";
import { readPublicKey } from "../../../shared/jwt-keys.ts";
import { keySet } from "./key-set.ts";

export interface Caller extends Actor {
  scopes: readonly string[];
  /** The API client that the token was issued to, and its tokensFromS then; null for any other. */
  client: { id: string; tokensFromS: number } | null;
}

/** @throws UNAUTHORIZED for any token that is not good now; UNAVAILABLE where no key can be had */
export type Authenticate = (token: string) => Promise<Caller>;

interface VerificationKey {
  key: KeyObject | string;
  algorithm: Algorithm;
}
type FindKeys = (header: JwtHeader) => VerificationKey[] | Promise<VerificationKey[]>;

interface Verified {
  caller: Caller;
  /** Until when it need not be verified again; epoch seconds. */
  goodUntilS: number;
}

const SKEW_S = 30;
const ROLES: readonly string[] = ["user", "merchant", "admin"];
const CACHED_TOKENS = 10_000;
/** With what a key set is good for (key-set.ts), ten minutes until a key that is gone is refused. */
const CACHED_FOR_S = 60;

/** Verifies tokens by the configured key, audience and issuer. */
export function authenticator({ jwt: settings }: Pick<Config, "jwt">): Authenticate {
  const { issuer, audience } = settings;
  const findKeys = keyFinder(settings.source);
  // Checking an ES256 signature costs some 100 us, more than all else that the gateway does for a
  // request. A client uses its token many times, so what was verified is remembered for a minute, by
  // the token's hash: the tokens themselves are not kept in memory.
  const cache = new LRUCache<string, Verified>({ max: CACHED_TOKENS });

  return async (token) => {
    const digest = hash("sha256", token, "base64");
    const known = cache.get(digest);
    if (known && known.goodUntilS > nowS()) return known.caller;
    const options = { issuer, audience, clockTolerance: SKEW_S };
    const verified = readClaims(verify(token, await findKeys(headerOf(token)), options));
    cache.set(digest, verified);
    return verified.caller;
  };
}

/**
 * The token's header, not verified yet. One with `crit` is refused: it names extensions that have to be
 * understood, and none is here (RFC 7515, 4.1.11). The library does not look at it.
 */
function headerOf(token: string): JwtHeader {
  const header = decodedHeader(token);
  return header && !Object.hasOwn(header, "crit") ? header : fail("UNAUTHORIZED");
}

function decodedHeader(token: string): JwtHeader | null {
  try {
    return jwt.decode(token, { complete: true })?.header ?? null;
  } catch {
    return null;
  }
}

/** The claims of a token that one of the keys has signed. */
function verify(token: string, keys: VerificationKey[], options: jwt.VerifyOptions): JwtPayload {
  for (const { key, algorithm } of keys) {
    try {
      const claims = jwt.verify(token, key, { ...options, algorithms: [algorithm] });
      if (typeof claims === "object") return claims;
    } catch {
      // Another may have.
    }
  }
  return fail("UNAUTHORIZED");
}

/** The claims beyond those that the library checks: it lets exp, iat and sub be absent. */
function readClaims(claims: JwtPayload): Verified {
  const { exp, iat, sub, role, scope = "", client_id: clientId } = claims;
  // A token of an older release has none, and counts by when it was issued.
  const { client_tokens_from: tokensFromS = iat } = claims;
  const isRight =
    typeof exp === "number" &&
    typeof iat === "number" &&
    iat <= nowS() + SKEW_S &&
    isUuid(sub) &&
    ROLES.includes(role) &&
    typeof scope === "string" &&
    typeof tokensFromS === "number";
  if (!isRight) return fail("UNAUTHORIZED");
  const scopes = scope.split(" ").filter((each) => each !== "");
  // Whoever else issues tokens has clients of its own; ours have UUIDs.
  const client = isUuid(clientId) ? { id: clientId, tokensFromS } : null;
  const goodUntilS = Math.min(exp + SKEW_S, nowS() + CACHED_FOR_S);
  return { goodUntilS, caller: { sub, role, scopes, client } };
}

function nowS(): number {
  return Date.now() / 1_000;
}

function keyFinder(source: JwtKeySource): FindKeys {
  if (source.kind === "jwks") return keySet(source.url);
  const pinned: VerificationKey[] = [
    source.kind === "secret"
      ? { key: source.secret, algorithm: "HS256" }
      : (readPublicKey(source.pem) ?? notAKey()),
  ];
  return () => pinned;
}

function notAKey(): never {
  throw new ConfigError("JWT_PUBLIC_KEY is no key that is good for tokens.");
}
