// Fundings credit a wallet from outside. Each is a transaction; its posting has the same id.

import type { Model } from "mongoose";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { toDecimal } from "../../shared/money.ts";
import { orTooBroad } from "../../shared/storage/database.ts";
import {
  MERGED_AT_ONCE,
  newestMatching,
  newestOf,
  planByAmount,
  type ReadPage,
  rangesOf,
} from "../../shared/storage/search.ts";
import {
  amountsWithin,
  BY_CREATED_AT,
  transactionQuery,
} from "../../shared/storage/transaction-query.ts";
import {
  findOrInsert,
  type PostingsEnd,
  postAgain,
  requireSuccess,
  settle,
} from "./by-reference.ts";
import type { Deps } from "./deps.ts";
import {
  BY_AMOUNT,
  BY_ENTITY,
  BY_REFERENCE,
  BY_STATUS,
  type Funding,
  OF_BUSINESS,
} from "./funding.model.ts";
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

type Filter = Omit<Params<"wallet-ledger.fundings">, "cursor" | "limit">;
type FindParties = (
  asked: Params<"accounts.findParties">,
) => Promise<Result<"accounts.findParties">>;

/**
 * Fundings of a business as transactions, newest first; `from` is inclusive, `to` exclusive.
 * @param findParties finds which of the entities of some fundings a search means
 * @throws TOO_BROAD
 */
export function listFundings(
  { models }: Deps,
  { cursor, limit, ...filter }: Params<"wallet-ledger.fundings">,
  findParties: FindParties,
): Promise<Result<"wallet-ledger.fundings">> {
  return orTooBroad(async () => {
    const read = await planRead(models.ledger_fundings, filter, findParties);
    const { documents, nextCursor } = await read({ cursor, limit });
    return { items: documents.map(toTransaction), meta: { nextCursor } };
  });
}

async function planRead(
  fundings: Model<Funding>,
  { parties, amountFrom, amountTo, ...equal }: Filter,
  findParties: FindParties,
): Promise<ReadPage<Funding>> {
  const { businessId } = equal;
  const within = amountsWithin({ amountFrom, amountTo });
  const amounts = within && { filter: { businessId, amountMinor: within }, hint: BY_AMOUNT };
  const filter = transactionQuery<Funding>(equal, BY_CREATED_AT);
  if (parties?.alternatives) {
    const wanted = { $and: [filter, amounts?.filter ?? {}] };
    const entityIds = parties.alternatives.flatMap(({ entityIds: ids = [] }) => ids);
    const ranges = rangesOf<Funding>(entityIds, MERGED_AT_ONCE, (some) => ({
      filter: { ...wanted, businessId, entityId: some },
      hint: BY_ENTITY,
    }));
    return (place) => newestOf(fundings, ranges, place);
  }
  const read = await planByAmount(fundings, { filter, hint: indexFor(equal) }, amounts);
  if (!parties) return read;
  const { alternatives: _, ...searched } = parties;
  const find = async (found: Funding[]) => {
    const amongEntities = [...new Set(found.map(({ entityId }) => entityId))];
    const { alternatives } = await findParties({ businessId, ...searched, amongEntities });
    if (alternatives === null) fail("TOO_BROAD");
    const ids = new Set(alternatives.flatMap(({ entityIds = [] }) => entityIds));
    return found.filter(({ entityId }) => ids.has(entityId));
  };
  return (place) => newestMatching(fundings, read, { fields: ["entityId"], find }, place);
}

/** The index of a list with these filters. */
function indexFor({ reference, status, entityId }: Filter) {
  if (reference !== undefined) return BY_REFERENCE;
  if (status !== undefined) return BY_STATUS;
  return entityId === undefined ? OF_BUSINESS : BY_ENTITY;
}
