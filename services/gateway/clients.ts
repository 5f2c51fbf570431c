// API clients whose secret was rotated, or that were disabled: the tokens issued to them before are
// refused although they are signed and have not expired. What accounts says of a client is kept for a
// few seconds, so that a token costs a look into a map, and every gateway refuses within the 5 seconds
// that the contract promises (its timeout and what is kept, together). Where accounts does not answer
// and nothing is kept, the token may have ended, so it is not let in: 503.

import { LRUCache } from "lru-cache";
import type { ServiceBroker } from "moleculer";
import { call } from "../../shared/actions.ts";
import { fail } from "../../shared/errors.ts";
import { gather } from "../../shared/gather.ts";
import type { Authenticate } from "./authentication.ts";

const KEPT_MS = 3_000;
const MOST_CLIENTS = 10_000;
const MOST_AT_ONCE = 256;

/**
 * Authenticates, and refuses what was issued to a client before its secret was last rotated, or before
 * it was last disabled. No clocks are compared: a token carries the client's tokensFromS as it was
 * when the token was issued, and each of these ends raises that.
 * Tokens that were not issued to an API client of ours pass.
 * @returns an Authenticate that fails with UNAUTHORIZED, or UNAVAILABLE where accounts is away
 */
export function ofEnabledClients(authenticate: Authenticate, broker: ServiceBroker): Authenticate {
  const ask = gather<string, number | null>(
    (clientIds) => call(broker, "accounts.tokensFrom", { clientIds }),
    { maxItems: MOST_AT_ONCE },
  );
  /** By client; what several requests ask for at the same time is asked for once. */
  const tokensFrom = new LRUCache<string, number>({
    max: MOST_CLIENTS,
    ttl: KEPT_MS,
    fetchMethod: async (clientId) => (await ask(clientId)) ?? Number.POSITIVE_INFINITY,
  });

  async function lookUp(clientId: string): Promise<number> {
    try {
      return (await tokensFrom.fetch(clientId)) ?? fail("UNAVAILABLE");
    } catch {
      // Nothing was begun, so that no outcome is unknown, whatever the call failed with.
      return fail("UNAVAILABLE");
    }
  }

  return async (token) => {
    const caller = await authenticate(token);
    const { client } = caller;
    if (!client) return caller;
    const fromS = tokensFrom.get(client.id) ?? (await lookUp(client.id));
    return client.tokensFromS < fromS ? fail("UNAUTHORIZED") : caller;
  };
}
