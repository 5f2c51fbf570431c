// Adjustments correct a wallet's balance, against the system account `adjustments`. Only operators
// make them. Each is a transaction; its posting has the same id.

import type { Params } from "../../shared/contracts/contracts.ts";
import { type Adjustment, adjustmentPostings } from "./adjustment.model.ts";
import type { RequestKind } from "./by-reference.ts";
import type { Deps } from "./deps.ts";
import { payloadOf } from "./events.ts";
import type { WalletView } from "./wallets.ts";

export const adjustmentKind: Omit<RequestKind<Adjustment>, "documents"> = {
  name: "adjustment",
  postings: adjustmentPostings,
  freesReference: true,
  toEvent: (adjustment, at) => ({
    eventType: "ADJUSTMENT",
    status: "SUCCEEDED",
    payload: payloadOf(adjustment, at),
  }),
};

type Asked = Pick<Params<"wallet-ledger.adjust">, "direction" | "reference" | "note"> & {
  amountMinor: number;
  deadline?: number;
};

/**
 * Credits or debits a wallet. A repeated reference has the same result; that of a declined
 * adjustment may be used again.
 * @throws CONFLICT if the reference belongs to another adjustment of the wallet;
 *   INSUFFICIENT_FUNDS, WALLET_DISABLED, BALANCE_BOUND; UNAVAILABLE if the outcome is not known
 *   yet: repeat the same call
 */
export function adjust(
  { requests, newId }: Deps,
  { id: walletId, businessId, entityId, currency }: WalletView,
  { direction, amountMinor, reference, note, deadline }: Asked,
): Promise<Adjustment> {
  const owner = { businessId, entityId, currency, walletId };
  return requests.adjustments.perform({
    key: { walletId, reference },
    deadline,
    fields: { _id: newId(), ...owner, direction, amountMinor, reference, note },
    isSame: (found) =>
      found.direction === direction && found.amountMinor === amountMinor && found.note === note,
  });
}
