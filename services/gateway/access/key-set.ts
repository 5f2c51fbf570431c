// Keys from a JWKS (RFC 7517), fetched only from the configured URL. They are fetched again every
// five minutes and are valid for nine, so that the key server may be down for a while. An unknown
// key id causes a fetch at most every 30 s, so that a new key is found soon and invented ids cannot
// make us fetch often. An answer is limited in time and size. jose picks a key from a set, which
// jsonwebtoken cannot; all else of tokens is jsonwebtoken's.

import { KeyObject } from "node:crypto";
import { createLocalJWKSet, errors } from "jose";
import type { JwtHeader } from "jsonwebtoken";
import type { Clock } from "../../../shared/clock.ts";
import { fail } from "../../../shared/errors.ts";
import type { JwtKey } from "../../../shared/security/jwt-keys.ts";

const REFRESHED_AFTER_MS = 5 * 60_000;
const GOOD_FOR_MS = 9 * 60_000;
/** The pause between two fetches, with and without keys. */
const APART_MS = 30_000;
const APART_WITHOUT_KEYS_MS = 1_000;
const TIMEOUT_MS = 2_000;
const MAX_BYTES = 256 * 1024;
/** Keys to try for a token that names none. */
const MAX_CANDIDATES = 8;

type Keys = ReturnType<typeof createLocalJWKSet>;

/**
 * The keys that may have signed a token: several only if the token names none.
 * @throws UNAUTHORIZED if there are none; UNAVAILABLE if the key set cannot be read
 */
export type FindKeys = (header: JwtHeader) => Promise<JwtKey[]>;

/** The keys of the JWKS at a URL; each is used with one algorithm only, ES256 or RS256. */
export function keySet(url: string, clock: Clock): FindKeys {
  let known: { keys: Keys; askedAt: number } | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  let failed = false;
  let asking: Promise<void> | null = null;

  const isYounger = (ageMs: number) => known !== null && clock.now() - known.askedAt < ageMs;

  async function ask(): Promise<void> {
    const at = clock.now();
    askedAt = at;
    try {
      known = { keys: await fetchKeys(url), askedAt: at };
      failed = false;
    } catch {
      failed = true;
    }
    asking = null;
  }

  /** Concurrent callers share one fetch; soon after the last fetch there is no new one. */
  async function refresh(): Promise<void> {
    const apartMs = isYounger(GOOD_FOR_MS) ? APART_MS : APART_WITHOUT_KEYS_MS;
    if (!asking && clock.now() - askedAt >= apartMs) asking = ask();
    await asking;
  }

  return async ({ alg, kid }) => {
    if (alg !== "ES256" && alg !== "RS256") return fail("UNAUTHORIZED");
    if (!isYounger(GOOD_FOR_MS)) await refresh();
    else if (!isYounger(REFRESHED_AFTER_MS)) void refresh();
    if (!known || !isYounger(GOOD_FOR_MS)) return fail("UNAVAILABLE");
    const found = await matching(known.keys, alg, kid);
    if (found.length > 0) return found;
    await refresh();
    const foundNow = await matching(known.keys, alg, kid);
    if (foundNow.length > 0) return foundNow;
    return fail(failed ? "UNAVAILABLE" : "UNAUTHORIZED");
  };
}

/** A key of the set that cannot be read is ignored. */
async function matching(
  keys: Keys,
  alg: JwtKey["algorithm"],
  kid: string | undefined,
): Promise<JwtKey[]> {
  const header = { alg, ...(kid !== undefined && { kid }) };
  try {
    return [{ key: KeyObject.from(await keys(header)), algorithm: alg }];
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return [];
    const candidates: JwtKey[] = [];
    for await (const key of error) {
      if (candidates.length < MAX_CANDIDATES) {
        candidates.push({ key: KeyObject.from(key), algorithm: alg });
      }
    }
    return candidates;
  }
}

async function fetchKeys(url: string): Promise<Keys> {
  const response = await fetch(url, {
    headers: { accept: "application/jwk-set+json, application/json" },
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel();
    throw new Error(`The key server answered ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error("The key server's answer is too large");
    chunks.push(chunk);
  }
  return createLocalJWKSet(JSON.parse(Buffer.concat(chunks).toString()));
}
