// Fundings credit a wallet from outside. Each is a transaction; its posting has the same id.

import type { RequestKind } from "./by-reference.ts";
import type { Deps } from "./deps.ts";
import { payloadOf } from "./events.ts";
import { type Funding, fundingPostings } from "./funding.model.ts";
import type { WalletView } from "./wallets.ts";

export const fundingKind: Omit<RequestKind<Funding>, "documents"> = {
  name: "funding",
  postings: fundingPostings,
  freesReference: false,
  toEvent: (funding, at) => ({
    eventType: "FUNDING",
    status: "SUCCEEDED",
    payload: payloadOf(funding, at),
  }),
};

/**
 * Credits a wallet. A repeated reference has the same result.
 * @param amountMinor in minor units
 * @throws CONFLICT if the reference belongs to another amount; BALANCE_BOUND if the balance would
 *   leave the safe integers; UNAVAILABLE if the outcome is not known yet: repeat the same call
 */
export function fund(
  { requests, newId }: Deps,
  { id: walletId, businessId, entityId, currency }: WalletView,
  { amountMinor, reference }: { amountMinor: number; reference: string },
): Promise<Funding> {
  return requests.fundings.perform({
    key: { walletId, reference },
    fields: { _id: newId(), businessId, entityId, currency, walletId, reference, amountMinor },
    isSame: (found) => found.amountMinor === amountMinor,
  });
}
