// Authentication of the caller by a bearer token (RFC 6750, RFC 7519). The configured key fixes the
// algorithm; the token's own header never chooses it. Keys come only from the configured key set.

import { hash, type KeyObject } from "node:crypto";
import type { IncomingMessage } from "node:http";
import jwt, { type Algorithm, type JwtHeader, type JwtPayload } from "jsonwebtoken";
import { LRUCache } from "lru-cache";
import type { Clock } from "../../../shared/clock.ts";
import { type Config, ConfigError } from "../../../shared/config/config.ts";
import type { JwtKeySource } from "../../../shared/config/env-values.ts";
import { fail } from "../../../shared/errors.ts";
import { readUuid } from "../../../shared/ids.ts";
import type { Actor } from "../../../shared/rpc/actions.ts";
import { readPublicKeys, thumbprint } from "../../../shared/security/jwt-keys.ts";

export interface AuthenticatedCaller extends Actor {
  scopes: readonly string[];
  /**
   * The API client that the token was issued to, and its tokensFromS at that time; null for any
   * other token.
   */
  client: { id: string; tokensFromS: number } | null;
  /** Epoch seconds. */
  expiresAtS: number;
  /** Names the person, such as an email address, if the token does. */
  name?: string;
}

/**
 * @param request the request that the token came with
 * @throws UNAUTHORIZED for any token that is not valid now; UNAVAILABLE if no key can be fetched
 */
export type Authenticate = (
  token: string,
  request: IncomingMessage,
) => Promise<AuthenticatedCaller>;

export interface VerificationKey {
  key: KeyObject | string;
  algorithm: Algorithm;
}
type FindKeys = (header: JwtHeader) => VerificationKey[] | Promise<VerificationKey[]>;

interface Verified {
  caller: AuthenticatedCaller;
  /** The token is not verified again until this time; epoch seconds. */
  goodUntilS: number;
}

const SKEW_S = 30;
const ROLES: readonly string[] = ["user", "merchant", "admin"];
const CACHED_TOKENS = 10_000;
/**
 * Together with the lifetime of a key set (key-set.ts), a removed key is refused after ten minutes.
 */
const CACHED_FOR_S = 60;

/** Verifies tokens by the configured key, audience and issuer. */
export function authenticator(
  { jwt: { issuer, audience }, jwtSource }: Pick<Config, "jwt" | "jwtSource">,
  clock: Clock,
): Authenticate {
  const findKeys = keyFinder(jwtSource, clock);
  // Checking an ES256 signature costs some 100 us, more than all else that the gateway does for a
  // request. A client uses its token many times, so the verified claims are cached for a minute, by
  // the token's hash: the tokens themselves are not kept in memory.
  const cache = new LRUCache<string, Verified>({ max: CACHED_TOKENS });

  return async (token) => {
    const digest = hash("sha256", token, "base64");
    const known = cache.get(digest);
    if (known && known.goodUntilS > clock.now() / 1_000) return known.caller;
    const options = { issuer, audience, clockTolerance: SKEW_S };
    const claims = verify(token, await findKeys(readHeader(token)), clock, options);
    const verified = readClaims(claims, clock.now() / 1_000);
    cache.set(digest, verified);
    return verified.caller;
  };
}

/**
 * The token's header, not verified yet. A header with `crit` is refused: it lists extensions that
 * the reader must understand, and this gateway supports none (RFC 7515, 4.1.11). The library does
 * not check it.
 */
export function readHeader(token: string): JwtHeader {
  let header: JwtHeader | undefined;
  try {
    header = jwt.decode(token, { complete: true })?.header;
  } catch {
    // It is no token.
  }
  return header && !Object.hasOwn(header, "crit") ? header : fail("UNAUTHORIZED");
}

/**
 * The claims of a token that one of the keys has signed.
 * @throws UNAUTHORIZED; its data has the `reason`, for logs
 */
export function verify(
  token: string,
  keys: VerificationKey[],
  clock: Clock,
  options: jwt.VerifyOptions,
): JwtPayload {
  const clockTimestamp = Math.floor(clock.now() / 1_000);
  let reason = "token has no key of the issuer";
  for (const { key, algorithm } of keys) {
    try {
      const claims = jwt.verify(token, key, {
        ...options,
        clockTimestamp,
        algorithms: [algorithm],
      });
      if (typeof claims === "object") return claims;
    } catch (error) {
      // Another key may have signed it.
      reason = (error as Error).message;
    }
  }
  return fail("UNAUTHORIZED", undefined, { reason });
}

/** The claims that the library does not check: it accepts a token without exp, iat or sub. */
function readClaims(claims: JwtPayload, nowS: number): Verified {
  const { exp, iat, role, scope = "" } = claims;
  const sub = readUuid(claims.sub);
  // A token of an older release has no such claim, so its time of issue counts.
  const { client_tokens_from: tokensFromS = iat } = claims;
  const isRight =
    typeof exp === "number" &&
    typeof iat === "number" &&
    iat <= nowS + SKEW_S &&
    sub !== null &&
    ROLES.includes(role) &&
    typeof scope === "string" &&
    typeof tokensFromS === "number";
  if (!isRight) return fail("UNAUTHORIZED");
  const scopes = scope.split(" ").filter((each) => each !== "");
  // Other issuers have clients of their own; our clients' ids are UUIDs.
  const clientId = readUuid(claims.client_id);
  const client = clientId === null ? null : { id: clientId, tokensFromS };
  const goodUntilS = Math.min(exp + SKEW_S, nowS + CACHED_FOR_S);
  return { goodUntilS, caller: { sub, role, scopes, client, expiresAtS: exp } };
}

/**
 * Finds the keys that may have signed a token: the one that its `kid` names by thumbprint, else
 * every configured key, because another issuer names its keys in its own way.
 */
function keyFinder(source: JwtKeySource, clock: Clock): FindKeys {
  if (source.kind === "jwks") {
    // Loaded only here, because jose is a large part of a gateway's modules.
    const loaded = import("./key-set.ts").then(({ keySet }) => keySet(source.url, clock));
    return async (header) => (await loaded)(header);
  }
  if (source.kind === "secret") return () => [{ key: source.secret, algorithm: "HS256" }];
  const keys = readPublicKeys(source.pem)?.map((key) => ({ ...key, kid: thumbprint(key) }));
  if (!keys) throw new ConfigError("JWT_PUBLIC_KEY is no key that is good for tokens.");
  return ({ kid }) => {
    const named = keys.find((key) => key.kid === kid);
    return named ? [named] : keys;
  };
}
