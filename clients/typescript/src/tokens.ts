// Access tokens: the one that the caller has, or those that payrail issues to an API client, fetched
// once, shared by all calls, and renewed before they expire.

import { type Connection, exchange } from "./exchange.ts";

export interface Tokens {
  /** A token that is valid for the next call. */
  get(): Promise<string>;
  /** Forgets a token that was refused. @returns whether `get` may have another one */
  drop(token: string): boolean;
}

export interface Credentials {
  clientId: string;
  clientSecret: string;
}

interface Kept {
  token: Promise<string>;
  /** Undefined while it is fetched. */
  value?: string;
  /** By this machine's clock. */
  renewAt: number;
}

/** A token is renewed when a tenth of its time is left, so that it lasts for the call it goes with. */
const USED_FOR = 0.9;
/** The number of end users whose tokens are kept. */
const MAX_KEPT = 1_000;

export function fixedToken(token: string): Tokens {
  return { get: async () => token, drop: () => false };
}

/** The tokens of an API client: without a subject the business's, else those of that end user. */
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
    // The first is the one that was fetched longest ago.
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
      // Of many calls whose token was refused only the first drops it.
      if (kept.get(subject)?.value === token) kept.delete(subject);
      return true;
    },
  });
}

/** Asks for a token (RFC 6749, 4.4). A repeated request only issues another one. */
async function issue(
  connection: Connection,
  { clientId, clientSecret }: Credentials,
  subject: string | undefined,
): Promise<{ access_token: string; expires_in: number }> {
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (subject !== undefined) form.set("subject", subject);
  const request = {
    method: "POST",
    path: "/v1/oauth/token",
    endpoint: "POST /v1/oauth/token",
    headers: {
      authorization: `Basic ${basic.toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: form.toString(),
    timeoutMs: connection.timeoutMs,
  };
  // The call that needs the token repeats a failure.
  return (await exchange(connection, request)) as unknown as {
    access_token: string;
    expires_in: number;
  };
}
