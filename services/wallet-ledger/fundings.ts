// Fundings credit a wallet from outside. Each is a transaction; its posting has the same id.

import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { toDecimal } from "../../shared/money.ts";
import { newestFirst } from "../../shared/storage/paging.ts";
import { BY_CREATED_AT, transactionQuery } from "../../shared/storage/transaction-query.ts";
import {
  findOrInsert,
  type PostingsEnd,
  postAgain,
  requireSuccess,
  settle,
} from "./by-reference.ts";
import type { Deps } from "./deps.ts";
import type { Funding } from "./funding.model.ts";
import type { WalletView } from "./wallets.ts";

/**
 * Credits a wallet. A repeated reference has the same result.
 * @param amountMinor in minor units
 * @throws CONFLICT if the reference belongs to another amount; BALANCE_BOUND if the balance would
 *   leave the safe integers; UNAVAILABLE if the outcome is not known yet: repeat the same call
 */
export async function fund(
  deps: Deps,
  { id: walletId, businessId, entityId, currency }: WalletView,
  amountMinor: number,
  reference: string,
): Promise<Funding> {
  const { clock, newId } = deps;
  const { ledger_fundings: fundings } = deps.models;
  const owner = { businessId, entityId, currency };
  const found = await findOrInsert(
    clock,
    fundings,
    { walletId, reference },
    { _id: newId(), ...owner, walletId, reference, amountMinor, status: "PENDING" },
  );
  if (found.amountMinor !== amountMinor) return fail("CONFLICT");
  const post = (funding: Funding) => postFunding(deps, funding);
  return requireSuccess(await settle(clock, fundings, found, post));
}

/** Posts a funding, for the first time or again. */
export async function postFunding({ ledger }: Deps, funding: Funding): Promise<PostingsEnd> {
  const { _id: id, walletId, currency, amountMinor } = funding;
  const posting = { id, kind: "funding" as const, walletId, currency, amountMinor };
  const declined = await postAgain(ledger.log, posting);
  return declined ? { status: "FAILED", declined } : { status: "SUCCESS" };
}

/** A funding in the shape of a transaction. */
export function toTransaction(funding: Funding) {
  return {
    id: funding._id,
    flow: "FUNDING" as const,
    status: funding.status,
    amount: toDecimal(funding.amountMinor),
    fees: toDecimal(0),
    currency: funding.currency,
    method: null,
    entityId: funding.entityId,
    walletId: funding.walletId,
    linkedAccountId: null,
    reason: funding.reference,
    failureReason: null,
    failureCode: funding.status === "FAILED" ? ("processing_failed" as const) : null,
    needsAttention: false,
    reference: funding.reference,
    metadata: null,
    createdAt: funding.createdAt.toISOString(),
    updatedAt: funding.updatedAt.toISOString(),
  };
}

/** Fundings of a business as transactions, newest first; `from` is inclusive, `to` exclusive. */
export async function listFundings(
  { models }: Deps,
  { cursor, limit, ...filter }: Params<"wallet-ledger.fundings">,
): Promise<Result<"wallet-ledger.fundings">> {
  const query = transactionQuery<Funding>(filter, BY_CREATED_AT);
  const { documents, nextCursor } = await newestFirst(models.ledger_fundings, query, {
    cursor,
    limit,
  });
  return { items: documents.map(toTransaction), meta: { nextCursor } };
}
