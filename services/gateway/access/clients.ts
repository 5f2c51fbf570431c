// Refuses tokens that an API client got before its secret was rotated or before it was disabled,
// although they are signed and have not expired. The gateway keeps the answer of accounts for a few
// seconds, so that checking a token is usually a lookup in memory. The call's timeout and that time
// add up to the 5 seconds within which the contract promises the refusal. If accounts does not
// answer and no answer is kept, the gateway answers 503, because the token may have ended.

import { LRUCache } from "lru-cache";
import type { ServiceBroker } from "moleculer";
import { fail } from "../../../shared/errors.ts";
import { gather } from "../../../shared/resumable/gather.ts";
import { call } from "../../../shared/rpc/actions.ts";
import type { Authenticate } from "./authentication.ts";

const KEPT_MS = 3_000;
const MOST_CLIENTS = 10_000;
const MOST_AT_ONCE = 256;

/**
 * Authenticates, and refuses tokens issued to a client before its secret was last rotated, or
 * before it was last disabled. No clocks are compared: a token carries the client's tokensFromS as
 * it was when the token was issued, and each of these ends raises that. Tokens of other issuers'
 * clients pass.
 * @returns an Authenticate that fails with UNAUTHORIZED, or with UNAVAILABLE if accounts does not
 *   answer
 */
export function ofEnabledClients(authenticate: Authenticate, broker: ServiceBroker): Authenticate {
  const ask = gather<string, number | null>(
    (clientIds) => call(broker, "accounts.tokensFrom", { clientIds }),
    { maxItems: MOST_AT_ONCE },
  );
  /** By client id; concurrent requests for the same client share one call to accounts. */
  const tokensFrom = new LRUCache<string, number>({
    max: MOST_CLIENTS,
    ttl: KEPT_MS,
    fetchMethod: async (clientId) => (await ask(clientId)) ?? Number.POSITIVE_INFINITY,
  });

  // The request has started nothing, so no outcome is unknown, whichever error the call fails with.
  const lookUp = (clientId: string) => tokensFrom.fetch(clientId).catch(() => undefined);

  return async (token) => {
    const caller = await authenticate(token);
    const { client } = caller;
    if (!client) return caller;
    const fromS = tokensFrom.get(client.id) ?? (await lookUp(client.id)) ?? fail("UNAVAILABLE");
    return client.tokensFromS < fromS ? fail("UNAUTHORIZED") : caller;
  };
}
