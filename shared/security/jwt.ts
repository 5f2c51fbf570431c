// Issues access tokens: signed with JWT_PRIVATE_KEY (ES256 or RS256, by the key) or, if a shared
// secret verifies them, with JWT_SECRET (HS256). The gateway verifies them.

import jwt from "jsonwebtoken";
import type { Config } from "../config/config.ts";
import { fail } from "../errors.ts";
import type { Actor } from "../rpc/actions.ts";
import { readPrivateKey, thumbprint } from "./jwt-keys.ts";

export interface Grant {
  /** The acting entity's id. */
  sub: string;
  role: Actor["role"];
  /** Space-separated. */
  scope: string;
  /** Lifetime in seconds. */
  expiresInS: number;
  /** The API client that it is issued to (RFC 9068, 2.2). */
  client?: {
    id: string;
    /**
     * The client's value at the token's issue; the gateway refuses the token once the client's
     * value is higher.
     */
    tokensFromS: number;
  };
}

/** Whether payrail issues tokens itself, rather than only verifying those of another issuer. */
export function canSign({ jwtSigner }: Pick<Config, "jwtSigner">): boolean {
  return jwtSigner !== null;
}

/**
 * A signed access token with the claims iss, aud, sub, iat, exp, role and scope; for a client also
 * client_id and client_tokens_from. Its header has the key's thumbprint as `kid` (RFC 7638).
 * @throws NOT_CONFIGURED if there is no key to sign with
 */
export function signToken(
  config: Pick<Config, "jwt" | "jwtSigner">,
  { sub, role, scope, expiresInS, client }: Grant,
): string {
  const { issuer, audience } = config.jwt;
  const { key, ...header } = signingKey(config);
  const subject = { issuer, audience, subject: sub, expiresIn: expiresInS };
  const claims = {
    role,
    scope,
    ...(client && { client_id: client.id, client_tokens_from: client.tokensFromS }),
  };
  return jwt.sign(claims, key, { ...header, ...subject });
}

/** The key with its algorithm and, for a pair, the id by which the gateway picks the other half. */
function signingKey({ jwtSigner }: Pick<Config, "jwtSigner">) {
  if (jwtSigner?.kind === "secret") return { key: jwtSigner.secret, algorithm: "HS256" } as const;
  const pair = (jwtSigner && readPrivateKey(jwtSigner.pem)) ?? fail("NOT_CONFIGURED");
  return { ...pair, keyid: thumbprint(pair) };
}
