// The public keys that verify our access tokens, as a JWKS (RFC 7517), for other systems that
// receive these tokens. There is no page if a shared secret verifies them or if another system
// publishes their keys.

import type { Config } from "../../../shared/config/config.ts";
import { publicJwk, readPublicKeys } from "../../../shared/security/jwt-keys.ts";
import type { PageRoute } from "../http/aliases.ts";

/** Shorter than the time between the two steps of a rotation (docs/operate/keys.md). */
const CACHED_FOR_S = 300;

/** The page of the configured public keys, if there are any. */
export function keyPages({ jwtSource }: Pick<Config, "jwtSource">): PageRoute[] {
  if (jwtSource.kind !== "publicKey") return [];
  const keys = (readPublicKeys(jwtSource.pem) ?? []).map(publicJwk);
  const headers = {
    "content-type": "application/jwk-set+json",
    "cache-control": `public, max-age=${CACHED_FOR_S}`,
  };
  const answer = { status: 200, body: JSON.stringify({ keys }), headers };
  return [{ path: "/.well-known/jwks.json", serve: () => answer }];
}
