// Refuses tokens that an API client got before its secret was rotated or before it was disabled, and
// those that come from an address that the client does not allow, although they are signed and have
// not expired. The gateway keeps the answer of accounts for a few
// seconds, so that checking a token is usually a lookup in memory. The call's timeout and that time
// add up to the 5 seconds within which the contract promises the refusal. If accounts does not
// answer and no answer is kept, the gateway answers 503, because the token may have ended.

import { LRUCache } from "lru-cache";
import type { ServiceBroker } from "moleculer";
import type { Result } from "../../../shared/contracts/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import { gather } from "../../../shared/resumable/gather.ts";
import { call } from "../../../shared/rpc/actions.ts";
import { rangesOf } from "../../../shared/security/address-ranges.ts";
import type { FindAddress } from "../http/address.ts";
import type { Authenticate } from "./authentication.ts";

const KEPT_MS = 3_000;
const MOST_CLIENTS = 10_000;
const MOST_AT_ONCE = 256;

type ClientState = Result<"accounts.tokensFrom">[number];

/** What the tokens of a client need. */
interface Needs {
  tokensFromS: number;
  /** Null if every address is allowed. */
  isAllowed: ((address: string) => boolean) | null;
}

function needsOf(state: ClientState): Needs {
  if (state === null || typeof state === "number") {
    return { tokensFromS: state ?? Number.POSITIVE_INFINITY, isAllowed: null };
  }
  const { tokensFromS, allowedAddresses } = state;
  return { tokensFromS, isAllowed: rangesOf(allowedAddresses) };
}

/**
 * Authenticates, and refuses tokens issued to a client before its secret was last rotated, or
 * before it was last disabled, or that come from an address that it does not allow. No clocks are
 * compared: a token carries the client's tokensFromS as it was when the token was issued, and each
 * of these ends raises that. Tokens of other issuers' clients pass.
 * @returns an Authenticate that fails with UNAUTHORIZED, or with UNAVAILABLE if accounts does not
 *   answer
 */
export function ofEnabledClients(
  authenticate: Authenticate,
  broker: ServiceBroker,
  findAddress: FindAddress,
): Authenticate {
  const ask = gather<string, ClientState>(
    (clientIds) => call(broker, "accounts.tokensFrom", { clientIds, withAddresses: true }),
    { maxItems: MOST_AT_ONCE },
  );
  /** By client id; concurrent requests for the same client share one call to accounts. */
  const needs = new LRUCache<string, Needs>({
    max: MOST_CLIENTS,
    ttl: KEPT_MS,
    fetchMethod: async (clientId) => needsOf(await ask(clientId)),
  });

  // The request has started nothing, so no outcome is unknown, whichever error the call fails with.
  const lookUp = (clientId: string) => needs.fetch(clientId).catch(() => undefined);

  return async (token, request) => {
    const caller = await authenticate(token, request);
    const { client } = caller;
    if (!client) return caller;
    const { tokensFromS, isAllowed } =
      needs.get(client.id) ?? (await lookUp(client.id)) ?? fail("UNAVAILABLE");
    if (client.tokensFromS < tokensFromS) fail("UNAUTHORIZED");
    return isAllowed?.(findAddress(request).exact) === false ? fail("UNAUTHORIZED") : caller;
  };
}
