// Signing in at an identity provider (OpenID Connect, the code flow with PKCE). The person's ID
// token is the session: it is verified at each request, by the provider's keys.

import type { ClientAuth, Configuration } from "openid-client";
import type { Clock } from "../../../shared/clock.ts";
import type { OpenId } from "../../../shared/config/config.ts";
import { ALL_SCOPES } from "../../../shared/contracts/accounts.ts";
import { fail } from "../../../shared/errors.ts";
import { idOfName, readUuid } from "../../../shared/ids.ts";
import { type Log, throttledWarning } from "../../../shared/observability/throttled-warning.ts";
import { type AuthenticatedCaller, readHeader, verify } from "../access/authentication.ts";
import { type FindKeys, keySet } from "../access/key-set.ts";

const SKEW_S = 30;
const TIMEOUT_S = 5;

/** Why a sign-in opened no session, as the console shows it (clients/console/src/sign-in.tsx). */
export type SignInProblem =
  | "refused"
  | "failed"
  | "expired"
  | "no-role"
  | "no-business"
  | "too-long";

/**
 * Refuses a sign-in.
 * @param reason for the log; the caller of the API reads only that it is unauthorized
 */
export function refuse(problem: SignInProblem, reason: string): never {
  return fail("UNAUTHORIZED", undefined, { problem, reason });
}

/** What the provider is asked with, and what its answer has to fit; the browser keeps it. */
export interface Sent {
  state: string;
  nonce: string;
  verifier: string;
}

export interface IdentityProvider {
  /** The provider's page for a new sign-in. @throws UNAVAILABLE */
  begin(): Promise<{ url: string; sent: Sent }>;
  /**
   * The ID token of a person who comes back.
   * @param search the query of the address, with its question mark
   * @throws UNAVAILABLE; the library's errors for an answer that does not fit
   */
  complete(search: string, sent: Sent): Promise<string>;
  /** The caller that an ID token names. @throws UNAUTHORIZED, with its reason; UNAVAILABLE */
  identify(idToken: string): Promise<AuthenticatedCaller>;
}

/** The provider, as its discovery document describes it. */
interface Discovered {
  provider: Configuration;
  /** As its tokens name it: perhaps with another slash at the end than the configuration. */
  issuer: string;
  findKeys: FindKeys;
}

/** @param redirectUri where the provider sends people back to */
export function identityProvider(
  config: OpenId,
  clock: Clock,
  redirectUri: string,
  log: Log,
): IdentityProvider {
  const { clientId, claimPrefix } = config;
  const notFound = throttledWarning(clock, log, "The identity provider cannot be used");
  let discovered: Promise<Discovered> | null = null;

  async function discover(): Promise<Discovered> {
    discovered ??= discoverProvider(config, clock);
    try {
      return await discovered;
    } catch (error) {
      discovered = null;
      notFound({ error });
      return fail("UNAVAILABLE");
    }
  }

  return {
    async begin() {
      const { provider } = await discover();
      const { buildAuthorizationUrl, calculatePKCECodeChallenge, ...client } = await library();
      const sent: Sent = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope: "openid email",
        state: sent.state,
        nonce: sent.nonce,
        code_challenge: await calculatePKCECodeChallenge(sent.verifier),
        code_challenge_method: "S256",
      });
      return { url: url.href, sent };
    },

    async complete(search, { state, nonce, verifier }) {
      const { provider } = await discover();
      const { authorizationCodeGrant } = await library();
      const url = new URL(redirectUri + search);
      const { id_token: idToken } = await authorizationCodeGrant(provider, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return idToken as string;
    },

    async identify(idToken) {
      const header = readHeader(idToken);
      const { issuer, findKeys } = await discover();
      const options = { issuer, audience: clientId, clockTolerance: SKEW_S };
      const claims = verify(idToken, await findKeys(header), clock, options);
      const { sub, exp, azp = clientId, email, email_verified: isVerified } = claims;
      if (typeof sub !== "string" || typeof exp !== "number" || azp !== clientId) {
        return refuse("refused", "token without sub or exp, or for another client (azp)");
      }
      const isNamed = typeof email === "string" && isVerified !== false;
      const known = { client: null, expiresAtS: exp, ...(isNamed && { name: email }) };
      const roles: unknown[] = [claims[`${claimPrefix}role`]].flat();
      if (roles.includes("admin")) {
        const id = readUuid(sub) ?? idOfName(issuer, sub);
        return { ...known, role: "admin", sub: id, scopes: [ALL_SCOPES] };
      }
      if (!roles.includes("merchant")) {
        return refuse("no-role", `neither admin nor merchant in the claim ${claimPrefix}role`);
      }
      const businessId = readUuid(claims[`${claimPrefix}business`]);
      if (businessId === null) {
        return refuse("no-business", `no id of a business in the claim ${claimPrefix}business`);
      }
      const scopes = readScopes(claims[`${claimPrefix}scope`]);
      if (!scopes) return refuse("no-role", `no texts in the claim ${claimPrefix}scope`);
      return { ...known, role: "merchant", sub: businessId, scopes };
    },
  };
}

/** All scopes without the claim; null for a claim that is neither a text nor a list of texts. */
function readScopes(claim: unknown): string[] | null {
  if (claim === undefined) return [ALL_SCOPES];
  const texts: unknown[] = [claim].flat();
  const areTexts = texts.every((each): each is string => typeof each === "string");
  return areTexts ? texts.flatMap((text) => text.split(" ")).filter(Boolean) : null;
}

/** Loaded with the first sign-in, because few gateways have an identity provider. */
function library() {
  return import("openid-client");
}

async function discoverProvider(config: OpenId, clock: Clock): Promise<Discovered> {
  const { discovery, allowInsecureRequests } = await library();
  const server = new URL(config.issuer);
  // Only development has an issuer without TLS (shared/config/env.ts).
  const isSecure = server.protocol === "https:";
  const provider = await discovery(server, config.clientId, undefined, await clientAuth(config), {
    execute: isSecure ? [] : [allowInsecureRequests],
    timeout: TIMEOUT_S,
  });
  const { issuer, jwks_uri: keysUrl = "" } = provider.serverMetadata();
  if (!isKeysUrl(keysUrl, isSecure)) throw new Error("Its jwks_uri is no https URL");
  return { provider, issuer, findKeys: keySet(keysUrl, clock) };
}

/**
 * Whether keys may be fetched there: whoever can change them on their way can be anybody. The
 * library checks only the addresses that it calls itself.
 * @param isSecure whether the provider itself is reached over TLS
 */
export function isKeysUrl(url: string, isSecure: boolean): boolean {
  return URL.canParse(url) && (!isSecure || new URL(url).protocol === "https:");
}

/** As the provider wants its clients to authenticate; OpenID's default is HTTP Basic. */
async function clientAuth({ clientSecret }: OpenId): Promise<ClientAuth> {
  const { ClientSecretBasic, ClientSecretPost, None } = await library();
  if (clientSecret === null) return None();
  const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)];
  return (server, ...rest) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (supported.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}
