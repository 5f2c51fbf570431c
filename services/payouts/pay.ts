// A payout that the merchant makes itself (docs/integrate/rest-api.md, Payouts of the business): to
// any linked account of its business, from a wallet of the business itself or from the account's own
// wallet. accept.ts makes it. No limit of withdrawals counts it, and it takes no application token.

import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { fail, failField } from "../../shared/errors.ts";
import { toDecimal } from "../../shared/money.ts";
import type { Idempotency } from "../../shared/rpc/actions.ts";
import { accept } from "./accept.ts";
import type { Deps } from "./deps.ts";
import { keyOf, referenceOf } from "./idempotency.ts";
import { NO_LIMITS, nothingUsed } from "./limits.ts";
import type { PaidDestination } from "./request.ts";

type Request = Params<"payouts.pay">;

export interface PayRequest {
  params: Request;
  /** Epoch ms until which the caller waits. */
  deadline?: number;
  /** The key by which the caller may repeat the request. */
  idempotency?: Idempotency;
}

/** The currency of all payouts. */
const currency = "USD";

/**
 * Pays a linked account of the business. A request with the key or the reference of an earlier one
 * gets its answer.
 * @throws KEY_REUSED, CONFLICT, STILL_RUNNING, LINKED_ACCOUNT_NOT_FOUND, WALLET_NOT_FOUND,
 *   VALIDATION, WALLET_DISABLED, INSUFFICIENT_FUNDS, BALANCE_BOUND; UNAVAILABLE if nothing was or
 *   will be taken; OUTCOME_UNKNOWN if that is not known in time
 */
export async function pay(
  deps: Deps,
  { params, deadline, idempotency }: PayRequest,
): Promise<Result<"payouts.pay">> {
  const { businessId, reference } = params;
  const key = keyOf("merchantKey", businessId, idempotency);
  const { payout } = await accept(deps, {
    deadline,
    limits: NO_LIMITS,
    readUse: async () => nothingUsed(),
    identify: async () => ({
      key,
      ...(reference !== undefined && { reference: referenceOf(businessId, reference, params) }),
    }),
    permit: () => deps.controls.refuse("payout", { businessId }),
    find: async () => ({
      request: { ...params, currency },
      destination: await findDestination(deps, params),
    }),
  });
  const { _id: id, amountMinor, feesMinor } = payout;
  return {
    id,
    status: "PENDING",
    fees: toDecimal(feesMinor),
    amount: toDecimal(amountMinor + feesMinor),
    reference: reference ?? null,
  };
}

/** @throws LINKED_ACCOUNT_NOT_FOUND, WALLET_NOT_FOUND, VALIDATION */
async function findDestination(
  deps: Deps,
  { businessId, linkedAccountId, walletId }: Request,
): Promise<PaidDestination> {
  const asked = { entityId: businessId, linkedAccountId, currency, ofBusiness: true } as const;
  const found = await deps.findDestination(asked);
  if (!found) return fail("LINKED_ACCOUNT_NOT_FOUND");
  const destination = { ...found, byMerchant: true } as const;
  if (walletId === undefined) return destination;
  const wallet = await deps.services.wallet({ businessId, walletId });
  if (wallet.entityId !== businessId || wallet.currency !== currency) {
    failField("walletId", `must be a wallet of the business itself, in ${currency}`);
  }
  const owner = { walletId, entityId: businessId, entityType: "BUSINESS" } as const;
  const isOwn = found.entityId === businessId;
  return { ...destination, ...owner, ...(!isOwn && { payeeId: found.entityId }) };
}
