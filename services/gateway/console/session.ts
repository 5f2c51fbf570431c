// Sessions of the console. A session is the token with which a person has signed in (sign-in.ts),
// in a cookie; nothing else is kept. A request of the console's pages to /console/api/v1/… is a
// request to /v1/… with that token.
//
// No other site can use a session: browsers send the cookie only with requests of this site, a
// request needs a header that pages of other sites cannot send with a cookie, and one that the
// browser says comes from another origin has no session.

import type { IncomingMessage } from "node:http";
import type { ConfigOf } from "../../../shared/config/config.ts";
import { fail } from "../../../shared/errors.ts";
import { bearerToken } from "../access/access.ts";
import type { Authenticate, AuthenticatedCaller } from "../access/authentication.ts";
import { createCookie } from "./cookie.ts";
import type { IdentityProvider } from "./open-id.ts";

/** The prefix of all paths of the console. */
const CONSOLE = "/console";
/** The prefix of the API's paths for the console. */
export const CONSOLE_API = `${CONSOLE}/api`;
/** Any value of it will do. */
const CONSOLE_HEADER = "payrail-console";

/** What somebody has signed in with: an access token, or an ID token of the identity provider. */
export interface Held {
  kind: "access" | "id";
  token: string;
}

/** A request, with its session if it is one for the console; null if it has none. */
export interface MaybeConsoleRequest extends IncomingMessage {
  session?: Held | null;
}

export interface Sessions {
  /** Gives a request for the console its session; one to the API gets the API's path. */
  enter(request: MaybeConsoleRequest): void;
  /**
   * The caller of a request, by its session or by its Authorization header.
   * @throws UNAUTHORIZED; UNAVAILABLE
   */
  findCaller(request: MaybeConsoleRequest): Promise<AuthenticatedCaller>;
  /** The caller that the token of a request names. @throws UNAUTHORIZED; UNAVAILABLE */
  callerOf(held: Held, request: IncomingMessage): Promise<AuthenticatedCaller>;
  /**
   * The Set-Cookie header of a session.
   * @returns null if the token is too long for a cookie
   */
  keep(held: Held, forS: number): string | null;
  /** The Set-Cookie header that ends a session. */
  removal: string;
}

/**
 * @param authenticate finds the caller of an access token
 * @param provider null if none is configured
 */
export function consoleSessions(
  config: Pick<ConfigOf<"gateway">, "publicUrl">,
  authenticate: Authenticate,
  provider: IdentityProvider | null,
): Sessions {
  const { read, keep, removal } = createCookie("payrail", "strict", config);

  async function callerOf(
    { kind, token }: Held,
    request: IncomingMessage,
  ): Promise<AuthenticatedCaller> {
    if (kind === "access") return authenticate(token, request);
    return provider ? provider.identify(token) : fail("UNAUTHORIZED");
  }

  return {
    callerOf,
    removal,
    keep: ({ kind, token }, forS) => keep(`${kind}.${token}`, forS),
    enter(request) {
      const { url = "", headers } = request;
      if (!url.startsWith(CONSOLE)) return;
      request.session = isOwnRequest(request) ? heldIn(read(headers)) : null;
      if (url.startsWith(`${CONSOLE_API}/v1/`)) request.url = url.slice(CONSOLE_API.length);
    },
    async findCaller(request) {
      const { session, headers } = request;
      if (session !== undefined) return callerOf(session ?? fail("UNAUTHORIZED"), request);
      return authenticate(bearerToken(headers) ?? fail("UNAUTHORIZED"), request);
    },
  };
}

/** Whether a script of the console has sent a request. */
export function isOwnRequest({ headers }: IncomingMessage): boolean {
  const from = headers["sec-fetch-site"] ?? "same-origin";
  return headers[CONSOLE_HEADER] !== undefined && from === "same-origin";
}

function heldIn(value: string | null): Held | null {
  const [, kind, token] = /^(access|id)\.(.+)$/.exec(value ?? "") ?? [];
  return kind && token ? { kind: kind as Held["kind"], token } : null;
}
