// The transactions of wallets' owners: fundings, adjustments and transfers between wallets, each in
// its own collection, in one shape and in lists with the same filters. A declined request that freed
// its reference has moved nothing, and no list shows it.

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
import type { Adjustment } from "./adjustment.model.ts";
import type { Deps, Models } from "./deps.ts";
import type { Funding } from "./funding.model.ts";
import {
  BY_AMOUNT,
  BY_ENTITY,
  BY_REFERENCE,
  BY_STATUS,
  FLAGGED_OF_BUSINESS,
  OF_BUSINESS,
  VISIBLE,
  type WalletTransaction,
} from "./transaction.model.ts";
import type { WalletTransfer } from "./wallet-transfer.model.ts";

type Transaction = Result<"wallet-ledger.funding">;

/** The collection of each flow, and what its transactions say beside the common fields. */
const FLOWS = {
  FUNDING: {
    model: ({ ledger_fundings }: Models) => ledger_fundings,
    says: ({ reference }: Funding) => ({ reason: reference ?? null }),
  },
  ADJUSTMENT: {
    model: ({ ledger_adjustments }: Models) => ledger_adjustments,
    says: ({ direction, reference }: Adjustment) => ({ direction, reason: reference ?? null }),
  },
  TRANSFER: {
    model: ({ ledger_wallet_transfers }: Models) => ledger_wallet_transfers,
    says: ({ description }: WalletTransfer) => ({ reason: description ?? null }),
  },
} as const;
type Flow = keyof typeof FLOWS;

/** A request in the shape of a transaction. */
export function toTransaction(flow: Flow, request: WalletTransaction): Transaction {
  return {
    id: request._id,
    flow,
    status: request.status,
    amount: toDecimal(request.amountMinor),
    fees: toDecimal(0),
    currency: request.currency,
    method: null,
    entityId: request.entityId,
    walletId: request.walletId,
    linkedAccountId: null,
    failureReason: null,
    failureCode: request.status === "FAILED" ? "processing_failed" : null,
    needsAttention: request.needsAttention ?? false,
    reference: request.reference ?? null,
    metadata: null,
    createdAt: request.createdAt.toISOString(),
    updatedAt: request.updatedAt.toISOString(),
    ...FLOWS[flow].says(request as never),
  };
}

/** @throws TRANSACTION_NOT_FOUND */
export async function findTransaction(
  { models }: Pick<Deps, "models">,
  { businessId, id }: Params<"wallet-ledger.funding">,
): Promise<Transaction> {
  for (const [flow, { model }] of Object.entries(FLOWS) as [Flow, (typeof FLOWS)[Flow]][]) {
    const documents = model(models) as unknown as Model<WalletTransaction>;
    const found = await documents.findOne({ _id: id, businessId, ...VISIBLE }).lean();
    if (found) return toTransaction(flow, found);
  }
  return fail("TRANSACTION_NOT_FOUND");
}

type Asked = Params<"wallet-ledger.fundings">;
type Filter = Omit<Asked, "cursor" | "limit" | "flow">;
type FindParties = (
  asked: Params<"accounts.findParties">,
) => Promise<Result<"accounts.findParties">>;

/**
 * Transactions of a business of one flow, newest first; `from` is inclusive, `to` exclusive.
 * @param findParties finds which of the entities of some transactions a search means
 * @throws TOO_BROAD
 */
export function listTransactions(
  { models }: Pick<Deps, "models">,
  { cursor, limit, flow = "FUNDING", ...filter }: Asked,
  findParties: FindParties,
): Promise<Result<"wallet-ledger.fundings">> {
  return orTooBroad(async () => {
    const documents = FLOWS[flow].model(models) as unknown as Model<WalletTransaction>;
    const read = await planRead(documents, filter, findParties);
    const page = await read({ cursor, limit });
    const items = page.documents.map((each) => toTransaction(flow, each));
    return { items, meta: { nextCursor: page.nextCursor } };
  });
}

async function planRead(
  documents: Model<WalletTransaction>,
  { parties, amountFrom, amountTo, needsAttention, ...equal }: Filter,
  findParties: FindParties,
): Promise<ReadPage<WalletTransaction>> {
  const { businessId } = equal;
  // Documents of the previous release have no such field.
  const flagged = needsAttention !== undefined && {
    needsAttention: needsAttention ? true : { $ne: true },
  };
  const within = amountsWithin({ amountFrom, amountTo });
  const amounts = within && {
    filter: { businessId, amountMinor: within, ...VISIBLE },
    hint: BY_AMOUNT,
  };
  const asked = transactionQuery<WalletTransaction>(equal, BY_CREATED_AT);
  const filter = { ...VISIBLE, ...flagged, ...asked };
  if (parties?.alternatives) {
    const wanted = { $and: [filter, amounts?.filter ?? {}] };
    const entityIds = parties.alternatives.flatMap(({ entityIds: ids = [] }) => ids);
    const ranges = rangesOf<WalletTransaction>(entityIds, MERGED_AT_ONCE, (some) => ({
      filter: { ...wanted, ...VISIBLE, businessId, entityId: some },
      hint: BY_ENTITY,
    }));
    return (place) => newestOf(documents, ranges, place);
  }
  const read = await planByAmount(
    documents,
    { filter, hint: indexFor({ ...equal, needsAttention }) },
    amounts,
  );
  if (!parties) return read;
  const { alternatives: _, ...searched } = parties;
  const find = async (found: WalletTransaction[]) => {
    const amongEntities = [...new Set(found.map(({ entityId }) => entityId))];
    const { alternatives } = await findParties({ businessId, ...searched, amongEntities });
    if (alternatives === null) fail("TOO_BROAD");
    const ids = new Set(alternatives.flatMap(({ entityIds = [] }) => entityIds));
    return found.filter(({ entityId }) => ids.has(entityId));
  };
  return (place) => newestMatching(documents, read, { fields: ["entityId"], find }, place);
}

/** The index of a list with these filters. */
function indexFor({ reference, status, entityId, needsAttention }: Filter) {
  if (reference !== undefined) return BY_REFERENCE;
  if (needsAttention) return FLAGGED_OF_BUSINESS;
  if (status !== undefined) return BY_STATUS;
  return entityId === undefined ? OF_BUSINESS : BY_ENTITY;
}
