// Access tokens: a token that the caller renews, or tokens that payrail issues to an API client.
// All calls share an issued token, and the client renews it before it expires.

import { type Connection, exchange } from "./exchange.ts";

/** The access tokens of one caller. */
export interface Tokens {
  /**
   * A token that is valid for the next call.
   * @throws PayrailError
   */
  get(): Promise<string>;
  /** Forgets a token that payrail refused. @returns whether `get` may return another one */
  drop(token: string): boolean;
}

/** The id and the secret of an API client. */
export interface Credentials {
  clientId: string;
  clientSecret: string;
}

interface Kept {
  token: Promise<string>;
  /** Undefined until the token has arrived. */
  value?: string;
  /** Epoch ms by this machine's clock. */
  renewAt: number;
}

/** The rest of a token's lifetime is for the duration of the last calls with it. */
const USED_FOR = 0.9;
/** The greatest number of tokens in memory; the business has one, and each end user one. */
const MAX_KEPT = 1_000;

/** The one token that the caller renews itself. */
export function fixedToken(token: string): Tokens {
  return { get: async () => token, drop: () => false };
}

/**
 * The tokens of an API client.
 * @returns a function from the id of an end user to the user's tokens; without an id it returns
 *   the business's tokens
 */
export function issuedTokens(
  connection: Connection,
  credentials: Credentials,
): (subject?: string) => Tokens {
  const kept = new Map<string | undefined, Kept>();

  function fetchToken(subject: string | undefined): Kept {
    const entry: Kept = { token: Promise.resolve(""), renewAt: Number.POSITIVE_INFINITY };
    entry.token = issue(connection, credentials, subject).then(
      ({ access_token: value, expires_in: expiresInS }) => {
        entry.value = value;
        entry.renewAt = Date.now() + expiresInS * 1_000 * USED_FOR;
        return value;
      },
      (error: unknown) => {
        if (kept.get(subject) === entry) kept.delete(subject);
        throw error;
      },
    );
    kept.delete(subject);
    kept.set(subject, entry);
    // A map keeps the order of insertion, so its first token is the oldest.
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT) kept.delete(oldest);
    return entry;
  }

  return (subject) => ({
    get() {
      const found = kept.get(subject);
      const isFresh = found !== undefined && Date.now() < found.renewAt;
      return (isFresh ? found : fetchToken(subject)).token;
    },

    drop(token) {
      // Many calls may report the same refused token; later ones must not drop its successor.
      if (kept.get(subject)?.value === token) kept.delete(subject);
      return true;
    },
  });
}

/** Requests a token (RFC 6749, 4.4). A repeated request issues another token. */
async function issue(
  connection: Connection,
  { clientId, clientSecret }: Credentials,
  subject: string | undefined,
): Promise<{ access_token: string; expires_in: number }> {
  const basic = btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (subject !== undefined) form.set("subject", subject);
  const request = {
    method: "POST",
    path: "/v1/oauth/token",
    endpoint: "POST /v1/oauth/token",
    headers: {
      authorization: `Basic ${basic}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: form.toString(),
    timeoutMs: connection.timeoutMs,
  };
  // No retries here: the call that needs the token is repeated as a whole.
  return (await exchange(connection, request)) as unknown as {
    access_token: string;
    expires_in: number;
  };
}
